/* The processes above a rank: its launcher, and scripts that run between the two. */
#ifndef INTERPOSE_ANCESTORS_H
#define INTERPOSE_ANCESTORS_H

#include <stddef.h>
#include <sys/types.h>

#include "interpose/recorder.h"

/* Reads a file of /proc/PID, as far as it fits. Returns the number of bytes; ends them by a NUL. */
size_t ancestor_read(pid_t pid, const char *name, char *text, size_t room);
/* Returns the parent of a process; 0: unknown. */
pid_t ancestor_parent(pid_t pid);

/* Called in a world of one rank. Records with the call seq, MPI_Init, that a launcher of another
 * MPI library started several processes, so that each of them is a job of its own. */
void ancestors_check_launcher(struct lane *lane, uint64_t seq);

#endif
