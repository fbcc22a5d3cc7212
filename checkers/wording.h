/* The one place, with wording_misuse.h, that makes words of records: what ranks wait for, how a job
 * was ended. Whoever has such a record (launcher, checkers, replay) asks here; nobody reads the
 * words back.
 *
 * Invariants
 *  1. Every kind of a record has its words: the tables are as long as their enums.
 *  2. No list of ranks is cut: many are named as spans. */
#ifndef CHECKERS_WORDING_H
#define CHECKERS_WORDING_H

#include <stdint.h>
#include <stdio.h>

#include "core/trace/ending.h"

/* All of them, ascending: "rank 1", "ranks 0 and 1", "ranks 0-2", "ranks 0-19, 21 and 22"; where
 * one of them is meant, "ranks 0, 1 or 2". joint: " and ", " or ". */
void wording_ranks(FILE *file, const uint32_t *rank, uint32_t count, const char *joint);
/* The same for a column, not for a sentence: "rank 1", "ranks 0-19,21-23". Free with free(); NULL:
 * out of memory. */
char *wording_ranks_short(const uint32_t *rank, uint32_t count);
/* Words for a difference between ranks: rank i has value[i]. The value that the fewest ranks have
 * comes first: "root 1 on rank 2, root 0 on ranks 0, 1 and 3". Of calls: "rank 2 calls MPI_Barrier
 * where 23 others call MPI_Bcast". Free with free(); NULL: out of memory. */
char *wording_differing(const char *const *value, const uint32_t *rank, uint32_t count);
char *wording_calling(const char *const *call, const uint32_t *rank, uint32_t count);
/* Words for a collective that some never call, the fewer first: "rank 2 leaves out MPI_Reduce,
 * which 25 others call", "rank 2 calls MPI_Reduce, which 25 others leave out". Free with free();
 * NULL: out of memory. */
char *wording_missing(const char *call, const uint32_t *missing, uint32_t missing_count,
                      const uint32_t *there, uint32_t there_count);
/* The same as text, for messages of bounded length. Free with free(); NULL: out of memory. */
char *wording_ranks_text(const uint32_t *rank, uint32_t count, const char *joint);

/* Words for one thing that a call waits for: "rank 1", "ranks 1 or 2", "any message, from ranks 0
 * or 1", "rank 1, which has come to its end", "what no rank can do any more". */
void wording_wait(FILE *file, const struct ending *ending, const struct ending_wait *wait);
/* All that the call waits for: "ranks 1 and 2, and for any message, from ranks 0 or 3". */
void wording_waits(FILE *file, const struct ending *ending, const struct ending_call *call);
/* Free with free(); NULL: out of memory. */
char *wording_waits_text(const struct ending *ending, const struct ending_call *call);
/* Words for the action that a rank which is waited for would have to take: "to receive the
 * message". */
const char *wording_need(enum ending_need need);
/* Whether it is the rank's own to do, which the words of the wait say. */
bool wording_need_is_own(enum ending_need need);

/* Whether the proof takes a call for blocked since nothing of it moved for seconds: MPI says of no
 * other rank that it has to do something first. */
bool wording_rests(const struct ending *ending);

/* Free with free(); NULL: out of memory. */
char *wording_deadlock_text(const struct ending *ending);
/* One sentence on how the job was ended; NULL: it was not, or out of memory. Free with free(). */
char *wording_ending(const struct ending *ending);
/* Words about a job that runs and seems to hang, after quiet_s seconds: its ranks are of the
 * roles INSIDE, POLLS and OUTSIDE. long_calls: some are in calls that may take long. Free with
 * free(); NULL: out of memory. */
char *wording_quiet(const struct ending *seen, uint32_t quiet_s, bool long_calls);

/* "SIGSEGV (signal 11, segmentation fault)". Free with free(); NULL: out of memory. */
char *wording_signal(int64_t number);
/* Whether programs bring it about by what they do, and not somebody from outside. */
bool wording_signal_is_own(int64_t number);
/* The meaning of si_code, as a sentence; NULL: nothing. INT64_MIN: it is not known. */
const char *wording_signal_cause(int64_t number, int64_t si_code);

#endif
