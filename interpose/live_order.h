/* Orders accesses to a window and its lock, and the threads of a rank, under a schedule of
 * order=explore (world/exchange/explore_access.h). Each waits for its turn; accesses that the
 * schedule does not name come behind those that it names.
 *
 * An access to a window is kept when it is called, and done when its turn has come: at once, at a
 * later call of its rank, or at the call that completes it; and flushed, so that it is done at
 * its target before the next has its turn. (Between fences, or MPI_Win_start and MPI_Win_complete,
 * MPI has no call for that: there the next comes when the library has taken the one before.) A look
 * (MPI_Win_sync) waits for its turn, and so do locks and the calls of threads. A call that has its
 * turn and does not return at once is taken to have begun.
 *
 * A thread whose turn it is holds the lock of the order meanwhile. With ORDER_LOG_VARIABLE the
 * recorder writes each turn to a log (core/decision/order_log.h), also those that no schedule
 * names: windows have turns then.
 *
 * interpose/threads reports when threads begin and join; without that library they have no turns.
 *
 * A thread that has waited for long while nobody had a turn reports it, and the job goes on without
 * turns. Ranks of several machines have none. */
#ifndef INTERPOSE_LIVE_ORDER_H
#define INTERPOSE_LIVE_ORDER_H

#include "interpose/recorder.h"
#include "replay/policy/policy.h"

extern struct live_order {
    bool on;      /* the schedule names some, or those that were had are to be written down */
    bool windows; /* of windows, and they can be had */
    bool threads;
    bool fewer; /* some sends are to have no buffers */
} turns;

/* With MPI on, and before anything is done. */
void live_order_start(const struct replay_policy *policy);
/* Before each call, of this thread; waits: it may wait for another rank. */
void live_order_before(bool waits);
/* The same thread is in this call. */
void live_order_came(uint64_t seq);
/* The call is back. */
void live_order_after(void);
/* Counts what this thread has decided and sent so far. */
struct decision_count *live_order_decisions(void);

void live_order_comm_made(MPI_Comm comm, uint64_t seq);
void live_order_sends(MPI_Comm comm, int dest);
void live_order_receives(MPI_Comm comm, int source);
void live_order_probes(MPI_Comm comm, int source);
void live_order_collective(MPI_Comm comm);

/* Collective over the window's ranks. */
void live_order_window_made(struct lane *lane, MPI_Win win, MPI_Comm comm);
void live_order_window_free(MPI_Win win);
/* target: -1: all. What is pending is done. */
void live_order_complete(MPI_Win win, int target);
/* Their origins' buffers are the program's again. */
void live_order_complete_local(MPI_Win win, int target);
/* target: -1: all. This rank locks it from now on, or no longer. */
void live_order_held(MPI_Win win, int target, bool held);
/* Before MPI_Win_sync; site: from where. Again from there, with nothing done since, it is a poll,
 * which may fail. */
void live_order_look(MPI_Win win, uint32_t site, uint64_t seq);

/* In place of the calls of the same names. */
int live_order_Win_lock(int type, int rank, int assert, MPI_Win win);
int live_order_Put(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                   int target_count, MPI_Datatype target_type, MPI_Win win);
int live_order_Get(void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                   int target_count, MPI_Datatype target_type, MPI_Win win);
int live_order_Accumulate(const void *origin, int count, MPI_Datatype type, int target,
                          MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op,
                          MPI_Win win);
int live_order_Get_accumulate(const void *origin, int count, MPI_Datatype type, void *result,
                              int result_count, MPI_Datatype result_type, int target, MPI_Aint disp,
                              int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int live_order_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target,
                            MPI_Aint disp, MPI_Op op, MPI_Win win);
int live_order_Compare_and_swap(const void *origin, const void *compare, void *result,
                                MPI_Datatype type, int target, MPI_Aint disp, MPI_Win win);
int live_order_Rput(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                    int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int live_order_Rget(void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                    int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int live_order_Raccumulate(const void *origin, int count, MPI_Datatype type, int target,
                           MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op,
                           MPI_Win win, MPI_Request *request);
int live_order_Rget_accumulate(const void *origin, int count, MPI_Datatype type, void *result,
                               int result_count, MPI_Datatype result_type, int target,
                               MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op,
                               MPI_Win win, MPI_Request *request);

#endif
