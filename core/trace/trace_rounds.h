/* Rounds of loops left out of a trace, for whoever judges it.
 *
 * A program that makes the same calls round after round is judged by a few of the rounds, where
 * they are closed: after each round no request is active, each message that was sent has its
 * receive, and each collective was entered by all its members. Then the state of requests, channels
 * and communicators after a round is that before it, in each rank, and no call of a round waits for
 * one of another round, except that a rank comes to its own calls in their order. Whether the calls
 * of a round can block, fit each other, or lack a partner is decided within the round; and each
 * round has the same calls.
 *
 * E.g. two ranks, each with a million rounds of Irecv, Isend, Waitall: the first rounds and the
 * last two stay. Calls keep their numbers; cursors pass over the others.
 *
 * Rounds are left out only where all this follows from the trace: one thread a rank, whole records,
 * no errors, no receives, probes or completions that leave open which (of any source or tag, of any
 * or some requests), no buffered, ready, cancelled or partitioned messages, no locks of windows and
 * no dynamic processes anywhere in the trace; rounds whose calls send, receive, start, complete,
 * access windows, are collectives, fences or local; no call among them of which more was recorded
 * (contents, misuse, stacks).
 *
 * Where the trace has calls that are more than that (files, tests, posts of windows), a rank can
 * wait for what another rank does behind the loop. Which ranks have to come into a round before a
 * rank can leave another one grows from round to round, at most as often as there are ranks: so
 * many rounds stay, and nothing changes with more of them.
 *
 * Accesses of two rounds that nothing orders are found as well: if something orders those of two
 * rounds that follow each other, it orders those that lie further apart, since each rank makes its
 * calls in their order. */
#ifndef CORE_TRACE_TRACE_ROUNDS_H
#define CORE_TRACE_TRACE_ROUNDS_H

#include "core/trace/trace.h"

/* Looks for such rounds. From then on cursors pass over them, and trace_messages_each over their
 * messages; all else sees every call. No cursor is open. */
enum core_status trace_rounds_leave(struct trace *trace);
/* How many calls are left out. */
uint64_t trace_rounds_left(const struct trace *trace);
/* Cursors see all calls (true), or pass over those that are left out (false). No cursor is open. */
void trace_rounds_show(struct trace *trace, bool all);
/* Nothing is left out any more. No cursor is open. */
void trace_rounds_restore(struct trace *trace);

#endif
