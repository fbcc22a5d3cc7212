/* One call in an inlined function, one not. */
#include <mpi.h>

static inline __attribute__((always_inline)) void meet(MPI_Comm comm)
{
    MPI_Barrier(comm); /* line 6 */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    meet(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD); /* line 13 */
    MPI_Finalize();
    return 0;
}
