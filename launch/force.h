/* Runs the real job again under a schedule that replay found, to see whether it hangs. */
#ifndef LAUNCH_FORCE_H
#define LAUNCH_FORCE_H

#include <stdbool.h>

#include "core/trace/trace.h"
#include "replay/policy/policy.h"

enum force_outcome {
    FORCE_HUNG,    /* the launcher proved a deadlock and ended the job */
    FORCE_ENDED,   /* the job finished: as many ranks as recorded ended normally */
    FORCE_FAILED,  /* the job ended in another way, or did not run */
    FORCE_BUDGET,  /* neither within the given time */
    FORCE_UNTURNED /* the job ended, but not every rank took the turn that the policy names */
};
const char *force_outcome_text(enum force_outcome outcome);

struct force_result {
    enum force_outcome outcome;
    bool stalled;   /* FORCE_BUDGET: nothing moved any more */
    uint32_t ranks; /* of the MPI job that the command started; 0: it started none */
    int status;     /* of the command, as a shell reports it */
    char *verdict;  /* the launcher's sentence; may be NULL */
    char *trace;    /* of the live run; NULL if there is none */
};

/* Writes the policy in the form that the preloaded library reads (CROSSWAIT_POLICY). It counts
 * sends and receives by kind, so the names stay valid when a program polls more or less often. The
 * caller frees the text. Refuses policies that cannot be forced on a real job. */
enum core_status force_policy_text(struct trace *trace, const struct replay_policy *policy,
                                   char **out_text);

/* Runs the command under the policy and the launcher's watch. Ends it after budget_s seconds, or
 * when nothing has moved for stall_s seconds (0: no limit). Writes the trace to output. If `trace`
 * is NULL, the policy names calls by number only, and rank_count is the number of ranks (0:
 * unknown). */
enum core_status force_run(struct trace *trace, uint32_t rank_count,
                           const struct replay_policy *policy, char **command, const char *output,
                           double budget_s, double stall_s, struct force_result *out_result);
void force_result_done(struct force_result *result);

#endif
