/* One exploration by many processes: `mpirun -n 4 crosswait replay --explore T.db`. No MPI is
 * needed for it: the processes share a folder beside the trace, in which every share of the tree
 * has a lock and, once explored, a file with what was found. A process that dies leaves its locks
 * to the others; a job that dies leaves its finished shares to the next one. The answer does not
 * depend on how many took part. */
#ifndef LAUNCH_SHARES_H
#define LAUNCH_SHARES_H

#include <stdbool.h>

#include "replay/search/explore.h"

/* Whether this process is one of several started by a launcher of MPI jobs: its rank and their
 * number, from the environment. */
bool shares_job(int *out_rank, int *out_size);
/* The same for all processes of one job, another for the next job. */
uint64_t shares_job_number(void);
/* Processes started from here on do not belong to that job: removes the launcher's variables from
 * the environment. */
void shares_job_leave(void);

struct shares { /* private */
    char folder[4096], said[4160];
    uint64_t key;
    int size, fd;
};

/* Explores what no other process does, and waits for the rest. One process comes back with
 * *out_speak: it has the merged answer in *out_sum, prints and keeps it, and calls shares_done with
 * its exit status. All others come back after that, with the status in *out_exit; they should exit
 * with 0, or the launcher would take the speaker down with them. question names the exploration, so
 * that shares of another are not taken for this one's. */
enum core_status shares_explore(struct shares *shares, const struct replay_program *program,
                                const struct replay_explore_options *options,
                                const char *trace_path, const char *question, int rank, int size,
                                struct replay_exploration *out_sum, bool *out_speak, int *out_exit);
void shares_done(struct shares *shares, int exit_status);

#endif
