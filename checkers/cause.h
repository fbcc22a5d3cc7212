/* Finds for each finding the one that it follows from, by the calls of both and a table of which
 * rule can cause which (cause.c). Reports show a symptom under its cause. */
#ifndef CHECKERS_CAUSE_H
#define CHECKERS_CAUSE_H

#include "checkers/finding.h"
#include "core/status.h"

/* Sets `cause` of each finding whose calls tie it to a finding that can have caused it: they share
 * a call, wait for a rank that gave up, or lack a call of such a rank. A cause with a cause of its
 * own is replaced by that one. Causes that a checker has set stay. */
enum core_status cause_find(struct finding_list *list);

#endif
