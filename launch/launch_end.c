/* Ends the job: every process that descends from the launcher, and every rank wherever it descends
 * from. The launcher is the subreaper of all that it started (launch.c), so a process whose parent
 * died is still below it. Children that existed before the job are not of the job. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/array.h"
#include "launch/launch_inside.h"

struct process {
    pid_t pid, parent;
    bool starter; /* starts ranks, by its name */
    bool dead;    /* a zombie */
    bool ours;
    bool waits; /* waits for a starter, or is one */
};

static bool name_is_starter(const char *name)
{
    static const char *const starter[] = {
        "(mpirun)",         "(mpiexec)",        "(orterun)",        "(orted)",
        "(prterun)",        "(prun)",           "(prted)",          "(srun)",
        "(mpirun.openmpi)", "(mpiexec.openmp)", "(hydra_pmi_proxy)"};

    for (size_t i = 0; i < sizeof starter / sizeof *starter; i++)
        if (!strncmp(name, starter[i], strlen(starter[i])))
            return true;
    return false;
}

const char *launch_stat(pid_t pid, char text[LAUNCH_STAT_BYTES])
{
    char path[64], *name_end;
    FILE *file;
    size_t bytes;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return NULL;
    bytes = fread(text, 1, LAUNCH_STAT_BYTES - 1, file);
    fclose(file);
    text[bytes] = '\0';
    name_end = strrchr(text, ')'); /* the name before it may contain anything */
    return name_end && strlen(name_end) >= 5 ? name_end + 2 : NULL;
}

static bool process_read(pid_t pid, struct process *out_process)
{
    char text[LAUNCH_STAT_BYTES];
    const char *fields = launch_stat(pid, text);

    if (!fields)
        return false;
    *out_process =
        (struct process){.pid = pid,
                         .dead = fields[0] == 'Z' || fields[0] == 'X',
                         .parent = (pid_t)atoi(fields + 2),
                         .starter = strchr(text, '(') && name_is_starter(strchr(text, '('))};
    return true;
}

static size_t processes_list(struct process **out_process)
{
    struct process *list = NULL;
    uint32_t count = 0, room = 0;
    struct dirent *entry;
    DIR *folder = opendir("/proc");

    while (folder && (entry = readdir(folder))) {
        struct process process;

        if (!isdigit((unsigned char)entry->d_name[0]) ||
            !process_read(atoi(entry->d_name), &process))
            continue;
        if (CORE_ARRAY_PUSH(list, count, room, "the list of processes", process))
            break;
    }
    if (folder)
        closedir(folder);
    *out_process = list;
    return count;
}

enum core_status launch_end_begin(struct launch *launch)
{
    struct process *list;
    size_t count = processes_list(&list);
    pid_t self = getpid();
    enum core_status status = CORE_OK;

    for (size_t i = 0; i < count && status == CORE_OK; i++)
        if (list[i].parent == self)
            status = CORE_ARRAY_PUSH(launch->other, launch->other_count, launch->other_room,
                                     "the list of processes", list[i].pid);
    free(list);
    return status;
}

static bool is_other(const struct launch *launch, pid_t pid)
{
    for (uint32_t i = 0; i < launch->other_count; i++)
        if (launch->other[i] == pid)
            return true;
    return false;
}

/* Marks the descendants of this process that are of the job. Children may precede their parents in
 * the list, so it repeats until nothing changes. */
static void descendants_mark(const struct launch *launch, struct process *list, size_t count)
{
    pid_t self = getpid();
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            bool ours = list[i].parent == self && !is_other(launch, list[i].pid);

            for (size_t k = 0; !list[i].ours && !ours && k < count; k++)
                ours = list[k].ours && list[k].pid == list[i].parent;
            if (ours && !list[i].ours)
                list[i].ours = changed = true;
        }
    }
}

static struct launch_rank *rank_of(struct launch *launch, pid_t pid)
{
    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++)
            if (launch->world[w].rank[r].pid == pid && launch->world[w].rank[r].pidfd >= 0 &&
                !launch->world[w].rank[r].gone)
                return &launch->world[w].rank[r];
    return NULL;
}

uint32_t launch_end_signal(struct launch *launch, int signal, bool ranks_too)
{
    struct process *list;
    size_t count = processes_list(&list);
    uint32_t live = 0;

    descendants_mark(launch, list, count);
    for (size_t i = 0; i < count; i++) {
        if (!list[i].ours || list[i].dead)
            continue;
        if (rank_of(launch, list[i].pid) && list[i].pid != launch->child)
            continue; /* signalled below, through its pidfd */
        live++;
        if (signal)
            kill(list[i].pid, signal);
    }
    free(list);
    for (uint32_t w = 0; w < launch->world_count; w++)
        for (uint32_t r = 0; r < launch->world[w].rank_count; r++) {
            struct launch_rank *rank = &launch->world[w].rank[r];

            if (rank->pidfd < 0 || rank->gone || rank->pid == launch->child)
                continue;
            live++;
            if (signal && ranks_too)
                syscall(SYS_pidfd_send_signal, rank->pidfd, signal, NULL, 0);
        }
    return live;
}

static struct process *process_find(struct process *list, size_t count, pid_t pid)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].pid == pid)
            return &list[i];
    return NULL;
}

/* Looks for a starter with a dead child: a starter that works reaps it at once. */
bool launch_end_starter_stuck(const struct launch *launch)
{
    struct process *list;
    size_t count = processes_list(&list);
    bool stuck = false, other = false;

    descendants_mark(launch, list, count);
    for (size_t i = 0; i < count; i++) {
        struct process *parent = process_find(list, count, list[i].parent);

        stuck |= list[i].ours && list[i].dead && parent && parent->ours && parent->starter &&
                 !parent->dead;
    }
    for (size_t i = 0; i < count; i++) /* those that wait for it, such as a shell */
        if (list[i].starter && !list[i].dead)
            for (struct process *at = &list[i]; at && at->ours;
                 at = process_find(list, count, at->parent))
                at->waits = true;
    for (size_t i = 0; i < count; i++)
        other |= list[i].ours && !list[i].dead && !list[i].waits;
    free(list);
    return stuck && !other;
}

bool launch_end_has_starter(const struct launch *launch)
{
    struct process *list;
    size_t count = processes_list(&list);
    bool has = false;

    descendants_mark(launch, list, count);
    for (size_t i = 0; i < count; i++)
        has |= list[i].ours && !list[i].dead && list[i].starter;
    free(list);
    return has;
}
