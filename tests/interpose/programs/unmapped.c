/* Unmaps what it sends before it waits for the send: wrong, and it works where the library has buffered the message. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    enum { BYTES = 1000, MAPPED = 65536 };
    char in[BYTES];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        char *out = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MPI_Request request;
        if (out == MAP_FAILED)
            MPI_Abort(MPI_COMM_WORLD, 1);
        memset(out, 1, BYTES);
        MPI_Isend(out, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
        munmap(out, MAPPED);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(in, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    if (rank == 0)
        puts("done");
    return 0;
}
