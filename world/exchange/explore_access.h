/* Orders turns under order=explore. A turn is an access whose order is a decision. At windows, a
 * decision for each part (a member's memory) says which rank gets a lock next, and whose operation
 * is done next. Only conflicting operations are ordered: those that touch the same bytes, unless
 * both only read, or both accumulate with the same operation and no rank sees the value before.
 * Operations are done as late as MPI allows, or earlier: one that was called and that its rank does
 * not complete yet may come before a conflicting one, and before its target looks at the memory
 * (MPI_Win_sync).
 *
 * A rank that repeats a failed poll (same call site, same bytes, no other event in between) is
 * suspended until one of the polled bytes changes, a message arrives, or no other rank can run. So
 * is an operation that returns something and changes nothing: MPI_Get, or a compare-and-swap that
 * fails. The first few of these are not suspended, unless the rank's state is unchanged
 * (ranks/poll_state.c): then nothing is lost by suspending it. A pending operation that would
 * change what is polled is done.
 *
 * Threads of a rank are ordered if the program can see which of two calls on one communicator comes
 * first: sends to one rank, receives and probes that may get the same message, collectives; and
 * whether a communicator that the program created, a window or a file is freed before it is used.
 *
 * Such a decision is named by the rank whose memory or threads are concerned, and a number that
 * distinguishes windows, locks and communicators. Its answer is the rank, or the thread, that
 * continues. For an operation on a window it is the rank plus (number of ranks) times (its earlier
 * operations on that memory). */
#ifndef WORLD_EXCHANGE_EXPLORE_ACCESS_H
#define WORLD_EXCHANGE_EXPLORE_ACCESS_H

#include "world/exchange/explore.h"
#include "world/exchange/rma.h"

/* Allows the running rank's effect to be done from now on; `turn` says what it touches, and how. */
void world_access_begin(struct world_effect *effect, const struct world_decider *turn);
/* Waits until the effect is done, or the running rank may do it. */
void world_access_complete(const struct world_effect *effect, const char *why);
/* Waits until the running rank may do its access, which the caller does at once. False: it is a
 * repeated poll and no rank can continue. */
bool world_access_take(const struct world_decider *turn, const char *why);
/* Tells whether both touch the same bytes. */
bool world_access_meets(const struct world_decider *a, const struct world_decider *b);
/* Waits until the running rank may go on with the turn. */
void world_access_ask(const struct world_decider *turn, const char *why);
/* Notes that the turn was done and changed something. */
void world_access_happened(const struct world_decider *turn);
/* Notes that the operation was done and changed nothing. */
void world_access_looked(const struct world_rma *rma);
/* Notes that the running rank has called the operation. */
void world_access_called(struct world_rma *rma);
/* Waits until the running rank may look at its own memory; returns as world_access_take. */
bool world_access_look(MPI_Win win);
/* Waits until the running rank itself may load from its memory or store there, first at that byte;
 * NULL: unknown. */
void world_access_touch(struct world_part *part, const void *at, bool writes);
/* For explore.c: lets such a poll continue. */
void world_access_failed(struct world_decider *look);
void world_access_lock_all(MPI_Win win);
/* Waits until the rank may have the lock; the caller takes it at once. */
void world_access_lock(struct world_part *part, bool exclusive);
void world_access_unlocked(struct world_part *part, bool exclusive);

/* For explore.c: returns the decision that the waiting turn belongs to; NULL if an earlier turn
 * stands for all. */
struct world_decider *world_access_of(struct world_decider *asks);
/* With world_options.turns: returns the decision at a window's memory that no rank waits for. */
struct world_decider *world_access_rest(const struct world_handle *window);
/* Returns the turn that the answer names; NULL if it does not ask. */
struct world_decider *world_access_asks(const struct world_decider *decider, int32_t answer);
void world_access_options(const struct world_decider *decider);
/* Returns, among the turns just reported, the next one in the order of world_options.turns, or in
 * an order in which conflicting turns are the same; WORLD_ANSWER_NEVER: it has not asked yet. */
int32_t world_access_recorded(const struct world_decider *decider);
/* Returns a hash that is equal if the conflicting turns before it came in the same order. */
uint64_t world_access_mark(const struct world_decider *asks);
/* Reports alternatives to the turn, whose answer the policy gave. */
void world_access_others(const struct world_decider *decider);
void world_access_given(struct world_decider *decider, struct world_decider *asks);

#endif
