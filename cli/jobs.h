/* Worlds that are jobs on the real MPI library (explore --world=mpirun): the command is run under
 * a schedule (launch/force.h) and recorded, and what it chose is read from its trace
 * (explore/reexec.h). */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include "explore/program.h"

struct jobs;

/* The command stays the caller's. stop: set when the user wants an end; what ran then is told as
 * unfinished. */
enum core_status jobs_new(const struct explore_command *command, double world_s, volatile int *stop,
                          struct jobs **out_jobs);
void jobs_free(struct jobs *jobs);
struct explore_runner jobs_runner(struct jobs *jobs);

#endif
