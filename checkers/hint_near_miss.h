/* Explains why no message matches a waiting receive, or no receive matches a send: an operation
 * that differs in only one thing, or a persistent request that no rank started. */
#ifndef CHECKERS_HINT_NEAR_MISS_H
#define CHECKERS_HINT_NEAR_MISS_H

#include "checkers/check.h"
#include "checkers/finding.h"
#include "replay/logical/run.h"

struct hint_tag_miss { /* a message and a waiting receive that differ in the tag alone */
    bool is;
    struct finding_link send, receive;
    int32_t send_tag, receive_tag;
};

/* Adds to a deadlock of this run, for the calls that block each other, the operations that nearly
 * match. It states only what is on record. out_tag: the first pair that differs in the tag. */
enum core_status hint_near_miss_add(const struct check_input *input, struct finding *finding,
                                    const struct replay_result *result,
                                    struct hint_tag_miss *out_tag);

#endif
