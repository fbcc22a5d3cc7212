/* Programs that rely on what one MPI library does and others do not, each beside its right twin
 * ("fixed"): for run --mpi. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BIG = 200000 };
static int rank, size;
static char big[BIG];
static volatile int memory;

/* A receive from anybody takes whichever message is there first: a long one that was sent first, or
 * a short one. */
static void order(int fixed)
{
    MPI_Request request;
    MPI_Status status;

    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 1; i < size; i++) {
            MPI_Recv(big, BIG, MPI_CHAR, fixed ? i : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            printf("message %d is of rank %d\n", i, status.MPI_SOURCE);
        }
    } else {
        MPI_Isend(big, rank == 1 ? BIG : 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Rank 0 waits for its memory to change, and makes no call of MPI meanwhile. */
static void progress(int fixed)
{
    MPI_Win win;
    int one = 1;

    MPI_Win_create((void *)&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
        MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else if (rank == 0) {
        while (!fixed && !memory)
            continue;
        MPI_Recv(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_free(&win);
}

/* Buffers that overlap: one library refuses them, another does not look. */
static void alias(int fixed)
{
    int x = 1;

    MPI_Allreduce(fixed ? MPI_IN_PLACE : &x, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Displacements on one rank. */
static void displaced(int fixed)
{
    int in[4] = {1, 2, 3, 4}, out[4] = {0}, one = 1, from = fixed ? 0 : 8, to = fixed ? 0 : 4;
    MPI_Datatype type = MPI_INT;

    MPI_Alltoallw(in, &one, &from, &type, out, &one, &to, &type, MPI_COMM_SELF);
    printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
}

/* Prints what the standard leaves to the library. */
static void words(void)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, version, subversion;

    MPI_Error_string(MPI_ERR_RANK, text, &length);
    printf("an error: %s\n", text);
    MPI_Get_version(&version, &subversion);
    printf("MPI version %d.%d\n", version, subversion);
}

/* Prints what differs from run to run, or with each library, and is no mistake. */
static void noise(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    double start = MPI_Wtime();
    int length, sum;

    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d is process %d, with %s\n", rank, (int)getpid(), version);
    printf("rank %d has sum %d after %.6f s\n", rank, sum, MPI_Wtime() - start);
}

int main(int argc, char **argv)
{
    int fixed = argc > 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(argv[1], "order"))
        order(fixed);
    if (!strcmp(argv[1], "progress"))
        progress(fixed);
    if (!strcmp(argv[1], "alias"))
        alias(fixed);
    if (!strcmp(argv[1], "displaced"))
        displaced(fixed);
    if (!strcmp(argv[1], "noise"))
        noise();
    if (!strcmp(argv[1], "words"))
        words();
    MPI_Finalize();
    return !strcmp(argv[1], "status") && rank == 1 ? 3 : 0;
}
