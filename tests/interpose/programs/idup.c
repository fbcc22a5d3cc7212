/* Communicators made by MPI_Comm_idup while other collectives go on over the old one: `idup TIMES`.
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int one = 1, sum, times = argc > 1 ? atoi(argv[1]) : 9;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < times; i++) {
        MPI_Comm made;
        MPI_Request making, adding;
        MPI_Comm_idup(MPI_COMM_WORLD, &made, &making);
        if (i % 3 == 1) {
            MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &adding);
            MPI_Wait(&adding, MPI_STATUS_IGNORE);
        } else if (i % 3 == 2) {
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Wait(&making, MPI_STATUS_IGNORE);
        MPI_Barrier(made);
        MPI_Comm_free(&made);
    }
    MPI_Finalize();
    return 0;
}
