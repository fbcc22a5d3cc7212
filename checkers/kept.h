/* Reads back findings that a command left in the trace because the events do not show them. */
#ifndef CHECKERS_KEPT_H
#define CHECKERS_KEPT_H

#include <jansson.h>

#include "checkers/finding.h"

/* Adds the finding of that rule that the object (finding_json) describes. */
enum core_status kept_finding_add(struct trace *trace, const json_t *object, enum rule_id rule,
                                  struct finding_list *list);

#endif
