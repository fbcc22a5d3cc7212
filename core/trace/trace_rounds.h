/* Leaves rounds of loops out of a trace, for the code that judges it.
 *
 * A program that repeats the same calls round after round can be judged by a few rounds, if the
 * rounds are closed: after each round no request is active, each sent message has its receive, and
 * all members entered each collective. Then requests, channels and communicators have the same
 * state before and after a round, in each rank, and no call waits for a call of another round,
 * except that a rank makes its calls in order. So whether the calls of a round can block, fit each
 * other, or lack a partner depends on the round alone; and all rounds have the same calls.
 *
 * E.g. two ranks, each with a million rounds of Irecv, Isend, Waitall: the first rounds and the
 * last two stay. Calls keep their numbers; cursors skip the rounds that are left out.
 *
 * Rounds are left out only if all this follows from the trace. Everywhere in the trace: one thread
 * a rank, whole records, no errors, no receives, probes or completions with a choice (any source or
 * tag, any or some requests), no buffered, ready, cancelled or partitioned messages, no locks of
 * windows but MPI_Win_lock_all, and no dynamic processes. In the rounds: only calls that send,
 * receive, wait for a message, start, complete, access windows, are collectives, fences or local;
 * and no call with further records (contents, misuse, stacks).
 *
 * If the trace has other calls as well (files, tests, probes, posts of windows), a rank can wait
 * for an act of another rank behind the loop. The set of ranks that must enter a round before a
 * rank can leave another one grows from round to round, at most as often as there are ranks: so
 * that many rounds stay, and more rounds change nothing.
 *
 * Unordered accesses of two rounds are found as well: if something orders the accesses of two
 * consecutive rounds, it also orders those of rounds further apart, since each rank makes its calls
 * in order. */
#ifndef CORE_TRACE_TRACE_ROUNDS_H
#define CORE_TRACE_TRACE_ROUNDS_H

#include "core/trace/trace.h"

/* Looks for such rounds. From then on cursors skip them, and trace_messages_each skips their
 * messages; all other functions see every call. No cursor may be open. */
enum core_status trace_rounds_leave(struct trace *trace);
/* Returns how many calls are left out. */
uint64_t trace_rounds_left(const struct trace *trace);
/* Shows all calls to cursors (true), or skips those that are left out (false). No cursor may be
 * open. */
void trace_rounds_show(struct trace *trace, bool all);
/* Leaves nothing out any more. No cursor may be open. */
void trace_rounds_restore(struct trace *trace);

#endif
