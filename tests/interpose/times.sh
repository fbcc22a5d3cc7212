# expected
# --times=all keeps the time of each call, also of a program that cleared its environment before
# MPI_Init; without it the times of a long loop are summed up.
cat >loop.c <<'C'
#define _GNU_SOURCE
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, data[2] = {0};
    unsetenv("CROSSWAIT_TIMES");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5000; i++)
        MPI_Sendrecv(&data[0], 1, MPI_INT, 1 - rank, 0, &data[1], 1, MPI_INT, 1 - rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -O1 -o loop loop.c || exit 1
for times in all some; do
    option=
    [ $times = some ] || option=--times=$times
    crosswait record $option -o T.db -- mpirun -n 2 ./loop || exit 1
    echo "$times: $(sqlite3 T.db 'select count(*) > 0 from event where t_enter is null')"
done
