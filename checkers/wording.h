/* Puts records into words: what ranks wait for, how a job was ended. The launcher, the checkers and
 * replay all take their words from here and from wording_misuse.h; no code parses them.
 *
 * Invariants
 *  1. Each kind of record has words: the tables are as long as their enums.
 *  2. No list of ranks is cut: long ones are written as spans. */
#ifndef CHECKERS_WORDING_H
#define CHECKERS_WORDING_H

#include <stdint.h>
#include <stdio.h>

#include "core/trace/ending.h"

/* Writes all the ranks, which are ascending: "rank 1", "ranks 0 and 1", "ranks 0-2", "ranks 0-19,
 * 21 and 22"; with joint " or ", "ranks 0, 1 or 2". joint: " and ", " or ". */
void wording_ranks(FILE *file, const uint32_t *rank, uint32_t count, const char *joint);
/* Returns the ranks for a column of a table: "rank 1", "ranks 0-19,21-23". Free with free(); NULL:
 * out of memory. */
char *wording_ranks_short(const uint32_t *rank, uint32_t count);
/* Say how ranks differ, where rank[i] has value[i]. The rarest value comes first: "root 1 on rank
 * 2, root 0 on ranks 0, 1 and 3". For calls: "rank 2 calls MPI_Barrier where 23 others call
 * MPI_Bcast". Free with free(); NULL: out of memory. */
char *wording_differing(const char *const *value, const uint32_t *rank, uint32_t count);
char *wording_calling(const char *const *call, const uint32_t *rank, uint32_t count);
/* Says that some ranks never call a collective, the smaller group first: "rank 2 leaves out
 * MPI_Reduce, which 25 others call", "rank 2 calls MPI_Reduce, which 25 others leave out". Free
 * with free(); NULL: out of memory. */
char *wording_missing(const char *call, const uint32_t *missing, uint32_t missing_count,
                      const uint32_t *there, uint32_t there_count);
/* Does the same as wording_ranks but returns text, for messages of bounded length. Free with
 * free(); NULL: out of memory. */
char *wording_ranks_text(const uint32_t *rank, uint32_t count, const char *joint);

/* Writes one thing that a call waits for: "rank 1", "ranks 1 or 2", "any message, from ranks 0 or
 * 1", "rank 1, which has come to its end", "a call that no rank can make any more". */
void wording_wait(FILE *file, const struct ending *ending, const struct ending_wait *wait);
/* Writes all that the call waits for: "ranks 1 and 2, and for any message, from ranks 0 or 3". */
void wording_waits(FILE *file, const struct ending *ending, const struct ending_call *call);
/* The same as text. Free with free(); NULL: out of memory. */
char *wording_waits_text(const struct ending *ending, const struct ending_call *call);
/* Returns what the awaited rank would have to do: "to receive the message". */
const char *wording_need(enum ending_need need);
/* Tells whether the waiting rank itself would have to act, which the words of the wait then say. */
bool wording_need_is_own(enum ending_need need);

/* Tells whether the proof rests on time: a call counts as blocked because nothing in it moved for
 * seconds, although MPI does not require another rank to act first. */
bool wording_rests(const struct ending *ending);

/* Describes the deadlock. Free with free(); NULL: out of memory. */
char *wording_deadlock_text(const struct ending *ending);
/* Says in one sentence how the job was ended; NULL: it was not ended, or out of memory. Free with
 * free(). */
char *wording_ending(const struct ending *ending);
/* Describes a running job that seems to hang after quiet_s quiet seconds. Its ranks have the roles
 * INSIDE, POLLS and OUTSIDE. long_calls: some ranks are in calls that may take long. Free with
 * free(); NULL: out of memory. */
char *wording_quiet(const struct ending *seen, uint32_t quiet_s, bool long_calls);

/* Returns "SIGSEGV (signal 11, segmentation fault)". Free with free(); NULL: out of memory. */
char *wording_signal(int64_t number);
/* Tells whether programs raise the signal by their own acts, rather than someone from outside. */
bool wording_signal_is_own(int64_t number);
/* Returns the meaning of si_code as a sentence; NULL: it has none to tell. si_code INT64_MIN:
 * unknown. */
const char *wording_signal_cause(int64_t number, int64_t si_code);

#endif
