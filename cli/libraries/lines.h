/* Compares what runs printed, line by line in no order, as ranks print in none. */
#ifndef CLI_LIBRARIES_LINES_H
#define CLI_LIBRARIES_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/libraries/outcome.h"

struct lines {         /* all of one library */
    const char *title; /* "Open MPI 5.0.11" */
    const struct outcome *run;
    uint32_t runs;
};
enum lines_differ {
    LINES_SAME,
    LINES_NUMBERS, /* in numbers, but by no more than rounding makes of real ones */
    LINES_VALUES,  /* in nothing but numbers */
    LINES_WORDS
};
struct lines_only { /* lines that one has in each run, and the other in none */
    const char **line;
    uint32_t count, room;
};
/* Left out are lines of a form that differs from run to run, and such as name the library. */
enum core_status lines_compare(const struct lines *a, const struct lines *b,
                               struct lines_only out_only[2], enum lines_differ *out_differ);
void lines_done(struct lines_only only[2]);

#endif
