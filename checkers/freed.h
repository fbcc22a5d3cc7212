/* Communicators, windows and files that one thread of a rank frees while another one uses them. */
#ifndef CHECKERS_FREED_H
#define CHECKERS_FREED_H

#include "checkers/check.h"

/* Adds two findings at most: an error where the use and the free were
 * recorded at a time, or the use behind the free; a note where nothing that is known orders the
 * two. */
enum core_status freed_check(const struct check_input *input, struct finding_list *list);

#endif
