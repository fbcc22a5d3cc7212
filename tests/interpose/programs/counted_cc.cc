// The counted sequence in C++.
#include <mpi.h>
#include "counted.h"

int main(int argc, char **argv)
{
    int me;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    counted(MPI_COMM_WORLD, me);
    MPI_Finalize();
}
