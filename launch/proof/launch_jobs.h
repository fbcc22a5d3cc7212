/* Finds which jobs of the command communicate with each other: a job and one that it started by
 * MPI_Comm_spawn. Each has spools of its own, and in them the ranks of the other one are unknown.
 *
 * The two are told by shape and time: the spawned ranks begin MPI_Init after the call of the parent
 * began, which returns only when they have connected in MPI_Init. A job that fits more than one
 * call, or a call that more than one job fits, is left alone, as are jobs with ranks on other
 * machines. */
#ifndef LAUNCH_PROOF_LAUNCH_JOBS_H
#define LAUNCH_PROOF_LAUNCH_JOBS_H

#include "launch/launch_inside.h"
#include "launch/proof/proof.h"

struct launch_jobs {
    struct history_job *job;
    uint32_t *world; /* by job: index of its world */
    uint32_t count, rank_count;
    struct history_link *link; /* owns the members */
    uint32_t link_count, link_room;
};

/* Finds all jobs that some link connects; none: count is 0. Free with launch_jobs_done(). */
enum core_status launch_jobs_find(const struct launch *launch, struct launch_jobs *out_jobs);
void launch_jobs_done(struct launch_jobs *jobs);

/* Makes the part of a record about all jobs that is about the calls of this one. False: a wait is
 * for any of several jobs' ranks, which the record cannot say. */
bool launch_jobs_part(const struct launch_jobs *jobs, const struct ending *all, uint32_t job,
                      struct ending *out_part);

/* After the end of all jobs: keeps in their worlds which messages to another job no rank received.
 * Nothing is kept if a rank did not finalize, or its record does not tell what it received. */
enum core_status launch_jobs_unreceived(struct launch *launch);

/* Returns the size of the world; 0: unknown. */
uint32_t launch_jobs_size(const struct launch_world *world);

#endif
