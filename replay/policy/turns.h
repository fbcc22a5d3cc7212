/* The turns that a job on the real library took, in a file that all its ranks have mapped: these,
 * then `turn`, then what interpose/turns.c keeps for each row of turns. Everything that is written
 * there is as in a policy: the decision's rank and number, and who had it. */
#ifndef REPLAY_POLICY_TURNS_H
#define REPLAY_POLICY_TURNS_H

#include <stdint.h>

#define REPLAY_TURNS_VARIABLE "CROSSWAIT_TURNS" /* the folder */
#define REPLAY_TURNS_FILE "turns"

enum { REPLAY_TURNS_MAX = 1 << 16 };

struct replay_turn {
    uint32_t rank, number;
    int32_t answer;
    uint32_t written; /* 1: it is all there */
    uint64_t seq;     /* of a look: the call */
};
struct replay_turns {
    uint32_t count; /* may be more than there is room for */
    uint32_t vague; /* not 0: the order of some is not known */
    uint32_t lost;  /* not 0: somebody waited for a turn in vain */
    uint32_t unused;
};

#endif
