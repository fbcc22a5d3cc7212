/* The calls on windows of a job, for whoever goes through them again in a world (reexec.c). Nothing
 * is moved there: who comes before whom does not depend on it. */
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
    bool any;                         /* windows */
    bool polls;                       /* looks whose choices are not known: MPI_Win_test... */
    bool unknown;                     /* the bytes of an operation */
};

enum core_status reexec_windows_new(struct trace *trace, const struct replay_program *program,
                                    const struct reexec_log *turns,
                                    struct reexec_windows *out_windows);
void reexec_windows_done(struct reexec_windows *windows);
/* Does an operation of the rank, in a world. comm: of one that makes a window; request: NULL: it
 * makes none. */
void reexec_windows_do(struct reexec_windows *windows, uint32_t rank, uint32_t op, MPI_Comm comm,
                       MPI_Request *request);
/* For a decision about a window: the rank whose operation is the answer, and which of its
 * operations; before: how many of the decisions about that lock had this answer before. False:
 * there is none. */
bool reexec_windows_find(const struct reexec_windows *windows, const struct world_decision *d,
                         int32_t answer, uint32_t before, uint32_t *out_rank, uint32_t *out_op);
/* Whether it is done at its target before its turn is over: MPI has no call for that between
 * fences. */
bool reexec_windows_certain(const struct reexec_windows *windows, uint32_t rank, uint32_t op);

static inline bool reexec_windows_is(const struct world_decision *d)
{
    return d->place && (decision_kind_of(d->number) == DECISION_MEMORY ||
                        decision_kind_of(d->number) == DECISION_LOCK);
}

#endif
