/* Explains a call that the other ranks did not expect: a destructor made it, which ran because a
 * C++ exception was thrown, or because Python took an object back. */
#ifndef CHECKERS_HINT_DESTRUCTOR_H
#define CHECKERS_HINT_DESTRUCTOR_H

#include "checkers/finding.h"

/* Adds this explanation to each error one of whose calls a destructor made (misuse.h, UNWINDING;
 * table stack). */
enum core_status hint_destructor_add(struct trace *trace, struct finding_list *list);

#endif
