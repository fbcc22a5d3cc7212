/* The turns that a job on the real library took, in a file that all its ranks have mapped: these,
 * then `turn`, then what interpose/live_order.c keeps for each row of turns. Everything that is
 * written there is as in a policy: the decision's rank and number, and who had it. And how the
 * threads of a rank begin and end, which are numbered as it made them; calls up to that with the
 * number `seq` were begun before. */
#ifndef REPLAY_POLICY_ORDER_LOG_H
#define REPLAY_POLICY_ORDER_LOG_H

#include <stdint.h>

#define REPLAY_TURNS_VARIABLE "CROSSWAIT_TURNS" /* the folder */
#define REPLAY_TURNS_FILE "turns"

enum { REPLAY_TURNS_MAX = 1 << 16 };

enum replay_turn_kind {
    REPLAY_TURN_NONE, /* it is not all there */
    REPLAY_TURN_HAD,
    REPLAY_TURN_MADE,   /* thread `number`, by thread `answer` */
    REPLAY_TURN_JOINED, /* the same */
    REPLAY_TURN_CAME,   /* the call is of thread `number` */
    REPLAY_TURN_COMM    /* the call made the communicator that is object `number` */
};
struct replay_turn {
    uint32_t rank, number;
    int32_t answer;
    uint32_t kind;
    uint64_t seq; /* of a look or of a thread's turn: the call */
};
struct replay_turns {
    uint32_t count; /* may be more than there is room for */
    uint32_t vague; /* not 0: the order of some is not known */
    uint32_t lost;  /* not 0: somebody waited for a turn in vain */
    uint32_t unused;
};

#endif
