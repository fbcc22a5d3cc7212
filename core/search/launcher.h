/* Runs the command of --spread (`srun -n 64`, `ssh node7`, `parallel --nonall -S a,b`), which
 * starts crosswait again on other machines, to help this process.
 *
 * The command gets one more argument: a script in the working folder, which every machine must see
 * under the same path. The script runs crosswait there with the same folder and arguments; the
 * helper takes its environment from core/search/meeting.h. So it runs what this process would run.
 * The script is removed with the launcher. */
#ifndef CORE_SEARCH_LAUNCHER_H
#define CORE_SEARCH_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

/* The variable that makes a process a helper: the number of its group, in hexadecimal. */
#define SEARCH_LAUNCHER_NUMBER "CROSSWAIT_HELPS"

struct search_launcher;

enum core_status search_launcher_start(const char *command, uint64_t number, char *const argv[],
                                       struct search_launcher **out);
/* Tells whether the command has ended; *out_status: its exit status, 128 + N for signal N. */
bool search_launcher_ended(struct search_launcher *launcher, int *out_status);
/* Waits so long for the command, ends it and what it started if necessary, and removes the script.
 * Returns its exit status; -1: it had to be ended. */
int search_launcher_end(struct search_launcher *launcher, int limit_ms);

#endif
