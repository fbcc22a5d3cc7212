/* A receive from anybody, twice: `first` lets rank 1 come before rank 2, `second` the other way
 * round. With a further argument, a datatype that is never freed, and half a second of work of the
 * first sender that the others wait for. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

/* Rank 0 hears from two others; who is first is decided by a message between them. */
static void in_order(int rank, int first)
{
    int second = 3 - first, token = 0;

    for (int i = 0; rank == 0 && i < 2; i++)
        MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == first) {
        MPI_Ssend(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(&token, 1, MPI_INT, second, 2, MPI_COMM_WORLD);
    }
    if (rank == second) {
        MPI_Recv(&token, 1, MPI_INT, first, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2 && rank == 1)
        usleep(500000);
    in_order(rank, !strcmp(argv[1], "second") ? 2 : 1);
    if (argc > 2) {
        MPI_Datatype type;
        MPI_Type_contiguous(2, MPI_INT, &type); /* never freed */
    }
    MPI_Finalize();
    return 0;
}
