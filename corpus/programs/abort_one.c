/* A value goes round a ring until, after ROUNDS rounds, rank 1 calls MPI_Abort with code 3.
 *
 * Arguments: [ROUNDS]  default 10. Ranks: 2 or more.
 *
 * TEST: ranks=2 args= job=3 verdict=aborted
 * TEST: ranks=4 args= job=3 verdict=aborted
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int round_last = argc > 1 ? atoi(argv[1]) : 10, value = rank;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int round = 0;; round++) {
        if (round == round_last && rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 6, left, 6, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
}
