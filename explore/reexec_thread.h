/* The threads of a job's ranks: which operations each of them did, and behind which of another
 * thread's they came: a thread begins behind what its maker did before, and who joins it, or uses a
 * request that it made, goes on behind that. Nothing else is taken for an order: what threads agree
 * on by other means is not known, and an order that they do not have cannot be given to a job. */
#ifndef EXPLORE_REEXEC_THREAD_H
#define EXPLORE_REEXEC_THREAD_H

#include "core/trace/trace.h"
#include "explore/reexec_log.h"
#include "replay/program/program.h"

struct reexec_thread {
    uint32_t number; /* in schedules; the first of a rank is 0 */
    uint32_t maker;  /* index of a thread */
    uint64_t made;   /* behind its calls up to that */
    uint32_t *op;    /* owned: of the rank's operations, in their order */
    uint32_t op_count, op_room;
};

struct reexec_order { /* of a rank's operations, of different threads */
    uint32_t op, behind;
};

struct reexec_rank_threads {
    struct reexec_thread *thread; /* owned; [0]: the first one */
    uint32_t count, room;
    struct reexec_order *order; /* owned, by op */
    uint32_t order_count, order_room;
    bool unknown; /* of some it is not known which they are, or who made them */
};

enum core_status reexec_threads_read(const struct replay_program *program, uint32_t rank,
                                     const struct reexec_log *turns,
                                     struct reexec_rank_threads *out_threads);
void reexec_threads_done(struct reexec_rank_threads *threads);
/* The thread that a decision, or a send, of this number is of, and which of its own it is: from 1;
 * NULL: none. */
const struct reexec_thread *reexec_threads_of(const struct reexec_rank_threads *threads,
                                              uint32_t number, uint32_t *out_own);

#endif
