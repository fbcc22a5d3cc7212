/* See lines.h. The form of a line is the line without its numbers. */
#include "cli/libraries/lines.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"

#define THE_LINES "what the job printed"
/* LINES_MAX: number of lines compared; VERSION_LENGTH: a shorter version could be any number. */
enum { LINES_MAX = 4096, LINES_KEPT_MAX = 64, VERSION_LENGTH = 5 };
static const double lines_rounding = 1e-5; /* relative: the precision of a float */

/* Returns the length of the number at this place; 0: none. */
static size_t number_length(const char *line, const char *at)
{
    char *end;

    if (at > line && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
        return 0;
    if (!isdigit((unsigned char)*at) &&
        !(strchr("+-.", *at) && *at && (isdigit((unsigned char)at[1]) || at[1] == '.')))
        return 0;
    (void)strtod(at, &end);
    return (size_t)(end - at);
}

/* Compares two lines by form; *worst: the largest relative difference of two numbers; negative if
 * whole numbers differ. */
static bool same_form(const char *a, const char *b, double *worst)
{
    const char *x = a, *y = b;

    while (*x && *y) {
        size_t m = number_length(a, x), n = number_length(b, y);
        if (!m != !n || (!m && *x != *y))
            return false;
        if (m) {
            double v = strtod(x, NULL), w = strtod(y, NULL);
            bool whole = !memchr(x, '.', m) && !memchr(y, '.', n) && !memchr(x, 'e', m);
            double by = fabs(v - w) / fmax(fmax(fabs(v), fabs(w)), 1e-300);
            if (v != w && (whole || by > *worst))
                *worst = whole ? INFINITY : by;
        }
        x += m ? m : 1;
        y += m ? n : 1;
    }
    return *x == *y;
}

static uint32_t count_of(const struct outcome *run, const char *line)
{
    uint32_t first = CORE_ARRAY_FIND(at, 0, run->line_count, strcmp(run->line[at], line) < 0);
    uint32_t end = first;

    while (end < run->line_count && !strcmp(run->line[end], line))
        end++;
    return end - first;
}

static bool is_steady(const struct lines *lines, const char *line)
{
    for (uint32_t i = 1; i < lines->runs; i++)
        if (count_of(&lines->run[i], line) != count_of(&lines->run[0], line))
            return false;
    return true;
}

/* Tells whether lines of that form vary from run to run. */
static bool form_varies(const struct lines *lines, const char *line)
{
    double ignored = 0;

    for (uint32_t i = 0; i < lines->runs; i++)
        for (uint32_t j = 0; j < lines->run[i].line_count; j++)
            if (same_form(line, lines->run[i].line[j], &ignored) &&
                !is_steady(lines, lines->run[i].line[j]))
                return true;
    return false;
}

/* Tells whether the line gives the library's version of the standard: "MPI version 4.0", "MPI
 * 3.1". */
static bool names_standard(const char *line)
{
    static const char *const words[] = {"standard", "version", "v", ":", "-", "=", " "};

    for (const char *at = line; (at = strcasestr(at, "MPI"));) {
        at += 3;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (!strncasecmp(at, words[i], strlen(words[i]))) {
                at += strlen(words[i]);
                i = SIZE_MAX; /* starts again with the first word */
            }
        if (isdigit((unsigned char)at[0]) && at[1] == '.' && isdigit((unsigned char)at[2]) &&
            (!at[3] || strchr(",;)", at[3]) || strncmp(&at[3], " on", 3) == 0))
            return true;
    }
    return false;
}

/* Tells whether the line gives the library's version or name. */
static bool names_library(const char *title, const char *line)
{
    const char *version = strrchr(title, ' ');
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)(version ? version - title : 60), title);
    return strcasestr(line, name) || strcasestr(line, "Intel(R) MPI") ||
           (version && strlen(version + 1) >= VERSION_LENGTH && strstr(line, version + 1));
}

/* Finds lines that A has more often than B. */
static enum core_status only_find(const struct lines *a, const struct lines *b,
                                  struct lines_only *only)
{
    const struct outcome *run = &a->run[0];
    enum core_status status = CORE_OK;
    uint32_t looked = 0;

    for (uint32_t i = 0; i < run->line_count && status == CORE_OK && looked < LINES_MAX &&
                         only->count < LINES_KEPT_MAX;
         i++) {
        const char *line = run->line[i];
        if ((i && !strcmp(run->line[i - 1], line)) ||
            count_of(run, line) <= count_of(&b->run[0], line))
            continue;
        looked++;
        if (names_library(a->title, line) || names_library(b->title, line) ||
            names_standard(line) || form_varies(a, line) || form_varies(b, line))
            continue;
        status = CORE_ARRAY_PUSH(only->line, only->count, only->room, THE_LINES, line);
    }
    return status;
}

/* Tells how the lines differ. Both lists are sorted, so lines of one form correspond, except for
 * their numbers. */
static enum lines_differ differ_of(const struct lines_only only[2])
{
    double worst = 0;

    if (!only[0].count && !only[1].count)
        return LINES_SAME;
    if (only[0].count != only[1].count)
        return LINES_WORDS;
    for (uint32_t i = 0; i < only[0].count; i++)
        if (!same_form(only[0].line[i], only[1].line[i], &worst))
            return LINES_WORDS;
    return worst <= lines_rounding ? LINES_NUMBERS : LINES_VALUES;
}

enum core_status lines_compare(const struct lines *a, const struct lines *b,
                               struct lines_only out_only[2], enum lines_differ *out_differ)
{
    enum core_status status;

    memset(out_only, 0, 2 * sizeof *out_only);
    status = only_find(a, b, &out_only[0]);
    if (status == CORE_OK)
        status = only_find(b, a, &out_only[1]);
    *out_differ = differ_of(out_only);
    if (status != CORE_OK)
        lines_done(out_only);
    return status;
}

void lines_done(struct lines_only only[2])
{
    for (int i = 0; i < 2; i++)
        CORE_ARRAY_DONE(only[i].line, only[i].count, only[i].room);
}
