/* Explains a wait for a lock: which rank holds it, and where that rank took it. */
#ifndef CHECKERS_HINT_LOCK_HOLDER_H
#define CHECKERS_HINT_LOCK_HOLDER_H

#include "checkers/finding.h"
#include "core/trace/ending.h"

/* Adds this explanation to a hang whose record is `ending`, for each lock that a rank of its core
 * waits for. Sets the remedy too, a different one if all holders wait for locks themselves. */
enum core_status hint_lock_holder_add(struct trace *trace, struct finding *finding,
                                      const struct ending *ending);

#endif
