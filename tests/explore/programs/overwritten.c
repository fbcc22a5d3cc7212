/* 3 ranks. Ranks 0 and 1 write the same bytes of a file, and rank 2, which reads them behind a
 * barrier, does not expect those of rank 0: which come last is not said. Correct: rank 1 writes
 * once rank 0 has. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got = -1;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "overwritten.dat",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_atomicity(file, 1);
#ifdef CORRECT
    if (rank == 1)
        MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    if (rank < 2)
        MPI_File_write_at(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
#ifdef CORRECT
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
#endif
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_File_read_at(file, 0, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
        if (got == 0)
            MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
