/* The first message decides how rank 0 sends to itself: kinds WHICH: as other types, where rank
 * WHICH's came first. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, got;
static MPI_Status status;
static MPI_Request request;

static __attribute__((noinline)) int receive(void)
{
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    int source = status.MPI_SOURCE;
    memset(&status, 0, sizeof status);
    return source;
}

static __attribute__((noinline)) void answer(int is)
{
    MPI_Isend(&got, 1, is ? MPI_FLOAT : MPI_INT, 0, 5, MPI_COMM_SELF, &request);
}

static __attribute__((noinline)) void wipe(void)
{
    volatile char room[4096];
    memset((char *)room, 0, sizeof room);
}

int main(int argc, char **argv)
{
    int value = 0, which = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        answer(receive() == which);
        wipe();
        for (int i = 2; i < size; i++)
            receive();
        MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &status);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
