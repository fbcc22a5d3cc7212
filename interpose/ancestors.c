/* See ancestors.h. Most users meet such jobs when two MPI libraries are installed: mpirun of the
 * one starts a program of the other, whose processes do not find each other. */
#include "interpose/ancestors.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/misuse/usage.h"

size_t ancestor_read(pid_t pid, const char *name, char *text, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, room - 1) : -1;

    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

pid_t ancestor_parent(pid_t pid)
{
    char text[1024];
    int parent = 0;

    ancestor_read(pid, "stat", text, sizeof text);
    const char *behind = strrchr(text, ')');
    return behind && sscanf(behind, ") %*c %d", &parent) == 1 ? parent : 0;
}

enum launcher { OF_OPENMPI, OF_HYDRA, LAUNCHERS };
static const struct {
    const char *size, *rank; /* its variables */
    const char *title;
    const char *process[4]; /* words in the names of processes that start ranks */
} launchers[LAUNCHERS] = {
    [OF_OPENMPI] = {"OMPI_COMM_WORLD_SIZE",
                    "OMPI_COMM_WORLD_RANK",
                    "Open MPI",
                    {"orte", "prte", "mpirun", "mpiexec"}},
    [OF_HYDRA] = {"PMI_SIZE", "PMI_RANK", "MPICH", {"hydra"}},
};

/* Tells whether the launcher started this process, or a shell that it started did. A program that
 * a rank of the launcher starts inherits the variables, too. */
static bool starts_us(enum launcher launcher)
{
    enum { SHELLS = 4 };
    char name[64];
    pid_t pid = getppid();

    for (int i = 0; i < SHELLS && pid > 1; i++, pid = ancestor_parent(pid)) {
        size_t length = ancestor_read(pid, "comm", name, sizeof name);
        for (size_t word = 0; word < 4 && launchers[launcher].process[word]; word++)
            if (strstr(name, launchers[launcher].process[word]))
                return true;
        if (length < 3 || strcmp(name + length - 3, "sh\n"))
            return false;
    }
    return false;
}

static const char *library_title(const struct lane *lane)
{
    const char *version = lane->writer.header->library;

    return strncmp(version, "Open MPI", 8) == 0 ? "Open MPI"
           : strncmp(version, "Intel", 5) == 0  ? "Intel MPI"
                                                : "MPICH";
}

void ancestors_check_launcher(struct lane *lane, uint64_t seq)
{
    const char *library = library_title(lane);
    enum launcher own = strcmp(library, "Open MPI") ? OF_HYDRA : OF_OPENMPI,
                  other = own == OF_HYDRA ? OF_OPENMPI : OF_HYDRA;
    const char *size = getenv(launchers[other].size);

    CORE_CHECK(recorder.world_size == 1);
    if (getenv(launchers[own].size) || !size || atoi(size) < 2 || !getenv(launchers[other].rank) ||
        !starts_us(other))
        return;
    bool intel = other == OF_HYDRA && getenv("I_MPI_HYDRA_UUID");
    usage_say(lane, seq, MISUSE_SEPARATE, intel ? "Intel MPI" : launchers[other].title, 0,
              .name[1] = library, .value = {atoi(size)});
}
