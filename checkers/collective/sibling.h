/* Makes one finding of a mistake that ranks make in several communicators of one place, such as the
 * rows of a grid. */
#ifndef CHECKERS_COLLECTIVE_SIBLING_H
#define CHECKERS_COLLECTIVE_SIBLING_H

#include "checkers/finding.h"

/* Merges findings on collectives, from that index on, that have the same number, calls and places,
 * and differ in their ranks alone. */
enum core_status sibling_merge(struct trace *trace, struct finding_list *list, uint32_t from);

#endif
