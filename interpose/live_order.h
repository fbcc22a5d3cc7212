/* Enforces the order of accesses to a window and its lock, and of the threads of a rank, that a
 * schedule of order=explore gives (world/exchange/explore_access.h). Each access or thread waits
 * for its place; accesses that the schedule does not name follow those that it names.
 *
 * The recorder keeps an access to a window when it is called, and issues it when its place has
 * come: at once, at a later call of its rank, or at the call that completes it. It then flushes the
 * access, so that it is done at its target before the next one follows. (Between fences, or
 * MPI_Win_start and MPI_Win_complete, MPI has no call for that: there the next access follows when
 * the library has accepted the one before.) A look (MPI_Win_sync) waits for its place, and so do
 * locks and the calls of threads. A call that has its place and does not return at once counts as
 * begun.
 *
 * A thread whose place has come holds the lock of the order meanwhile. With ORDER_LOG_VARIABLE the
 * recorder writes each place to a log (core/decision/order_log.h), also those that no schedule
 * names: windows are then ordered, too.
 *
 * interpose/threads reports when threads begin and join; without that library threads are not
 * ordered.
 *
 * A thread that has waited long, while no other thread advanced in the schedule, reports it, and
 * the job continues without order. Ranks on several machines are not ordered. */
#ifndef INTERPOSE_LIVE_ORDER_H
#define INTERPOSE_LIVE_ORDER_H

#include "interpose/recorder.h"
#include "replay/policy/policy.h"

extern struct live_order {
    bool on;      /* the schedule names an order, or the log wants one */
    bool windows; /* windows are ordered */
    bool threads;
    bool fewer; /* some sends must have no buffer */
} turns;

/* Called when MPI runs, before any communication. */
void live_order_start(const struct replay_policy *policy);
/* Called before each call of this thread; waits: the call may wait for another rank. */
void live_order_before(bool waits);
/* Notes the call that the thread is in. */
void live_order_came(uint64_t seq);
/* Called when the call is back. */
void live_order_after(void);
/* Returns the counts of this thread's decisions and sends so far. */
struct decision_count *live_order_decisions(void);

void live_order_comm_made(MPI_Comm comm, uint64_t seq);
void live_order_sends(MPI_Comm comm, int dest);
void live_order_receives(MPI_Comm comm, int source);
void live_order_probes(MPI_Comm comm, int source);
void live_order_collective(MPI_Comm comm);

/* Collective over the window's ranks. */
void live_order_window_made(struct lane *lane, MPI_Win win, MPI_Comm comm);
void live_order_window_free(MPI_Win win);
/* Completes what is pending; target: -1: all. */
void live_order_complete(MPI_Win win, int target);
/* Returns the origins' buffers to the program. */
void live_order_complete_local(MPI_Win win, int target);
/* Notes that this rank locks the target (-1: all), or no longer does. */
void live_order_held(MPI_Win win, int target, bool held);
/* Called before MPI_Win_sync; site: its call site. If the rank did nothing since its last look from
 * that site, this look is a poll, which may find nothing new. */
void live_order_look(MPI_Win win, uint32_t site, uint64_t seq);

/* Replace the calls of the same names. */
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
