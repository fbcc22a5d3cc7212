/* Ranks give a file different sizes, which they must not: closing it then hangs. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "closing.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file);
    MPI_File_set_size(file, 1024 * (rank + 1));
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
