/* 3 ranks. MPI_Isendrecv from any rank: rank 0 believes that its partner's message is first. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, out, in = -1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = rank;
    if (rank == 2)
        MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else {
#ifdef CORRECT
        const int from = 1 - rank;
#else
        const int from = rank == 0 ? MPI_ANY_SOURCE : 0;
#endif
        MPI_Isendrecv(&out, 1, MPI_INT, 1 - rank, 0, &in, 1, MPI_INT, from, 0, MPI_COMM_WORLD,
                      &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (in != 1 - rank)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (rank == 0)
        MPI_Recv(&in, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
