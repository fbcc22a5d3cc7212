/* The order that a job on the real library took at windows and among threads: a file that all its
 * ranks map. First the head, then the rows, then what interpose/live_order.c keeps for itself. A
 * row names a decision as a policy does, by rank and number (decision.h), and its answer; or says
 * how a thread of a rank began or ended. Threads are numbered as their rank made them; calls up to
 * the one with the number `seq` were begun before. */
#ifndef CORE_DECISION_ORDER_LOG_H
#define CORE_DECISION_ORDER_LOG_H

#include <stdint.h>

#define ORDER_LOG_VARIABLE "CROSSWAIT_TURNS" /* the folder */
#define ORDER_LOG_FILE "turns"

enum { ORDER_LOG_ROWS_MAX = 1 << 16 };

enum order_log_kind {
    ORDER_LOG_NONE,          /* it was not written to its end */
    ORDER_LOG_DONE,          /* the operation of `answer` was done as `number` */
    ORDER_LOG_THREAD_MADE,   /* thread `number`, by thread `answer` */
    ORDER_LOG_THREAD_JOINED, /* the same */
    ORDER_LOG_THREAD_CALLS,  /* the first call of thread `number` */
    ORDER_LOG_COMM_MADE      /* the call made the communicator that is object `number` */
};
struct order_log_row {
    uint32_t rank, number;
    int32_t answer;
    uint32_t kind;
    uint64_t seq; /* the call of a poll, or of a thread */
};
struct order_log_head {
    uint32_t count; /* may be more than there is room for */
    uint32_t vague; /* not 0: the order of some is not known */
    uint32_t lost;  /* not 0: a rank timed out waiting for its place in the schedule */
    uint32_t unused;
};

#endif
