/* A deadlock that no communicator shows alone: rank 0 sends on the first, then receives on the
 * second; rank 1 sends on the second, then receives on the first. Each communicator has one send
 * and one receive that match.
 *
 * Arguments: [BYTES]  size of the messages, default 8. Ranks: 2.
 *
 * TEST: ranks=2 args= job=0 verdict=deadlock-unbuffered
 * SAFE-FROM: 8
 * TEST: ranks=2 args=1048576 job=hangs verdict=deadlock-unbuffered
 * SAFE-FROM: 1048576
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int bytes = argc > 1 ? atoi(argv[1]) : 8;
    char *out = calloc(bytes + 1, 1), *in = calloc(bytes + 1, 1);
    MPI_Comm first = MPI_COMM_WORLD, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    if (rank == 0) {
        MPI_Send(out, bytes, MPI_BYTE, 1, 1, first);
        MPI_Recv(in, bytes, MPI_BYTE, 1, 1, second, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Send(out, bytes, MPI_BYTE, 0, 1, second);
        MPI_Recv(in, bytes, MPI_BYTE, 0, 1, first, MPI_STATUS_IGNORE);
    }
    printf("rank %d is through\n", rank);
    free(out);
    free(in);
    MPI_Comm_free(&second);
    MPI_Finalize();
    return 0;
}
