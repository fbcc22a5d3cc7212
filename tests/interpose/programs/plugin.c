/* A plugin that does the counted sequence (counted_dlopen.c). */
#include <mpi.h>
#include "counted.h"

int plugin_run(int *argc, char ***argv);
int plugin_run(int *argc, char ***argv)
{
    int me;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    counted(MPI_COMM_WORLD, me);
    MPI_Finalize();
    return 0;
}
