/* Keeps its own count of what it calls, in a mapped file that outlives any death: what a trace is
 * held to. A value goes round a ring.
 *
 *   witness FOLDER ROUNDS [MODE AT]    in round AT, rank 1 does MODE: segv, abort, exit, mpi_abort,
 * kill; "nofd": every rank uses up its file descriptors before MPI_Init; "quick": no pauses */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

struct count { /* of MPI_Sendrecv_replace */
    volatile unsigned long entered, returned, finished;
};

static struct count *count_open(const char *folder, int rank)
{
    char path[4096];
    struct count *count;
    int fd;

    snprintf(path, sizeof path, "%s/count.%d", folder, rank);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || ftruncate(fd, 4096) < 0)
        exit(9);
    count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return count;
}

static void end_as(const char *mode)
{
    if (!strcmp(mode, "segv"))
        *(volatile int *)8 = 1;
    else if (!strcmp(mode, "abort"))
        abort();
    else if (!strcmp(mode, "exit"))
        exit(5);
    else if (!strcmp(mode, "kill"))
        raise(SIGKILL);
    else if (!strcmp(mode, "mpi_abort"))
        MPI_Abort(MPI_COMM_WORLD, 6);
}

static void descriptors_use_up(void)
{
    while (dup(0) >= 0)
        continue;
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    const char *mode = argc > 3 ? argv[3] : "";
    unsigned long at = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    int rank, size, value;
    struct count *count;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    count = count_open(argv[1], rank);
    if (!strcmp(mode, "nofd"))
        descriptors_use_up();
    value = rank;
    for (unsigned long round = 0; round < rounds; round++) {
        if (rank == 1 && round == at)
            end_as(mode);
        count->entered++;
        MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 3, (rank + size - 1) % size, 3,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        count->returned++;
        if (round % 32 == 0 && strcmp(mode, "quick"))
            usleep(1000);
    }
    printf("rank %d holds %d\n", rank, value);
    count->finished = 1;
    MPI_Finalize();
    return 0;
}
