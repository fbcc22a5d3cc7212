/* 2 ranks. Rank 0 writes two pieces of a file and sends a message; rank 1, which has it, sees both
 * pieces, or none, or the second alone. Correct: both call MPI_File_sync, before and behind. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, piece[2] = {5, 5}, got[2] = {0, 0};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "unsynced.dat",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    if (rank == 0) {
        MPI_File_write_at(file, 0, &piece[0], 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_write_at(file, sizeof(int), &piece[1], 1, MPI_INT, MPI_STATUS_IGNORE);
#ifdef CORRECT
        MPI_File_sync(file);
#endif
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
#ifdef CORRECT
        MPI_File_sync(file);
#endif
        MPI_Recv(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        rank = 1;
    }
#ifdef CORRECT
    MPI_File_sync(file);
#endif
    if (rank == 1) {
        MPI_File_read_at(file, 0, got, 2, MPI_INT, MPI_STATUS_IGNORE);
        if (got[1] == 5 && got[0] != 5)
            MPI_Abort(MPI_COMM_WORLD, 6);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
