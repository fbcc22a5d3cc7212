/* Explains a call that the other ranks did not expect: a destructor made it, which ran because a
 * C++ exception was thrown, or because Python took an object back; or it follows an exception that
 * the rank, unlike others, caught. */
#ifndef CHECKERS_HINT_DESTRUCTOR_H
#define CHECKERS_HINT_DESTRUCTOR_H

#include "checkers/finding.h"

/* Adds this explanation to each error one of whose calls is such (misuse.h, UNWINDING, CAUGHT;
 * table stack). */
enum core_status hint_destructor_add(struct trace *trace, struct finding_list *list);

#endif
