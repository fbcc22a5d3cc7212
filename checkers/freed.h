/* Finds communicators, windows and files that one thread of a rank frees while another one uses
 * them. */
#ifndef CHECKERS_FREED_H
#define CHECKERS_FREED_H

#include "checkers/check.h"

/* Adds at most two findings: an error if the recorded use overlaps the free or follows it, and a
 * note if nothing known orders the two. */
enum core_status freed_check(const struct check_input *input, struct finding_list *list);

#endif
