/* The lecture's circular shift: six values, one on each rank, move one rank to the right S times.
 *
 * Arguments: [S]  number of shifts, default 6. Ranks: 6.
 * Prints the values in rank order: after 6 shifts `6 6 7 3 8 4`, as at the beginning; after one
 * shift `4 6 6 7 3 8`.
 *
 * TEST: ranks=6 args= job=0 verdict=clean
 * TEST: ranks=6 args=1 job=0 verdict=clean
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static const int start[6] = {6, 6, 7, 3, 8, 4};
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int shifts = argc > 1 ? atoi(argv[1]) : 6;
    int value = start[rank % 6], arrived = 0;
    for (int i = 0; i < shifts; i++) {
        MPI_Request both[2];
        MPI_Irecv(&arrived, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(&value, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        value = arrived;
    }
    if (rank) {
        MPI_Send(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    } else {
        printf("%d", value);
        for (int r = 1; r < size; r++) {
            MPI_Recv(&value, 1, MPI_INT, r, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf(" %d", value);
        }
        printf("\n");
    }
    MPI_Finalize();
    return 0;
}
