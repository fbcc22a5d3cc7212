/* Collectives among other messages: large ones, types with gaps, receives from any source, many
 * communicators of all kinds, and a failed MPI call. Prints a sum a rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGE = 2000000, COMMS = 30, ROUNDS = 50 };

static long sum;

static void large(int rank, MPI_Comm comm)
{
    char *a = calloc(2, LARGE), *b = calloc(2, LARGE);
    MPI_Datatype gaps;
    MPI_Type_vector(LARGE / 2, 1, 2, MPI_CHAR, &gaps);
    MPI_Type_commit(&gaps);
    a[LARGE - 2] = rank == 1;
    MPI_Bcast(a, 1, gaps, 1, comm);
    MPI_Allreduce(a, b, LARGE / 4, MPI_INT, MPI_SUM, comm);
    MPI_Gather(a, LARGE / 4, MPI_CHAR, b, LARGE / 4, MPI_CHAR, 0, comm);
    sum += a[LARGE - 2] + b[LARGE - 2];
    MPI_Type_free(&gaps);
    free(a);
    free(b);
}

/* Receives from any source while a collective is on its way. */
static void mixed(int rank, int size, MPI_Comm comm)
{
    for (int round = 0; round < ROUNDS; round++) {
        int value = round, all = 0, got;
        MPI_Request request[2];
        MPI_Iallreduce(&value, &all, 1, MPI_INT, MPI_SUM, comm, &request[0]);
        MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, round % 2 ? 287 : 2, comm, &request[1]);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        sum += all + got;
    }
    if (rank == 0)
        MPI_Ssend(&rank, 1, MPI_INT, 1, 2, comm);
    if (rank == 1)
        MPI_Recv(&size, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, MPI_STATUS_IGNORE);
}

static void many(int rank, MPI_Comm comm)
{
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm part;
        int value = i, all = 0;
        MPI_Comm_split(comm, rank % (1 + i % 3), -rank, &part);
        MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_SUM, part);
        sum += all;
        MPI_Comm_free(&part);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &own);
    large(rank, own);
    mixed(rank, size, MPI_COMM_WORLD);
    many(rank, own);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    sum += MPI_Bcast(&rank, 1, MPI_INT, size, own) != MPI_SUCCESS;
    MPI_Barrier(own);
    MPI_Comm_free(&own);
    printf("rank %d: %ld\n", rank, sum);
    MPI_Finalize();
    return 3;
}
