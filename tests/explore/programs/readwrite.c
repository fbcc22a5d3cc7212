/* 2 ranks. Rank 1 reads what rank 0 writes at that time, and does not expect it to be there
 * already. Correct: it reads what lies beside it. */
#include <mpi.h>
#ifdef CORRECT
enum { PLACE = sizeof(int) };
#else
enum { PLACE = 0 };
#endif

int main(int argc, char **argv)
{
    int rank, value = 7, both[2] = {1, 2};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "readwrite.dat",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    if (rank == 0)
        MPI_File_write_at(file, 0, both, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    if (rank == 0)
        MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    else
        MPI_File_read_at(file, PLACE, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (rank == 1 && value == 7)
        MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
