/* CROSSWAIT_OUTPUT=FOLDER: what a rank writes to its standard output and error goes to FOLDER/R.out
 * and FOLDER/R.err, from the start of its program, so that it can be told whose it is. The
 * launchers of the job, which load this library as well, are no ranks, and keep theirs. Where a
 * file cannot be had, the stream stays what it is. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "interpose/library/library.h"

static void stream_set(int stream, const char *folder, const char *rank, const char *end)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s.%s", folder, rank, end) >= (int)sizeof path)
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return;
    dup2(file, stream);
    close(file);
}

__attribute__((constructor)) static void output_set(void)
{
    const char *folder = getenv("CROSSWAIT_OUTPUT"), *rank = library_place().rank;
    if (!folder || !*folder || !rank)
        return;
    stream_set(STDOUT_FILENO, folder, rank, "out");
    stream_set(STDERR_FILENO, folder, rank, "err");
}
