/* Orders turns under order=explore. At windows a decision for each part (a member's memory) says
 * which rank gets a lock next, and whose operation is done next. Only operations that conflict are
 * distinguished: those that touch the same bytes, unless both only read, or both accumulate by the
 * same operation and nobody sees what was there. Operations are done as late as MPI allows, or
 * earlier: one that was called, and that its rank does not complete yet, may come before another
 * that conflicts with it, and before its target looks at the memory (MPI_Win_sync).
 *
 * A rank that looks in vain, again and again, waits: a look from the same place of the program at
 * what was looked at before, by a rank that did and heard of nothing else since, goes on once
 * something that the rank has looked at in that time was changed, or a message came, or when nobody
 * else can go on. So does an operation that brings something back and changes nothing: MPI_Get, or
 * a compare and swap that fails. Of these the first few do not wait, unless the rank is where it
 * was (ranks/same.c); then nothing is lost by that. What nobody waits for, and would change what is
 * looked at, is done.
 *
 * Threads of a rank are ordered where the program can see which of two calls on one communicator
 * comes first: sends to one rank, receives and probes that may get the same message, collectives;
 * and whether one that the program made, or a window or file, is freed before it is used.
 *
 * Such a decision is named by the rank whose memory or threads these are, and a number that tells
 * windows, locks and communicators apart; its answer is the rank, or the thread, that goes on; of
 * what is done to a window, the rank and how much it did to that memory before: the rank plus so
 * many times the number of ranks. */
#ifndef WORLD_EXCHANGE_EXPLORE_ACCESS_H
#define WORLD_EXCHANGE_EXPLORE_ACCESS_H

#include "world/exchange/explore.h"
#include "world/exchange/rma.h"

/* From now on the running rank's effect may be done; `turn` says what it touches, and how. */
void world_access_begin(struct world_effect *effect, const struct world_decider *turn);
/* Waits until it is done, or may be by the running rank. */
void world_access_complete(const struct world_effect *effect, const char *why);
/* The running rank does something at once, as soon as it may. False: it looks once more, and nobody
 * can go on. */
bool world_access_take(const struct world_decider *turn, const char *why);
/* Whether both touch the same. */
bool world_access_meets(const struct world_decider *a, const struct world_decider *b);
/* Waits until the running rank may go on with the turn. */
void world_access_ask(const struct world_decider *turn, const char *why);
/* It was done, and changed something. */
void world_access_happened(const struct world_decider *turn);
/* It was done, and changed nothing. */
void world_access_looked(const struct world_rma *rma);
/* The running rank has called it. */
void world_access_called(struct world_rma *rma);
/* The running rank looks at its own memory; false as above. */
bool world_access_look(MPI_Win win);
/* The running rank itself is about to load from its own memory, or to store there: at that byte
 * first; NULL: that is not known. */
void world_access_touch(struct world_part *part, const void *at, bool writes);
/* For explore.c: such a look goes on. */
void world_access_failed(struct world_decider *look);
void world_access_lock_all(MPI_Win win);
/* Until it may have the lock; it takes it at once. */
void world_access_lock(struct world_part *part, bool exclusive);
void world_access_unlocked(struct world_part *part, bool exclusive);

/* For explore.c: the decision that a waiting rank's is one of; NULL: one before it speaks for
 * all. */
struct world_decider *world_access_of(struct world_decider *asks);
/* With world_options.turns: the decision at the memory of a window, for which nobody waits. */
struct world_decider *world_access_rest(const struct world_handle *window);
/* Whom the answer of the decision names; NULL: that one does not ask. */
struct world_decider *world_access_asks(const struct world_decider *decider, int32_t answer);
void world_access_options(const struct world_decider *decider);
/* Among the turns just reported, the one that is next in the order of world_options.turns, or in
 * one in which all that conflicts has the same order; WORLD_ANSWER_NEVER: it has yet to ask. */
int32_t world_access_recorded(const struct world_decider *decider);
/* The same whenever what conflicts came before it in the same order. */
uint64_t world_access_mark(const struct world_decider *asks);
/* Alternatives to the turn; where it was free they need not have been possible. */
void world_access_others(const struct world_decider *decider);
void world_access_given(struct world_decider *decider, struct world_decider *asks);

#endif
