/* Names the job of a trace in few words: "./app, 8 ranks". The recorder keeps each rank's command
 * line; for an interpreter the script counts as the program. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "reports/report.h"

static const char *last_part(const char *path, size_t bytes)
{
    const char *slash = memrchr(path, '/', bytes);

    return slash ? slash + 1 : path;
}

static bool is_interpreter(const char *word, size_t bytes)
{
    static const char *const known[] = {"python", "julia", "Rscript", "perl", "bash", "sh"};
    const char *name = last_part(word, bytes);
    size_t left = (size_t)(word + bytes - name);

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t length = strlen(known[i]);
        if (left >= length && !memcmp(name, known[i], length) &&
            strspn(name + length, "0123456789.") >= left - length)
            return true;
    }
    return false;
}

/* Reads words that core_text_shell wrote: returns a copy with a 0 after each, and an empty one at
 * the end. Free with free(). */
static char *words_read(const char *text)
{
    char *words = calloc(strlen(text) + 2, 1), *to = words;
    bool quoted = false;

    for (; words && *text; text++)
        if (*text == '\'')
            quoted = !quoted;
        else if (*text == ' ' && !quoted)
            to += to > words && to[-1]; /* the words are zeros from there on */
        else
            *to++ = *text == '\\' && !quoted && text[1] ? *++text : *text;
    return words;
}

/* Finds the test that pytest ran, "x.py::test_sum": the first word with "::". */
static const char *test_of(const char *words)
{
    for (const char *word = words; *word; word += strlen(word) + 1)
        if (strstr(word, "::"))
            return word;
    return words;
}

/* Finds the word of a command line that names the program: "pytest" in "python3 -u -m pytest x.py",
 * "python3" in "python3 -c CODE". */
static const char *word_of(const char *words)
{
    const char *next = words;

    while (*next && is_interpreter(words, strlen(words))) {
        next += strlen(next) + 1;
        if (!strcmp(next, "-c"))
            break;
        if (*next && *next != '-')
            return strcmp(next, "pytest") ? next : test_of(next);
    }
    return words;
}

/* The program's path is relative to the current directory, as the source has no root yet. */
static char *program_of(struct trace *trace, const struct source *source)
{
    const char *text = trace_meta(trace, "program");
    char *words = text ? words_read(text) : NULL, *below = NULL;
    const char *whole = words ? word_of(words) : "";

    if (*whole) {
        const char *shown = source ? source_below(source, whole) : whole;
        below = strdup(*shown == '/' ? last_part(shown, strlen(shown)) : shown);
    }
    free(words);
    return below;
}

/* Names the program as a shell reads it. */
static char *subject_of(const char *program, uint32_t ranks)
{
    char *text = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);

    if (file && program) {
        core_text_shell(program, file);
        fputs(", ", file);
    }
    if (file)
        fprintf(file, "%" PRIu32 " rank%s", ranks, ranks == 1 ? "" : "s");
    if (!core_text_close(file, &text))
        core_report(CORE_NO_MEMORY, "out of memory for the report");
    return text;
}

char *report_subject(struct trace *trace)
{
    struct source *source = NULL;
    enum core_status status = source_open(0, &source);
    char *program = status == CORE_OK ? program_of(trace, source) : NULL,
         *subject = status == CORE_OK ? subject_of(program, trace->rank_count) : NULL;

    source_close(source);
    free(program);
    return subject;
}

enum core_status report_program_gather(struct report_facts *facts)
{
    facts->program = program_of(facts->trace, facts->source);
    facts->subject = subject_of(facts->program, facts->trace->rank_count);
    return facts->subject ? CORE_OK : CORE_NO_MEMORY;
}
