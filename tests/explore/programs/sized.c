/* 3 ranks. Rank 0 waits until a file has a size. Rank 1 writes to it only if the message of rank 2
 * came first. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got = 0, from = MPI_ANY_SOURCE;
    MPI_Offset size = 0;
    MPI_File file;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "sized.dat",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_atomicity(file, 1);
#ifdef CORRECT
    from = 2;
#endif
    if (rank != 1)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        while (!size)
            MPI_File_get_size(file, &size);
    } else if (rank == 1) {
        MPI_Recv(&got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &status);
        if (status.MPI_SOURCE == 0)
            MPI_Recv(&got, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &status); /* nobody sends it */
        MPI_File_write_at(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
