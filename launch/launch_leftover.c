/* Removes what ranks leave in shared memory when the job is killed. Open MPI's mpirun removes the
 * segments that its ranks made (vader_segment.HOST.USER.JOB.RANK, in version 5
 * sm_segment.HOST.USER.JOB.RANK; in /dev/shm unless told otherwise), unless something stops it: it
 * may need longer than the launcher gives a hanging job, SIGQUIT ends it at once, and a second
 * SIGINT or SIGTERM stops the cleanup. Version 5 names jobs by words, and segments by a hash of
 * these: the number is known only if the ranks map segments of a single job.
 *
 * Invariant: a file is removed only if a rank of the job had it mapped before the job was ended or
 * a signal was passed on, its name says that it was made by that very job, it is still the file
 * that was mapped, and no rank lives. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "launch/launch_inside.h"

enum { LEFTOVERS_MAX = 4096 };
#define SEVERAL ULONG_MAX

/* Returns the number of the job that made the segment, from its name; 0: no such segment. */
static unsigned long job_of(const char *path)
{
    const char *name = strrchr(path, '/'), *last = strrchr(path, '.'), *before;
    unsigned long job;
    char *end;

    if (!name || (strncmp(name, "/vader_segment.", 15) && strncmp(name, "/sm_segment.", 12)) ||
        !last || last < name + 12)
        return 0;
    for (before = last - 1; before > name && *before != '.'; before--)
        continue;
    job = strtoul(before + 1, &end, 16);
    return *before == '.' && end == last && last[1] &&
                   last[1 + strspn(last + 1, "0123456789")] == '\0'
               ? job
               : 0;
}

static void launch_leftover_note_one(struct launch *launch, const char *path, dev_t device,
                                     uint64_t inode)
{
    struct launch_leftover *more;

    for (uint32_t i = 0; i < launch->leftover_count; i++)
        if (launch->leftover[i].inode == inode && launch->leftover[i].device == device)
            return;
    if (launch->leftover_count == LEFTOVERS_MAX)
        return;
    more = realloc(launch->leftover, (launch->leftover_count + 1) * sizeof *more);
    if (!more)
        return;
    launch->leftover = more;
    more[launch->leftover_count].path = strdup(path);
    more[launch->leftover_count].device = device;
    more[launch->leftover_count].inode = inode;
    launch->leftover_count += more[launch->leftover_count].path != NULL;
}

/* Notes the segments of the job that the rank maps. *seen: the other job whose segments it maps;
 * SEVERAL: more than one. */
static void rank_note(struct launch *launch, pid_t pid, unsigned long job, unsigned long *seen)
{
    char maps[64], *line = NULL;
    size_t room = 0;
    FILE *file;

    snprintf(maps, sizeof maps, "/proc/%d/maps", (int)pid);
    file = fopen(maps, "re");
    while (file && getline(&line, &room, file) >= 0) {
        unsigned major, minor;
        uint64_t inode;
        int at = 0;

        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%*s %*s %*s %x:%x %" SCNu64 " %n", &major, &minor, &inode, &at) != 3 ||
            !at || line[at] != '/' || !job_of(line + at))
            continue;
        if (job_of(line + at) == job)
            launch_leftover_note_one(launch, line + at, makedev(major, minor), inode);
        else
            *seen = !*seen || *seen == job_of(line + at) ? job_of(line + at) : SEVERAL;
    }
    free(line);
    if (file)
        fclose(file);
}

/* Returns the one job other than `job` whose segments are mapped; 0: none, or several. */
static unsigned long world_note(struct launch *launch, const struct launch_world *world,
                                unsigned long job)
{
    unsigned long seen = 0;

    for (uint32_t r = 0; r < world->rank_count; r++)
        if (world->rank[r].local && world->rank[r].pidfd >= 0 && !world->rank[r].gone)
            rank_note(launch, world->rank[r].pid, job, &seen);
    return seen == SEVERAL ? 0 : seen;
}

void launch_leftover_note(struct launch *launch)
{
    for (uint32_t w = 0; w < launch->world_count; w++) {
        const struct launch_world *world = &launch->world[w];
        const char *name = strrchr(world->path, '/');
        char *end;
        unsigned long job = strtoul(name ? name + 1 : world->path, &end,
                                    10); /* Open MPI 4 names folders by job numbers */

        if (*end || !job)
            job = world_note(launch, world, 0);
        if (job)
            world_note(launch, world, job);
    }
}

void launch_leftover_remove(struct launch *launch)
{
    for (uint32_t i = 0; i < launch->leftover_count; i++) {
        const struct launch_leftover *leftover = &launch->leftover[i];
        struct stat status;

        if (stat(leftover->path, &status) == 0 && S_ISREG(status.st_mode) &&
            status.st_ino == leftover->inode && status.st_dev == leftover->device &&
            status.st_uid == geteuid())
            unlink(leftover->path);
    }
}

void launch_leftover_done(struct launch *launch)
{
    for (uint32_t i = 0; i < launch->leftover_count; i++)
        free(launch->leftover[i].path);
    free(launch->leftover);
    launch->leftover = NULL;
    launch->leftover_count = 0;
}
