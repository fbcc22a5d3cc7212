/* Whose turn it is, under order=explore. Of windows: who gets a lock next, and whose operation is
 * done next, is decided for each part (a member's memory) by itself, one after the other. Only
 * operations that conflict are told apart: those that touch the same bytes, unless both only read,
 * or both accumulate with the same operation and nobody sees what was there. Operations are done as
 * late as MPI allows.
 *
 * Of the threads of a rank: which of two calls on one communicator comes first, where that can be
 * seen: sends to one rank, receives and probes that may get the same message, collectives.
 *
 * Such a decision is named by the rank whose memory or threads these are, and a number that tells
 * windows, locks and communicators apart; its answer is the rank, or the thread, that goes on. */
#ifndef WORLD_EXCHANGE_EXPLORE_TURN_H
#define WORLD_EXCHANGE_EXPLORE_TURN_H

#include "world/exchange/explore.h"
#include "world/exchange/rma.h"

/* The running rank waits until its operation may be done. */
void world_turn_await(const struct world_rma *rma);
/* Until it may have the lock; it takes it at once. */
void world_turn_lock(MPI_Win win, struct world_part *part, bool exclusive);
void world_turn_unlocked(struct world_part *part, bool exclusive);

/* For explore.c: the decision that a waiting rank's is one of; NULL: one before it speaks for
 * all. */
struct world_decider *world_turn_of(struct world_decider *asks);
/* Whom the answer of the decision names; NULL: that one does not ask. */
struct world_decider *world_turn_asks(const struct world_decider *decider, int32_t answer);
void world_turn_options(const struct world_decider *decider);
void world_turn_given(struct world_decider *decider, const struct world_decider *asks);

#endif
