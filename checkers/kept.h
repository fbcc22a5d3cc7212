/* Findings that a command left in the trace, as what they say is not in its events. */
#ifndef CHECKERS_KEPT_H
#define CHECKERS_KEPT_H

#include <jansson.h>

#include "checkers/finding.h"

/* Adds the finding that such an object (finding_json) says, of that rule. */
enum core_status kept_finding_add(struct trace *trace, const json_t *object, enum rule_id rule,
                                  struct finding_list *list);

#endif
