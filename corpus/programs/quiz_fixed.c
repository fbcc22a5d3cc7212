/* The quiz, repaired: each rank posts its receive before it waits for its send, so no message needs
 * a buffer.
 *
 * Arguments: [BYTES]  size of the message, default 8. Ranks: 2.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 * TEST: ranks=2 args=1048576 job=0 verdict=clean
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
    MPI_Request send, receive;
    MPI_Isend(mine, bytes, MPI_CHAR, peer, 7, MPI_COMM_WORLD, &send);
    MPI_Irecv(theirs, bytes, MPI_CHAR, peer, 7, MPI_COMM_WORLD, &receive);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    if (bytes)
        printf("rank %d received %d bytes of '%c'\n", rank, bytes, theirs[bytes - 1]);
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
