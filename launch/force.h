/* The job itself, again, under a schedule that replay found: does it hang in truth? */
#ifndef LAUNCH_FORCE_H
#define LAUNCH_FORCE_H

#include <stdbool.h>

#include "core/trace/trace.h"
#include "replay/policy/policy.h"

enum force_outcome {
    FORCE_HUNG,    /* a deadlock was proven by the launcher, and the job ended */
    FORCE_ENDED,   /* the job ran through: as many ranks as recorded came to their ends */
    FORCE_FAILED,  /* it ended in another way, or did not run */
    FORCE_BUDGET,  /* neither within the time given */
    FORCE_UNTURNED /* it ended, but not everybody had the turn that the policy names */
};
const char *force_outcome_text(enum force_outcome outcome);

struct force_result {
    enum force_outcome outcome;
    bool stalled;   /* FORCE_BUDGET: nothing moved any more */
    uint32_t ranks; /* of the MPI job that came of the command; 0: none did */
    int status;     /* of the command, as a shell has it */
    char *verdict;  /* the launcher's sentence; may be NULL */
    char *trace;    /* of the live run; NULL if there is none */
};

/* The policy in the words that the preloaded library takes (CROSSWAIT_POLICY): sends and
 * receives are named by how many of their kind came before, which does not change when a program
 * polls more or less often. To be freed. Refuses what cannot be had live. */
enum core_status force_policy_text(struct trace *trace, const struct replay_policy *policy,
                                   char **out_text);

/* Runs the command under the policy, watched, for at most budget_s seconds, and no longer than
 * until nothing has moved for stall_s (0: no limit); its trace goes to output. Without a trace the
 * policy names calls by their numbers only, and rank_count says how many ranks there are, 0 if that
 * is not known. */
enum core_status force_run(struct trace *trace, uint32_t rank_count,
                           const struct replay_policy *policy, char **command, const char *output,
                           double budget_s, double stall_s, struct force_result *out_result);
void force_result_done(struct force_result *result);

#endif
