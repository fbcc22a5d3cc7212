/* Chooses and makes the folder of this job's spools: CROSSWAIT_SPOOL/JOB, or T.db.spool/JOB without
 * a launcher. */
#include "core/file.h"
#include "core/random.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose/library/library.h"
#include "interpose/life.h"

static char folder[PATH_MAX];

bool recorder_plain(void)
{
    return recorder_setting("CROSSWAIT_SPOOL") == NULL;
}

static bool make_folders(char *path)
{
    for (char *at = path + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(path, 0700);
            *at = '/';
        }
    return core_folder_make(path);
}

/* Shortens a long id by a hash. Ids differ between jobs at their end: prterun-NODE-PID@NUMBER of
 * Open MPI 5. */
static void job_name(const char *id, char *name, size_t room)
{
    size_t length = strlen(id);
    uint64_t hash = 0;

    if (length < room) {
        strcpy(name, id);
        return;
    }
    for (const char *at = id; *at; at++)
        hash = core_random_mix(hash ^ (unsigned char)*at);
    snprintf(name, room, "%016" PRIx64 "-%s", hash, id + length - (room - 18));
}

/* Names a world of one rank, which MPI_Init made without a launcher, or under one that started
 * several: each of these processes is a job of its own, and their environments can be equal. */
static void singleton_name(const struct library_place *place, char *name, size_t room)
{
    char id[256];

    snprintf(id, sizeof id, "%.200s-%.16s-%d", place->job ? place->job : "single",
             place->rank ? place->rank : "0", (int)getpid());
    job_name(id, name, room);
}

static void choose_name(char *name, size_t room)
{
    const struct library_place place = library_place();

    if (recorder.world_size == 1 && !(place.size && atoi(place.size) == 1))
        singleton_name(&place, name, room);
    else if (place.job)
        job_name(place.job, name, room);
    else
        snprintf(name, room, "parent%d", (int)getppid());
    for (char *at = name; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *at))
            *at = '-';
}

bool recorder_folder_choose(void)
{
    static pid_t had; /* the process that chose the folder */
    if (had == getpid())
        return true;
    char base[PATH_MAX], job[48], here[PATH_MAX] = "";
    const char *spool = recorder_setting("CROSSWAIT_SPOOL");
    if (!spool) {
        const char *out = life_out();
        if (out[0] != '/' && !getcwd(here, sizeof here))
            return false;
        if (snprintf(base, sizeof base, "%s%s%s.spool", here, here[0] ? "/" : "", out) >=
            (int)sizeof base)
            return false;
        spool = base;
    }
    choose_name(job, sizeof job);
    if (!hosts_spool(spool, here, sizeof here) ||
        snprintf(folder, sizeof folder, "%s/%s", here, job) >= (int)sizeof folder ||
        !make_folders(folder))
        return false;
    had = getpid();
    return true;
}

const char *recorder_folder(void)
{
    return folder;
}
