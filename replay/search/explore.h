/* Explores every schedule that the trace allows: which message a wildcard receive takes, which
 * request a waitany reports, which sends are buffered. It searches depth first, with sleep sets:
 * two decisions at different receivers commute, so it runs only one of their orders. */
#ifndef REPLAY_SEARCH_EXPLORE_H
#define REPLAY_SEARCH_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/search/rest.h"
#include "core/status.h"
#include "replay/policy/policy.h"
#include "replay/program/program.h"
#include "replay/logical/run.h"

enum replay_verdict {
    REPLAY_VERDICT_DEADLOCK,   /* proven, with a schedule that leads to it */
    REPLAY_VERDICT_NONE,       /* no schedule of this trace has one (SEARCH_REST_NONE) */
    REPLAY_VERDICT_NOT_FOUND,  /* none of N sampled schedules has one */
    REPLAY_VERDICT_CANNOT_SAY, /* see reason */
    REPLAY_VERDICT_COUNT
};
const char *replay_verdict_text(
    enum replay_verdict verdict); /* "deadlock", "no deadlock in any schedule of this trace"... */

struct replay_explore_options {
    struct replay_policy
        policy; /* buffering, coll; seed for sampling. Its lists belong to the caller */
    bool sends; /* also branches on every standard send: buffered or not (policy.buffering is then
                   ignored) */
    uint64_t runs_max; /* budget in schedules of REPLAY_EXPLORE_OPS operations each; fewer for
                          larger programs. 0: REPLAY_EXPLORE_RUNS */
    bool no_reduction; /* brute force, for comparison */
    bool keep_going;   /* counts all deadlocks instead of stopping at the first */
    uint64_t shard, shard_count; /* explores only this share of the tree; 0, 0: all. runs_max
                                    applies to the share */
};
enum { REPLAY_EXPLORE_RUNS = 100000, REPLAY_EXPLORE_OPS = 200 };

struct replay_exploration {
    enum replay_verdict verdict;
    bool assumed; /* in the schedule found, a receive takes another message than recorded: what the
                     program does then is an assumption, which the real job has to confirm */
    enum search_rest rest; /* what was not run: NONE, THREADS, OVERTAKING, MORE or STOPPED */
    uint64_t runs;         /* schedules run to their end */
    uint64_t pruned;       /* schedules cut off because an equal one had been examined */
    uint64_t sampled;
    uint64_t deadlocks;   /* schedules that deadlock (keep_going) */
    uint64_t choices_max; /* longest list of decisions */
    uint64_t outcomes; /* different ends: which message every receive took, and how the run ended */
    uint64_t outcome_hash; /* hash of that set, independent of the order in which they were found */
    struct replay_policy *witness; /* repeats the deadlock; owned; NULL if none */
    uint32_t unbuffered, forced;   /* sends and matches that the shrunk witness names */
    struct replay_result result;   /* result of the witness; finished and empty if there is none */
    char *reason;                  /* for CANNOT_SAY; else NULL */
    uint32_t *position; /* branch at each node of the tree that leads to the witness. Empty if
                           sampling found it */
    uint32_t position_count;
    uint32_t parts; /* number of parts merged into this one */
};

enum core_status replay_explore(const struct replay_program *program,
                                const struct replay_explore_options *options,
                                struct replay_exploration *out_exploration);

/* Number of shares into which the tree is cut (replay/search/shares.h). */
enum { REPLAY_EXPLORE_SHARES = 16 };
/* Adds a part, which is left empty, to the sum; the first sum is zeroed. A witness without
 * assumptions precedes one with assumptions; then the first in the tree counts. Call
 * replay_exploration_finish once afterwards. */
enum core_status replay_exploration_merge(struct replay_exploration *sum,
                                          struct replay_exploration *part);
/* Runs the witness for sum->result, and words the verdict. */
enum core_status replay_exploration_finish(const struct replay_program *program,
                                           struct replay_exploration *sum);
/* Write and read a part as text: a few lines, without a blank line at the end. Reading refuses any
 * other text: CORE_BAD_FORMAT, without a report. */
enum core_status replay_exploration_write(const struct replay_exploration *part, FILE *file);
enum core_status replay_exploration_read(FILE *file, struct replay_exploration *out_part);

void replay_exploration_done(struct replay_exploration *exploration);

#endif
