/* 3 ranks. Ranks 0 and 1 write a record each at the shared pointer, and rank 2 takes the first to
 * be rank 0's. Correct: in the order of ranks. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got[2] = {-1, -1};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "shared.dat",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
#ifdef CORRECT
    MPI_File_write_ordered(file, &rank, rank < 2, MPI_INT, MPI_STATUS_IGNORE);
#else
    if (rank < 2)
        MPI_File_write_shared(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
#endif
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    if (rank == 2) {
        MPI_File_read_at(file, 0, got, 2, MPI_INT, MPI_STATUS_IGNORE);
        if (got[0] == 1)
            MPI_Abort(MPI_COMM_WORLD, 4);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
