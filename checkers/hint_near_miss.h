/* Explains why no message matches a waiting receive, or no receive matches a send: an operation
 * that differs in only one thing, or a persistent request that no rank started. */
#ifndef CHECKERS_HINT_NEAR_MISS_H
#define CHECKERS_HINT_NEAR_MISS_H

#include "checkers/check.h"
#include "checkers/finding.h"
#include "replay/logical/run.h"

/* Adds to a deadlock of this run, for the calls that block each other, the operations that nearly
 * match. It states only what is on record. */
enum core_status hint_near_miss_add(const struct check_input *input, struct finding *finding,
                                    const struct replay_result *result);

#endif
