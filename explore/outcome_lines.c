/* See the header.
 *
 * Invariant 1: the words of a group are equal before and behind one number. */
#include "explore/outcome_lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/finding.h"
#include "core/array.h"
#include "core/check.h"
#include "core/text.h"

enum { GROUP_LEAST = 3, VALUES_TOLD = 12 };

struct span { /* of a number in the words */
    size_t at, bytes;
};
struct group {
    struct span span; /* in the words of `first` */
    uint32_t first, count;
};

enum core_status outcome_lines_add(struct outcome_lines *lines, char *words, uint64_t count)
{
    enum core_status status = words ? CORE_OK : core_report(CORE_NO_MEMORY, "out of memory");

    for (uint32_t i = 0; words && i < lines->count; i++)
        if (!strcmp(lines->line[i].words, words)) {
            lines->line[i].count += count;
            lines->line[i].outcomes++;
            free(words);
            return CORE_OK;
        }
    if (status == CORE_OK)
        status = CORE_ARRAY_PUSH(lines->line, lines->count, lines->room, "outcomes",
                                 (struct outcome_line){words, count, 1});
    if (status != CORE_OK)
        free(words);
    return status;
}

void outcome_lines_done(struct outcome_lines *lines)
{
    for (uint32_t i = 0; i < lines->count; i++)
        free(lines->line[i].words);
    CORE_ARRAY_DONE(lines->line, lines->count, lines->room);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Finds the first number from there on: "12", "-2.5", "1e-07". Digits inside of a name are none. */
static bool number_find(const char *words, size_t from, struct span *out_span)
{
    for (size_t at = from; words[at]; at++) {
        if (!isdigit((unsigned char)words[at]) || (at && (is_word(words[at - 1]))))
            continue;
        char *end;
        strtod(words + at, &end);
        while (end[-1] == '.') /* the end of a sentence */
            end--;
        bool negative = at > from && words[at - 1] == '-' && (at < 2 || !is_word(words[at - 2]));
        if (!is_word(*end)) {
            *out_span = (struct span){at - negative, (size_t)(end - words) - at + negative};
            return true;
        }
        at = (size_t)(end - words) - 1;
    }
    return false;
}

/* Tells whether the words are those of the group, apart from its number. */
static bool is_in(const char *words, const char *first, const struct span *span,
                  struct span *out_number)
{
    const char *behind = first + span->at + span->bytes;

    if (strncmp(words, first, span->at) != 0 || !number_find(words, span->at, out_number))
        return false;
    return out_number->at == span->at && !strcmp(words + span->at + out_number->bytes, behind);
}

/* Finds the number of this line that makes the largest group with lines behind it. The number of
 * the rank, which comes first, makes none. */
static struct group group_find(const struct outcome_lines *lines, const bool *said, uint32_t first)
{
    const char *words = lines->line[first].words;
    struct group best = {.first = first, .count = 1};
    struct span span = {0}, other;
    bool more = number_find(words, 0, &span);

    while (more && (more = number_find(words, span.at + span.bytes, &span))) {
        struct group group = {span, first, 1};
        for (uint32_t i = first + 1; i < lines->count; i++)
            group.count += !said[i] && is_in(lines->line[i].words, words, &span, &other);
        if (group.count > best.count)
            best = group;
    }
    return best;
}

struct value { /* of a member */
    const char *text;
    size_t bytes;
    double number;
    uint64_t count;
};

static int value_compare(const void *a, const void *b)
{
    const struct value *x = a, *y = b;

    return x->number != y->number ? x->number < y->number ? -1 : 1
           : x->text < y->text    ? -1
                                  : x->text > y->text;
}

/* Returns a letter for the number that is no word of the line. */
static char letter_of(const char *words)
{
    static const char letters[] = "NXYZK";

    for (const char *letter = letters; *letter; letter++) {
        const char *at = words;
        while ((at = strchr(at, *letter)) && ((at > words && is_word(at[-1])) || is_word(at[1])))
            at++;
        if (!at)
            return *letter;
    }
    return '#';
}

static void times_write(FILE *file, uint64_t count)
{
    fprintf(file, "%" PRIu64 " time%s", count, count == 1 ? "" : "s");
}

static void values_write(FILE *file, const struct value *value, uint32_t count, bool same)
{
    CORE_CHECK(count >= GROUP_LEAST);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "%s%.*s",
                i == 0          ? ""
                : i + 1 < count ? ", "
                                : " or ",
                (int)value[i].bytes, value[i].text);
        if (same)
            continue;
        fputs(" (", file);
        times_write(file, value[i].count);
        fputc(')', file);
    }
}

