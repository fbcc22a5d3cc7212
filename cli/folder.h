/* A folder for temporary files that does not outlive its process, however that ends: a guard
 * process waits for the end, and removes the folder. If the guard is killed as well, the next
 * process that makes such a folder removes the remains. */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <limits.h>
#include <sys/types.h>

#include "core/status.h"

struct folder {
    char path[PATH_MAX]; /* "": no folder */
    int owned;           /* a lock in it, held as long as its maker lives; -1: none */
    /* The other ends of the guard's sockets: owner_fd closes when the owner ends; processes that
     * the owner starts inherit job_fd. */
    int owner_fd, job_fd;
    pid_t guard;
};

/* Makes the folder in TMPDIR. */
enum core_status folder_make(struct folder *out_folder);
void folder_empty(const struct folder *folder);
/* Removes the folder; ignores one that was never made (all zero). */
void folder_done(struct folder *folder);

#endif
