/* `crosswait run --mpi=...`: the job with each MPI library, one trace a library, and in what they
 * differ. */
#ifndef CLI_LIBRARIES_RUN_H
#define CLI_LIBRARIES_RUN_H

#include "cli/judge.h"
#include "launch/launch.h"

/* words: as libraries_find has them. Returns the exit status of the command. */
int libraries_run(const char *words, const struct launch_options *launch,
                  struct judge_options *judge);

#endif
