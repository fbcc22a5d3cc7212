/* Lines about outcomes: outcomes whose words differ in one number become one line. */
#ifndef EXPLORE_OUTCOME_LINES_H
#define EXPLORE_OUTCOME_LINES_H

#include <stdint.h>

#include "core/status.h"

struct finding;

enum { OUTCOME_FACTS_MAX = 8 };

struct outcome_line {
    char *words;       /* owned: "rank 0 prints 'sum 3'" */
    uint64_t count;    /* of behaviours */
    uint32_t outcomes; /* with these words */
};
struct outcome_lines {
    struct outcome_line *line; /* owned */
    uint32_t count, room;
};

/* Adds an outcome: a line, or the count to the line with the same words. Takes the words over, also
 * if it fails; NULL: there was no memory for them. */
enum core_status outcome_lines_add(struct outcome_lines *lines, char *words, uint64_t count);
/* Makes at most OUTCOME_FACTS_MAX facts of the finding, in the order of the lines. Three or more
 * lines that differ in one number make one fact: "1 time each: rank 0 prints 'sum N', where N is 3,
 * 5 or 8". Returns the number of outcomes that the facts speak of. */
uint32_t outcome_lines_say(const struct outcome_lines *lines, struct finding *finding);
void outcome_lines_done(struct outcome_lines *lines);

#endif
