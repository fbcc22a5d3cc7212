/* Worlds that are jobs on the real MPI library (explore --world=mpirun): runs the command under a
 * schedule (launch/force.h), records it, and reads its choices from its trace
 * (explore/reexec.h). */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include "explore/program.h"

struct jobs;

/* The command must outlive it. stop: set when the user wants to end; the running job then counts as
 * unfinished. */
enum core_status jobs_new(const struct explore_command *command, double world_s, volatile int *stop,
                          struct jobs **out_jobs);
void jobs_free(struct jobs *jobs);
struct explore_runner jobs_runner(struct jobs *jobs);

#endif
