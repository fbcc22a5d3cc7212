/* Calls MPI_Finalize from an atexit handler, after main has returned. Each rank prints how often it
 * made each call.
 *
 * Arguments: none. Ranks: any number.
 *
 * TEST: ranks=2 args= job=0 verdict=clean
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

static int rank;

static void finalize(void)
{
    CALL0(MPI_Finalize);
    counted_print(rank);
}

int main(int argc, char **argv)
{
    int sum = 0;
    CALL(MPI_Init, &argc, &argv);
    atexit(finalize);
    CALL(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    CALL(MPI_Allreduce, &rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return 0;
}
