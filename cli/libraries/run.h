/* `crosswait run --mpi=...`: runs the job with each MPI library, makes one trace per library, and
 * reports the differences. */
#ifndef CLI_LIBRARIES_RUN_H
#define CLI_LIBRARIES_RUN_H

#include "cli/judge.h"
#include "launch/launch.h"

/* words: as for libraries_find. Returns the exit status of the command. */
int libraries_run(const char *words, const struct launch_options *launch,
                  struct judge_options *judge);

#endif
