/* 3 ranks. Large-count forms: rank 0 takes the two results in any order, and believes that rank 1's
 * is first. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value, sum = 0;
    MPI_Count counts[3] = {1, 1, 1}, got;
    MPI_Aint displs[3] = {0, 1, 2};
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int all[3] = {0}, mine = rank + 1;
    MPI_Allgatherv_c(&mine, 1, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
    if (rank)
        MPI_Send_c(&all[rank], 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < 3; i++) {
#ifdef CORRECT
        MPI_Recv_c(&value, 1, MPI_INT, i, 0, MPI_COMM_WORLD, &status);
#else
        MPI_Recv_c(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
#endif
        MPI_Get_count_c(&status, MPI_INT, &got);
        sum = 10 * sum + value * (int)got;
    }
    MPI_Bcast_c(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (sum != 23)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    return 0;
}
