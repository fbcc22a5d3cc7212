/* Why a message does not come to the receive that waits for it, or no receive to the send: one that
 * differs from what is waited for in one thing only, or a persistent request that nobody started.
 */
#ifndef CHECKERS_HINT_NEAR_MISS_H
#define CHECKERS_HINT_NEAR_MISS_H

#include "checkers/check.h"
#include "checkers/finding.h"
#include "replay/logical/run.h"

/* Adds to a deadlock of this run, for the calls that hold each other, operations that nearly match
 * what they wait for. Nothing is claimed of it but what is on record. */
enum core_status hint_near_miss_add(const struct check_input *input, struct finding *finding,
                                    const struct replay_result *result);

#endif
