/* 4 ranks. A rank is ended by a signal in every other world in which rank 1's message came first:
 * the same choices do not repeat it. */
#include <mpi.h>
#include <signal.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    int rank, size, got;
    static int *times;
    MPI_Status status;
    /* Memory that all worlds share: it is mapped before there are any. */
    times = mmap(0, sizeof *times, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int root = 0; root < 2; root++) {
        for (int to = 0; to < size && rank == root; to++)
            if (to != root)
                MPI_Send(&rank, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
        if (rank == root)
            continue;
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
#ifndef CORRECT
        if (rank > 1 && root == 0 && status.MPI_SOURCE == 1 && (*times)++ % 2 == 0)
            raise(SIGSEGV);
#endif
    }
    MPI_Finalize();
    return 0;
}
