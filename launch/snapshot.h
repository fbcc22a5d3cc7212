/* Takes a snapshot of a running job: a trace of what its ranks have done so far, with who waits for
 * whom. It only reads the spools and disturbs no rank. Any process of the same user can take one,
 * also of a job that the launcher did not start. */
#ifndef LAUNCH_SNAPSHOT_H
#define LAUNCH_SNAPSHOT_H

#include "core/status.h"

/* Writes the trace of the job whose spools are in the folder. command: recorded in the trace; may
 * be NULL. */
enum core_status snapshot_write(const char *job_path, const char *trace_path, const char *command);
/* Returns "T.snapshot.db" for "T.db", the trace that the job will leave. NULL: out of memory. Free
 * with free(). */
char *snapshot_name(const char *output);

#endif
