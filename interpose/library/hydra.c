/* The place of a rank in its job, from Hydra, the starter of MPICH and its derivatives, for any ABI
 * of the program. */
#include "interpose/ancestors.h"
#include "interpose/library/library.h"

#include "interpose/layer/layer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/entry/body.h"

/* The name of the rank's world, the same on all machines, which Hydra sends when MPI_Init asks.
 * Since version 5 only this name distinguishes spawned worlds. The recorder sees it when the
 * library reads it. */
static struct {
    int fd;
    char name[256]; /* empty: not sent yet */
} world = {.fd = -1};

static void world_look(const char *text, size_t length)
{
    static const char key[] = "kvsname=";
    const char *at = memmem(text, length, key, sizeof key - 1);
    size_t bytes = 0;

    if (!at)
        return;
    at += sizeof key - 1;
    while (at + bytes < text + length && at[bytes] > ' ' && at[bytes] != ';')
        bytes++;
    if (at + bytes < text + length && bytes < sizeof world.name)
        memcpy(world.name, at, bytes);
}

static ssize_t world_read(int fd, void *to, size_t bytes)
{
    ssize_t got = read(fd, to, bytes);

    if (UNLIKELY(fd == world.fd) && got > 0 && !*world.name)
        world_look(to, (size_t)got);
    return got;
}

void library_found(const struct body_entry *entry)
{
    const char *fd = getenv("PMI_FD");

    layer_found(entry);
    if (!fd || !getenv("PMI_SPAWNED"))
        return;
    world.fd = atoi(fd);
    entry->bind("read", (void *)world_read);
}

/* Makes a job's name from the command line of the starter on this machine, which has mpirun's
 * address and the number of its process group: the same words on all machines, and different ones
 * for each job. */
static bool job_of_words(char *words, size_t length, char *job, size_t room)
{
    static const char *const telling[] = {"--control-port", "--upstream-host", "--upstream-port",
                                          "--pgid"};
    size_t used = 0;
    bool port = false;

    for (const char *word = words; word < words + length; word += strlen(word) + 1) {
        const char *value = word + strlen(word) + 1;
        for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
            if (value < words + length && !strcmp(word, telling[i])) {
                used += (size_t)snprintf(job + used, room - used, "%s%s", used ? "-" : "", value);
                port |= strstr(word, "port") != NULL;
                if (used >= room)
                    return false;
            }
    }
    return port;
}

/* Finds the job's name among the rank's ancestors: Hydra gives a rank no name of its job, and
 * scripts may run between it and the rank. */
static const char *hydra_job(void)
{
    enum { GENERATIONS = 16 };
    static char job[128];
    char text[4096];
    pid_t parent = getppid();

    for (int i = 0; !*job && i < GENERATIONS && parent > 1; i++) {
        size_t length = ancestor_read(parent, "cmdline", text, sizeof text);
        if (strstr(text, "hydra_") && !job_of_words(text, length, job, sizeof job))
            *job = '\0';
        parent = ancestor_parent(parent);
    }
    return *job ? job : NULL;
}

/* Reads the rank's place from Hydra's environment, or from Slurm's if a batch system started the
 * rank. */
struct library_place library_place(void)
{
    static const char *const jobs[] = {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_STEPID"};
    struct library_place place = {.rank = getenv("PMI_RANK"),
                                  .size = getenv("PMI_SIZE"),
                                  .local_rank = getenv("MPI_LOCALRANKID"),
                                  .local_size = getenv("MPI_LOCALNRANKS")};
    static const char *hydra;

    if (world.fd >= 0 && !*world.name) /* the world is unknown before MPI_Init */
        return (struct library_place){0};
    if (*world.name)
        hydra = world.name;
    if (place.local_size && !hydra)
        hydra = getenv("I_MPI_HYDRA_UUID") ? getenv("I_MPI_HYDRA_UUID") : hydra_job();
    place.job = hydra;
    for (size_t i = 0; !place.job && i < sizeof jobs / sizeof *jobs; i++)
        place.job = getenv(jobs[i]);
    library_place_slurm(&place);
    return place;
}
