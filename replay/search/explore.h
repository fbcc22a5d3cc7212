/* Every schedule that the trace allows: which message a wildcard receive takes, which request a
 * waitany reports, which sends are buffered. Depth first, with sleep sets: two decisions at
 * different receivers commute, so only one of their orders is looked at. */
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
    REPLAY_VERDICT_DEADLOCK,   /* proved, with a schedule that leads there */
    REPLAY_VERDICT_NONE,       /* in no schedule of this trace (SEARCH_REST_NONE) */
    REPLAY_VERDICT_NOT_FOUND,  /* in none of N sampled schedules */
    REPLAY_VERDICT_CANNOT_SAY, /* reason says why */
    REPLAY_VERDICT_COUNT
};
const char *replay_verdict_text(
    enum replay_verdict verdict); /* "deadlock", "no deadlock in any schedule of this trace"... */

struct replay_explore_options {
    struct replay_policy
        policy; /* buffering, coll; seed for sampling. Its lists belong to the caller */
    bool sends; /* also branch on every standard send: buffered or not (policy.buffering is then not
                   used) */
    uint64_t runs_max; /* budget in schedules, of REPLAY_EXPLORE_OPS operations each; fewer of
                          larger programs. 0: REPLAY_EXPLORE_RUNS */
    bool no_reduction; /* brute force, to compare with */
    bool keep_going;   /* do not stop at the first deadlock: count them all */
    uint64_t shard, shard_count; /* only this share of the tree; 0, 0: all of it. runs_max counts
                                    for the share */
};
enum { REPLAY_EXPLORE_RUNS = 100000, REPLAY_EXPLORE_OPS = 200 };

struct replay_exploration {
    enum replay_verdict verdict;
    bool assumed; /* the schedule found makes a receive take another message than recorded: what the
                     program does then is an assumption, to be confirmed in the real job */
    enum search_rest rest; /* what was not run: NONE, THREADS, OVERTAKING, MORE or STOPPED */
    uint64_t runs;         /* schedules run to their end */
    uint64_t pruned;       /* cut off because an equal one had been looked at */
    uint64_t sampled;
    uint64_t deadlocks;   /* schedules that deadlock (keep_going) */
    uint64_t choices_max; /* longest list of decisions */
    uint64_t outcomes; /* different ends met: which message every receive took, and how it ended */
    uint64_t outcome_hash; /* of the set of them, independent of the order in which they were met */
    struct replay_policy *witness; /* repeats the deadlock; owned; NULL if none */
    uint32_t unbuffered, forced;   /* how many sends and matches the shrunk witness names */
    struct replay_result result;   /* of the witness; finished and empty if there is none */
    char *reason;                  /* for CANNOT_SAY; else NULL */
    uint32_t *position; /* of the witness in the tree: which branch at every node. Empty when it was
                           found by sampling */
    uint32_t position_count;
    uint32_t parts; /* merged into this one */
};

enum core_status replay_explore(const struct replay_program *program,
                                const struct replay_explore_options *options,
                                struct replay_exploration *out_exploration);

/* Shares: the tree cut into a fixed number of parts (replay/search/shares.h). */
enum { REPLAY_EXPLORE_SHARES = 16 };
/* Adds a part (left empty) to the sum; a zeroed sum to start with. Of several witnesses the first
 * in the tree counts, one without assumptions before one with. Then finish, once. */
enum core_status replay_exploration_merge(struct replay_exploration *sum,
                                          struct replay_exploration *part);
/* Runs the witness for sum->result, and words the verdict. */
enum core_status replay_exploration_finish(const struct replay_program *program,
                                           struct replay_exploration *sum);
/* A part as text: a few lines, no blank one at the end. Reading refuses what writing did not write:
 * CORE_BAD_FORMAT, without a report. */
enum core_status replay_exploration_write(const struct replay_exploration *part, FILE *file);
enum core_status replay_exploration_read(FILE *file, struct replay_exploration *out_part);

void replay_exploration_done(struct replay_exploration *exploration);

#endif
