/* The threads of a job's ranks: which operations each thread did, and which operations of other
 * threads they follow. A thread starts after what its creator did before; a thread that joins it,
 * or uses a request that it made, continues after it. Nothing else counts as an order: crosswait
 * does not see how threads synchronise by other means, and cannot give a job an order that its
 * threads do not have. */
#ifndef EXPLORE_REEXEC_THREAD_H
#define EXPLORE_REEXEC_THREAD_H

#include "core/trace/trace.h"
#include "explore/reexec_log.h"
#include "replay/program/program.h"

struct reexec_thread {
    uint32_t number; /* in schedules; 0 is the rank's first thread */
    uint32_t maker;  /* index of the thread that created it */
    uint64_t made;   /* number of the creator's last call before it */
    uint32_t *op;    /* owned: its operations of the rank, in order */
    uint32_t op_count, op_room;
};

struct reexec_order { /* operation `op` follows operation `behind` of another thread */
    uint32_t op, behind;
};

struct reexec_rank_threads {
    struct reexec_thread *thread; /* owned; [0] is the rank's first thread */
    uint32_t count, room;
    struct reexec_order *order; /* owned, sorted by op */
    uint32_t order_count, order_room;
    bool unknown; /* some operations belong to an unknown thread, or some thread has an unknown
                     creator */
};

enum core_status reexec_threads_read(const struct replay_program *program, uint32_t rank,
                                     const struct reexec_log *turns,
                                     struct reexec_rank_threads *out_threads);
void reexec_threads_done(struct reexec_rank_threads *threads);
/* Returns the thread that made the decision or send of this number, NULL if none did. *out_own:
 * which of the thread's own it is, from 1. */
const struct reexec_thread *reexec_threads_of(const struct reexec_rank_threads *threads,
                                              uint32_t number, uint32_t *out_own);

#endif