static void group_write(FILE *file, const char *words, const struct span *span,
                        const struct value *value, uint32_t count)
{
    const struct value *last = &value[count - 1];
    uint64_t times = 0;
    bool same = true;
    char letter = letter_of(words);

    for (uint32_t i = 0; i < count; i++) {
        same = same && value[i].count == value[0].count;
        times += value[i].count;
    }
    if (same || count > VALUES_TOLD) {
        times_write(file, same ? value[0].count : times);
        fputs(same ? " each: " : ": ", file);
    }
    fprintf(file, "%.*s%c%s, where %c is ", (int)span->at, words, letter,
            words + span->at + span->bytes, letter);
    if (count > VALUES_TOLD)
        fprintf(file, "one of %" PRIu32 " numbers from %.*s to %.*s", count, (int)value[0].bytes,
                value[0].text, (int)last->bytes, last->text);
    else
        values_write(file, value, count, same);
}

/* Makes one fact of the group's lines, and marks them as said. Returns their outcomes. */
static uint32_t group_say(const struct outcome_lines *lines, const struct group *group, bool *said,
                          struct value *value, struct finding *finding)
{
    const char *words = lines->line[group->first].words;
    char *text = NULL;
    size_t bytes;
    uint32_t count = 0, outcomes = 0;
    FILE *file = open_memstream(&text, &bytes);

    for (uint32_t i = group->first; i < lines->count; i++) {
        const struct outcome_line *line = &lines->line[i];
        struct span span;
        if (said[i] || !is_in(line->words, words, &group->span, &span))
            continue;
        said[i] = true;
        outcomes += line->outcomes;
        const char *number = line->words + span.at;
        value[count++] = (struct value){number, span.bytes, strtod(number, NULL), line->count};
    }
    CORE_CHECK(count == group->count); /* invariant 1 */
    qsort(value, count, sizeof *value, value_compare);
    if (file)
        group_write(file, words, &group->span, value, count);
    if (core_text_close(file, &text))
        finding_fact(finding, "%s", text);
    free(text);
    return outcomes;
}

uint32_t outcome_lines_say(const struct outcome_lines *lines, struct finding *finding)
{
    bool *said = NULL;
    struct value *value = NULL;
    uint32_t outcomes = 0;

    if (!lines->count || CORE_ARRAY_NEW(said, lines->count, "outcomes") != CORE_OK ||
        CORE_ARRAY_NEW(value, lines->count, "outcomes") != CORE_OK)
        goto done;
    for (uint32_t i = 0, facts = 0; i < lines->count && facts < OUTCOME_FACTS_MAX; i++) {
        const struct outcome_line *line = &lines->line[i];
        if (said[i])
            continue;
        struct group group = group_find(lines, said, i);
        if (group.count >= GROUP_LEAST) {
            outcomes += group_say(lines, &group, said, value, finding);
        } else {
            finding_fact(finding, "%" PRIu64 " time%s: %s", line->count,
                         line->count == 1 ? "" : "s", line->words);
            outcomes += line->outcomes;
        }
        said[i] = true;
        facts++;
    }
done:
    free(said);
    free(value);
    return outcomes;
}
