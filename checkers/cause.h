/* Finds which finding another one follows from: by the calls of both, and a table of which rule can
 * cause which (cause.c). A symptom is told under its cause. */
#ifndef CHECKERS_CAUSE_H
#define CHECKERS_CAUSE_H

#include "checkers/finding.h"
#include "core/status.h"

/* Sets `cause` of each finding that shares a call with one that can have caused it, waits for a
 * rank of one that gave up, or tells what such a rank lacks; where that one has a cause itself, to
 * that. What a checker has set stays. */
enum core_status cause_find(struct finding_list *list);

#endif
