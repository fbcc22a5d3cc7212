/* The lecture's quiz: each of two ranks sends and waits, then receives and waits.
 *
 * Arguments: [BYTES]  size of the message, default 8. Ranks: 2 (more ranks: pairs of neighbours).
 * The library decides whether the job ends: if it buffers the message, the wait for the send
 * returns at once; if not, both ranks wait for a receive that neither has posted.
 *
 * TEST: ranks=2 args= job=0 verdict=deadlock-unbuffered
 * SAFE-FROM: 8
 * TEST: ranks=2 args=512 job=0 verdict=deadlock-unbuffered
 * SAFE-FROM: 512
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
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int bytes = argc > 1 ? atoi(argv[1]) : 8;
    int peer = rank ^ 1;
    char *mine = malloc(bytes ? bytes : 1);
    char *theirs = malloc(bytes ? bytes : 1);
    memset(mine, 'a' + rank % 26, bytes);
    if (peer < size) {
        MPI_Request request;
        MPI_Isend(mine, bytes, MPI_CHAR, peer, 7, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(theirs, bytes, MPI_CHAR, peer, 7, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (bytes)
            printf("rank %d received %d bytes of '%c'\n", rank, bytes, theirs[bytes - 1]);
    }
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
