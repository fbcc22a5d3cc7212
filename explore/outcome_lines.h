/* Lines about outcomes: outcomes whose words differ in one number become one line. */
#ifndef EXPLORE_OUTCOME_LINES_H
#define EXPLORE_OUTCOME_LINES_H

#include <stdint.h>

#include "core/status.h"

struct finding;

struct outcome_line {
    char *words;    /* owned: "rank 0 prints 'sum 3'" */
    uint64_t count; /* of behaviours */
};
struct outcome_lines {
    struct outcome_line *line; /* owned */
    uint32_t count, room;
};

/* Adds a line, or the count to the line with the same words. Takes the words over, also if it
 * fails; NULL: there was no memory for them. */
enum core_status outcome_lines_add(struct outcome_lines *lines, char *words, uint64_t count);
/* Makes facts of the finding, in the order of the lines. Three or more that differ in one number
 * make one: "1 time each: rank 0 prints 'sum N', where N is 3, 5 or 8". */
void outcome_lines_say(const struct outcome_lines *lines, struct finding *finding);
void outcome_lines_done(struct outcome_lines *lines);

#endif
