/* Executes a recorded job again in a world of fibers, where each decision has the answer that it
 * had in the job. The alternatives that the world reports (world/exchange/explore.h) hold for the
 * job on the real MPI library.
 *
 * The recorder gives a job the answers of a schedule (interpose/decide.h, which counts decisions
 * as a world does). Its trace is lowered with what each call chose, and gone through again in a
 * world of fibers in which every decision has the answer that it had: that world tells what else
 * there was. What no schedule names is left to chance in a job, so schedules are told in full. At
 * windows each job writes down who had which turn (core/decision/order_log.h): ranks take the
 * memory one after the other, and what is done to it is flushed. Between fences MPI has no call for
 * that, so where the order matters there the search does not say that it is all there is. Threads
 * have turns as well, and who made and joined whom is written down: nothing else is taken for an
 * order. Where threads wait for each other by other means, a job cannot keep some schedules: it
 * says so after 5 s, and the search that there may be more. */
#ifndef EXPLORE_REEXEC_H
#define EXPLORE_REEXEC_H

#include "core/trace/trace.h"
#include "explore/search.h"

struct explore_mirror {
    struct world_outcome
        outcome; /* its decisions are those below; what it found is not the job's */
    struct world_decisions decisions; /* `site` of a decision is the trace's, a site of it */
    struct world_decision *decision;  /* owned */
    struct world_event *event;        /* owned */
    uint32_t event_count, event_room;
    bool windows;    /* of some of what was done to windows, or files, the order is not known */
    bool threads;    /* of some of what threads of a rank did, the order is not known */
    bool persistent; /* a persistent receive did not take what it was asked to */
};

/* policy: what the job was to answer, order=explore. turns: the file of those that it had
 * (core/decision/order_log.h), which need not be there. Valid until the next one, or the next world
 * of fibers. */
enum core_status explore_mirror_run(struct trace *trace, const struct replay_policy *policy,
                                    const char *turns, struct explore_mirror *out_mirror);
void explore_mirror_done(struct explore_mirror *mirror);

#endif
