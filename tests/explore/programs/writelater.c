/* 3 ranks. As overwritten.c, begun by nonblocking and split calls. Correct: at different places. */
#include <mpi.h>
#ifdef CORRECT
enum { PLACE = sizeof(int) };
#else
enum { PLACE = 0 };
#endif

int main(int argc, char **argv)
{
    int rank, got = -1;
    MPI_Request request;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "writelater.dat",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    if (rank == 0) {
        MPI_File_iwrite_at(file, 0, &rank, 1, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_File_write_at_all_begin(file, PLACE, &rank, rank == 1, MPI_INT);
    MPI_File_write_at_all_end(file, &rank, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    if (rank == 2) {
        MPI_File_iread_at(file, 0, &got, 1, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (got == 1)
            MPI_Abort(MPI_COMM_WORLD, 7);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
