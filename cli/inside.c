/* See inside.h. */
#include "cli/inside.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"

#define VARIABLE "CROSSWAIT_INSIDE"
#define NAME "crosswait-inside"

void inside_begin(struct inside *inside)
{
    const char *outer = getenv(VARIABLE);
    int fd = memfd_create(NAME, MFD_CLOEXEC);
    char path[64];

    *inside = (struct inside){.outer = outer ? strdup(outer) : NULL, .fd = fd > 0 ? fd : 0};
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
    if (fd > 0)
        setenv(VARIABLE, path, 1);
}

enum core_status inside_read(struct inside *inside)
{
    struct stat about;
    char *line = NULL;
    size_t room = 0;
    ssize_t bytes;
    enum core_status status = CORE_OK;

    unsetenv(VARIABLE); /* the job that confirms a finding adds nothing */
    if (!inside->fd || fstat(inside->fd, &about) != 0 || !about.st_size)
        return CORE_OK;
    int again = dup(inside->fd);
    FILE *file = again < 0 ? NULL : fdopen(again, "r");
    if (!file)
        return core_report(CORE_IO, "cannot read which jobs the command recorded itself");
    rewind(file);
    while (status == CORE_OK && (bytes = getdelim(&line, &room, 0, file)) > 0) {
        char *trace = strdup(line);
        status = trace ? CORE_ARRAY_PUSH(inside->trace, inside->count, inside->room,
                                         "the traces of the command's jobs", trace)
                       : core_report(CORE_NO_MEMORY, "out of memory");
    }
    free(line);
    fclose(file);
    return status;
}

/* Opens the list of the crosswait around this one (invariant 1). */
static int outer_open(const struct inside *inside)
{
    char target[64] = "";

    if (!inside->outer || readlink(inside->outer, target, sizeof target - 1) < 0 ||
        strncmp(target, "/memfd:" NAME, strlen("/memfd:" NAME)) != 0)
        return -1;
    return open(inside->outer, O_WRONLY | O_APPEND | O_CLOEXEC);
}

void inside_tell(const struct inside *inside, const char *trace)
{
    int fd = outer_open(inside);
    char *whole = fd < 0 ? NULL : realpath(trace, NULL);

    if (whole)
        (void)!write(fd, whole, strlen(whole) + 1);
    free(whole);
    if (fd >= 0)
        close(fd);
}

void inside_done(struct inside *inside)
{
    for (uint32_t i = 0; i < inside->count; i++)
        free(inside->trace[i]);
    CORE_ARRAY_DONE(inside->trace, inside->count, inside->room);
    free(inside->outer);
    if (inside->fd)
        close(inside->fd);
    *inside = (struct inside){0};
}
