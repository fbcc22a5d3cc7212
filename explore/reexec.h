/* Executes a recorded job again in a world of fibers, where each decision has the answer that it
 * had in the job. The alternatives that the world reports (world/exchange/explore.h) hold for the
 * job on the real MPI library.
 *
 * The recorder gives a job the answers of a schedule (interpose/decide.h, which counts decisions as
 * a world does). crosswait lowers the job's trace with what each call chose, and executes it in a
 * world of fibers in which every decision has the recorded answer. That world tells the
 * alternatives. A job leaves decisions that no schedule names to chance, so schedules name all of
 * them. At windows each job records the order of accesses (core/decision/order_log.h): ranks lock
 * the memory one after the other and flush each access. Between fences MPI has no call for that; if
 * the order matters there, the search does not claim to be complete. The job also records the order
 * of its threads' calls and which thread created and joined which; nothing else counts as an order.
 * If threads wait for each other by other means, a job cannot follow some schedules: it reports
 * that after 5 s, and the search reports that there may be more. */
#ifndef EXPLORE_REEXEC_H
#define EXPLORE_REEXEC_H

#include "core/trace/trace.h"
#include "explore/search.h"

struct explore_mirror {
    struct world_outcome
        outcome; /* its decisions are those below; its findings are not the job's */
    struct world_decisions decisions; /* `site` of a decision is a site of the trace */
    struct world_decision *decision;  /* owned */
    struct world_event *event;        /* owned */
    uint32_t event_count, event_room;
    bool windows;    /* the order of some accesses to windows or files is unknown */
    bool threads;    /* the order of some calls of a rank's threads is unknown */
    bool persistent; /* a persistent receive took another message than the policy named */
};

/* Executes the job again. policy: the answers that the job was to give, order=explore. turns: the
 * file in which the job recorded its order (core/decision/order_log.h); it may be missing.
 * *out_mirror stays valid until the next call or the next world of fibers. */
enum core_status explore_mirror_run(struct trace *trace, const struct replay_policy *policy,
                                    const char *turns, struct explore_mirror *out_mirror);
void explore_mirror_done(struct explore_mirror *mirror);

#endif
