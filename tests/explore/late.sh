# timeout: 100
# A program that is slow when it runs again, as on a busy machine, is not reported as failing. The
# job and the first world are quick, as rank 0 counts its starts.
cat >late.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/shm.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, data = 1;
    volatile int *starts = shmat(atoi(argv[argc - 1]), NULL, 0);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && ++*starts > 2)
        for (volatile long i = 0; i < 20000000000; i++)
            ;
    if (rank)
        MPI_Send(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -o late late.c || exit 1
shared=$(ipcmk -M 64 | sed 's/.*: //')
trap 'ipcrm -m "$shared"' EXIT
crosswait run -o T.db -- mpirun -n 2 ./late "$shared" >out 2>err
echo "[$?] $(crosswait check T.db | grep '^verdict')"
exit 0
