/* Explains that a receive failed after a probe: another thread received what the probe had found.
 */
#ifndef CHECKERS_HINT_PROBE_TAKEN_H
#define CHECKERS_HINT_PROBE_TAKEN_H

#include "checkers/finding.h"

/* Adds this explanation, and the help for it, to the failure of call `seq` of the rank, if the call
 * is a receive, its thread's last call for messages was a probe that found one, and since then
 * another thread received a message of that source and tag. */
enum core_status hint_probe_taken_add(struct trace *trace, struct finding *finding, uint32_t rank,
                                      uint64_t seq);

#endif
