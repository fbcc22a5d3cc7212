/* Compares the output of runs line by line, in any order, since ranks print in any order. */
#ifndef CLI_LIBRARIES_LINES_H
#define CLI_LIBRARIES_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/libraries/outcome.h"

struct lines {         /* all runs of one library */
    const char *title; /* "Open MPI 5.0.11" */
    const struct outcome *run;
    uint32_t runs;
};
enum lines_differ {
    LINES_SAME,
    LINES_NUMBERS, /* in numbers, but by no more than rounding of reals */
    LINES_VALUES,  /* only in numbers */
    LINES_WORDS
};
struct lines_only { /* lines that one library prints in each run, and the other in none */
    const char **line;
    uint32_t count, room;
};
/* Compares the outputs. Ignores lines of a form that varies from run to run, and lines that name
 * the library. */
enum core_status lines_compare(const struct lines *a, const struct lines *b,
                               struct lines_only out_only[2], enum lines_differ *out_differ);
void lines_done(struct lines_only only[2]);

#endif
