/* 2 ranks. A partitioned exchange: the receiver reads a partition that it has not asked for. */
#include <mpi.h>

int main(int argc, char **argv)
{
    enum { PARTITIONS = 3 };
    int rank, data[PARTITIONS] = {0}, flag;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Psend_init(data, PARTITIONS, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(data, PARTITIONS, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 1; round < 3; round++) {
        MPI_Start(&request);
        for (int i = 0; i < PARTITIONS; i++)
            if (rank == 0) {
                data[i] = round;
                MPI_Pready(i, request);
            } else {
#ifndef CORRECT
                if (i != 1)
#endif
                    for (flag = 0; !flag;)
                        MPI_Parrived(request, i, &flag);
                if (data[i] != round)
                    MPI_Abort(MPI_COMM_WORLD, 3);
            }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
