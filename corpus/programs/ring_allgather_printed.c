/* Allgather by passing blocks round a ring, as the lecture prints it: in each step send to the
 * right, then receive from the left. This works while the library buffers every send; if it does
 * not buffer a round of sends, all ranks send and none receives.
 *
 * Arguments: [INTS]  size of a block, default 4. Ranks: any number.
 *
 * TEST: ranks=2 args= job=0 verdict=deadlock-unbuffered
 * SAFE-FROM: 16
 * TEST: ranks=3 args= job=0 verdict=deadlock-unbuffered
 * SAFE-FROM: 16
 * TEST: ranks=8 args= job=0 verdict=deadlock-unbuffered
 * SAFE-FROM: 16
 * TEST: ranks=1 args= job=0 verdict=clean
 * TEST: ranks=3 args=100000 job=hangs verdict=deadlock-unbuffered
 * SAFE-FROM: 400000
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
    int m = argc > 1 ? atoi(argv[1]) : 4;
    int *all = malloc(sizeof(int) * (m * size + 1));
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < m; i++)
        all[rank * m + i] = rank * 1000 + i;

    for (int step = 0; step < size - 1; step++) {
        int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
        MPI_Send(all + out * m, m, MPI_INT, right, 1, MPI_COMM_WORLD);
        MPI_Recv(all + in * m, m, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }

    int wrong = 0;
    for (int r = 0; r < size; r++)
        for (int i = 0; i < m; i++)
            wrong += all[r * m + i] != r * 1000 + i;
    printf("rank %d: %s\n", rank, wrong ? "wrong" : "all blocks in place");
    free(all);
    MPI_Finalize();
    return wrong != 0;
}
