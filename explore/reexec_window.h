/* Executes a job's calls on windows again in a world (reexec.c). They move no data, as the order of
 * accesses does not depend on it. */
#ifndef EXPLORE_REEXEC_WINDOW_H
#define EXPLORE_REEXEC_WINDOW_H

#include <mpi.h>

#include "core/trace/trace.h"
#include "explore/reexec_log.h"
#include "replay/program/program.h"
#include "world/world.h"

struct mirror_rank_windows;

struct reexec_windows {
    uint32_t rank_count;
    struct mirror_rank_windows *rank; /* owned, by rank */
    bool any;                         /* the job has windows */
    bool polls;                       /* polls whose results the trace does not tell:
                                         MPI_Win_test and others */
    bool unknown;                     /* the bytes that some operation accesses are unknown */
};

enum core_status reexec_windows_new(struct trace *trace, const struct replay_program *program,
                                    const struct reexec_log *turns,
                                    struct reexec_windows *out_windows);
void reexec_windows_done(struct reexec_windows *windows);
/* Executes an operation of the rank in a world. comm: for a call that creates a window; request:
 * NULL if the call makes none. */
void reexec_windows_do(struct reexec_windows *windows, uint32_t rank, uint32_t op, MPI_Comm comm,
                       MPI_Request *request);
/* Finds the operation that the answer to a decision about a window stands for, and its rank.
 * before: how many earlier decisions about that window had the same answer. False if there is none.
 */
bool reexec_windows_find(const struct reexec_windows *windows, const struct world_decision *d,
                         int32_t answer, uint32_t before, uint32_t *out_rank, uint32_t *out_op);
/* Tells whether the operation is complete at its target before the next access may start: MPI has
 * no call for that between fences. */
bool reexec_windows_certain(const struct reexec_windows *windows, uint32_t rank, uint32_t op);

static inline bool reexec_windows_is(const struct world_decision *d)
{
    return d->place && (decision_kind_of(d->number) == DECISION_MEMORY ||
                        decision_kind_of(d->number) == DECISION_LOCK);
}

#endif
