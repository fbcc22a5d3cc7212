# `run` waits for a program to reach the place where its ranks begin no longer than the job took
# plus a second. The job took at most as long as `run` without this wait, so the test needs no clock
# that could fail it.
# timeout: 100
cat >begins.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, data = 1;
    if (access("started", F_OK) == 0)
        for (;;)
            pause();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Send(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < 3; i++)
        MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        fclose(fopen("started", "w"));
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -o begins begins.c || exit 1
before=$(date +%s%N)
crosswait run -o T.db -- mpirun -n 3 ./begins >out 2>err
echo "[$?] $(sed -n 's/within [0-9]* ms/within N ms/p' out)"
whole=$((($(date +%s%N) - before) / 1000000))
waited=$(sed -n 's/.*within \([0-9]*\) ms.*/\1/p' out)
[ $((2 * waited)) -le $((whole + 1000 + 1)) ] && echo "no longer" || echo "$waited of $whole ms"
