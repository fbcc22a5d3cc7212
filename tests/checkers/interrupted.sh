# Judging a job that was interrupted in a long loop costs what is new, as if the loop had ended: the
# note on the end of the record concerns no call of the loop.
cat >loop.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, data[2] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long i = 0;; i++) {
        MPI_Sendrecv(&data[0], 1, MPI_INT, 1 - rank, 0, &data[1], 1, MPI_INT, 1 - rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0 && i == 200000)
            fclose(fopen("there", "w"));
    }
}
C
mpicc -g -O1 -o loop loop.c || exit 1
(exec crosswait record -o T.db -- mpirun -n 2 ./loop) >out 2>&1 &
job=$!
for ((i = 0; i < 2000; i++)); do
    [ -e there ] && break
    sleep 0.05
done
kill -TERM $job
wait $job
(ulimit -t 1 && crosswait check T.db) | sed -n 's/, 1 note//; /^verdict/p' # if ranks were in calls
# A rank that dies outside of MPI, behind calls whose times are summed, is in no call.
cat >dies.c <<'C'
#include <mpi.h>
#include <signal.h>
int main(int argc, char **argv)
{
    int rank, data[2] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (long i = 0; i < 3000; i++)
        MPI_Sendrecv(&data[0], 1, MPI_INT, 1 - rank, 0, &data[1], 1, MPI_INT, 1 - rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -O1 -o dies dies.c || exit 1
crosswait run -o K.db -- mpirun -n 2 ./dies 2>&1 | grep '^  rank 1' |
    sed 's/since 0\.000 s.*/AT THE START/; s/, since .*//'
exit 0
