/* See inside.h. */
#include "cli/inside.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
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

/* Opens the list of the crosswait around this one (invariant 1). */
static int outer_open(const struct inside *inside)
{
    char target[64] = "";

    if (!inside->outer || readlink(inside->outer, target, sizeof target - 1) < 0 ||
        strncmp(target, "/memfd:" NAME, strlen("/memfd:" NAME)) != 0)
        return -1;
    return open(inside->outer, O_RDWR | O_APPEND | O_CLOEXEC);
}

/* Appends an empty entry, and returns how many there are then; 0: failed. */
static uint32_t number_take(int fd)
{
    char byte = 0, before = 0;
    off_t end = write(fd, &byte, 1) == 1 ? lseek(fd, 0, SEEK_CUR) : 0;
    uint32_t number = 0;

    for (off_t at = 0; at < end && pread(fd, &byte, 1, at) == 1; at++) {
        number += !byte && !before;
        before = byte;
    }
    return number;
}

const char *inside_output(const struct inside *inside, const char *given)
{
    static char path[PATH_MAX];
    char name[64];
    int fd = outer_open(inside);
    uint32_t number = fd < 0 || given ? 0 : number_take(fd);
    char *folder = getcwd(NULL, 0);
    bool there = fd >= 0 && folder && (given ? *given != '/' : number > 0);

    snprintf(name, sizeof name, "crosswait-inside-%" PRIu32 ".db", number);
    if (there)
        there = snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") ? folder : "",
                         given ? given : name) < (int)sizeof path;
    if (fd >= 0)
        close(fd);
    free(folder);
    return there ? path : given;
}

static bool is_listed(const struct inside *inside, const char *trace)
{
    for (uint32_t i = 0; i < inside->count; i++)
        if (!strcmp(inside->trace[i], trace))
            return true;
    return false;
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
        if (!*line || is_listed(inside, line))
            continue;
        char *trace = strdup(line);
        status = trace ? CORE_ARRAY_PUSH(inside->trace, inside->count, inside->room,
                                         "the traces of the command's jobs", trace)
                       : core_report(CORE_NO_MEMORY, "out of memory");
    }
    free(line);
    fclose(file);
    return status;
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
