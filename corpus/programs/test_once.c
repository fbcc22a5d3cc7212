/* Both ranks start a send, test it once, and continue in either case: correct, whatever the library
 * buffers.
 *
 *     TEST: ranks=2 args= job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, out, in = -1, flag;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 3; round++) {
        out = 10 * round + rank;
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    printf("rank %d has %d\n", rank, in);
    MPI_Finalize();
    return 0;
}
