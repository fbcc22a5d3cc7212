/* Names the job of a trace in few words: "./app, 8 ranks". The recorder keeps each rank's command
 * line; for an interpreter the script counts as the program. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* Finds the test that pytest ran, "x.py::test_sum": the first word with "::". */
static const char *test_of(const char *words, size_t *bytes)
{
    const char *colons = strstr(words, "::"), *word = colons;

    if (!colons)
        return words;
    while (word > words && word[-1] != ' ')
        word--;
    *bytes = strcspn(word, " ");
    return word;
}

/* Finds the word of a command line that names the program: "pytest" in "python3 -u -m pytest x.py",
 * "python3" in "python3 -c CODE". */
static const char *word_of(const char *words, size_t *out_bytes)
{
    size_t first = strcspn(words, " "), bytes = first;
    const char *next = words;

    while (is_interpreter(words, first) && bytes) {
        next += bytes;
        next += strspn(next, " ");
        bytes = strcspn(next, " ");
        if (bytes == 2 && !memcmp(next, "-c", 2))
            break;
        if (bytes && *next != '-') {
            *out_bytes = bytes;
            return bytes == 6 && !memcmp(next, "pytest", 6) ? test_of(next, out_bytes) : next;
        }
    }
    *out_bytes = first;
    return words;
}

static char *program_of(struct trace *trace, const struct source *source)
{
    const char *words = trace_meta(trace, "program");
    size_t bytes = 0;
    const char *word = words ? word_of(words, &bytes) : NULL;
    char *whole = bytes ? strndup(word, bytes) : NULL, *below = NULL;

    if (!whole)
        return NULL;
    const char *shown = source ? source_below(source, NULL, whole) : whole;
    below = strdup(*shown == '/' ? last_part(shown, strlen(shown)) : shown);
    free(whole);
    return below;
}

static char *subject_of(const char *program, uint32_t ranks)
{
    char *text = NULL;

    if (asprintf(&text, "%s%s%" PRIu32 " rank%s", program ? program : "", program ? ", " : "",
                 ranks, ranks == 1 ? "" : "s") < 0) {
        core_report(CORE_NO_MEMORY, "out of memory for the report");
        return NULL;
    }
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
