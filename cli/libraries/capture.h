/* Keeps what a job writes to standard output and standard error, and passes it on meanwhile, as
 * though it were written there. */
#ifndef CLI_LIBRARIES_CAPTURE_H
#define CLI_LIBRARIES_CAPTURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/status.h"

struct capture {
    char *text[2]; /* of standard output, standard error; each ended by a null byte */
    size_t bytes[2];
    /* its own */
    int saved[2], from[2], stop[2];
    FILE *kept[2];
    bool pass, failed;
    pthread_t thread;
};

/* Redirects our own streams, which the job inherits; pass: passes the output on to the original
 * streams. */
enum core_status capture_begin(bool pass, struct capture *out_capture);
/* Restores our own streams; all output is captured. */
enum core_status capture_end(struct capture *capture);
void capture_done(struct capture *capture);

#endif
