/* A job that runs, as it is at this moment: a trace of what its ranks have done so far, with who
 * waits for whom. The spools are only read; no rank notices, and none is stopped. Any process of
 * the user's may do it, also where the job was started without the launcher. */
#ifndef LAUNCH_SNAPSHOT_H
#define LAUNCH_SNAPSHOT_H

#include "core/status.h"

/* Takes a snapshot of the job whose spools are in the folder. command: for the trace; may be NULL.
 */
enum core_status snapshot_write(const char *job_path, const char *trace_path, const char *command);
/* "T.snapshot.db", of the trace "T.db" that the job will leave. NULL: out of memory. Free with
 * free(). */
char *snapshot_name(const char *output);

#endif
