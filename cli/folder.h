/* A folder for temporary files that does not outlive the process that made it, however that one
 * ends: a process of its own waits for that, and removes it. Should that one be killed, too, the
 * next who makes such a folder removes what is left. */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include <limits.h>
#include <sys/types.h>

#include "core/status.h"

struct folder {
    char path[PATH_MAX]; /* "": there is none */
    int owned;           /* a lock in it, held as long as there is who made it; -1 none */
    /* Other ends of those that its guard has: one is closed when the owner ends; the other one is
     * what the owner starts to inherit. */
    int owner_fd, job_fd;
    pid_t guard;
};

/* In TMPDIR. */
enum core_status folder_make(struct folder *out_folder);
void folder_empty(const struct folder *folder);
/* Removes it; one that was never made (all zero) is passed over. */
void folder_done(struct folder *folder);

#endif
