/* The order of accesses to windows, and of threads, in a job on the real library: a file that all
 * its ranks map. It has the head, then the rows, then private data of interpose/live_order.c. A row
 * names a decision as a policy does, by rank and number (decision.h), with its answer; or records
 * how a thread of a rank began or ended. Threads are numbered in the order of their creation; the
 * calls up to number `seq` began before. */
#ifndef CORE_DECISION_ORDER_LOG_H
#define CORE_DECISION_ORDER_LOG_H

#include <stdint.h>

#define ORDER_LOG_VARIABLE "CROSSWAIT_TURNS" /* the folder */
#define ORDER_LOG_FILE "turns"

enum { ORDER_LOG_ROWS_MAX = 1 << 16 };

enum order_log_kind {
    ORDER_LOG_NONE,          /* not completely written */
    ORDER_LOG_DONE,          /* the operation that `answer` names was done as `number` */
    ORDER_LOG_THREAD_MADE,   /* thread `number`, by thread `answer` */
    ORDER_LOG_THREAD_JOINED, /* thread `number`, by thread `answer` */
    ORDER_LOG_THREAD_CALLS,  /* the first call of thread `number` */
    ORDER_LOG_COMM_MADE      /* the call created the communicator that is object `number` */
};
struct order_log_row {
    uint32_t rank, number;
    int32_t answer;
    uint32_t kind;
    uint64_t seq; /* call of a poll, or of a thread */
};
struct order_log_head {
    uint32_t count; /* may exceed the room */
    uint32_t vague; /* not 0: the order of some accesses is unknown */
    uint32_t lost;  /* not 0: a rank timed out waiting for its place in the schedule */
    uint32_t unused;
};

#endif
