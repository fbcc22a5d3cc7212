/* The quiz with blocking calls: each of two ranks calls MPI_Send, then MPI_Recv.
 *
 * Arguments: [BYTES]  size of the message, default 8. Ranks: 2.
 *
 * TEST: ranks=2 args= job=0 verdict=deadlock-unbuffered
 * SAFE-FROM: 8
 * TEST: ranks=2 args=1048576 job=hangs verdict=deadlock-unbuffered
 * SAFE-FROM: 1048576
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int bytes = argc > 1 ? atoi(argv[1]) : 8;
    int peer = 1 - rank;
    char *mine = malloc(bytes ? bytes : 1);
    char *theirs = malloc(bytes ? bytes : 1);
    memset(mine, 'a' + rank, bytes);
    MPI_Send(mine, bytes, MPI_CHAR, peer, 7, MPI_COMM_WORLD);
    MPI_Recv(theirs, bytes, MPI_CHAR, peer, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d received %d bytes\n", rank, bytes);
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
