# expected
# timeout: 120
# A verdict says in one line that the ranks wait for each other, if they do so for over a fifth of
# their time; balanced jobs, and those of less than a second, have no such line. The line of a job
# that hung leaves the hang out; if a loop's times are summed up, the line says how much it covers.
cat >work.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
/* work MILLISECONDS ALL END ROUNDS: rank 1 works so long in each round; all ranks do with ALL. END:
 * 1 leaves a communicator, 2 hangs. */
int main(int argc, char **argv)
{
    int rank, sum = 0;
    struct timespec work = {0, atol(argv[1]) * 1000000};
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < atoi(argv[4]); i++) {
        if (rank == 1 || atoi(argv[2]))
            nanosleep(&work, NULL);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % 4, 0, &sum, 1, MPI_INT, (rank + 3) % 4, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (atoi(argv[3]) == 2)
        MPI_Recv(&sum, 1, MPI_INT, (rank + 1) % 4, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (atoi(argv[3]) == 1)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o work work.c || exit 1
run() { # NAME ARGUMENTS...
    crosswait run -o "$1.db" -- mpirun -n 4 ./work "${@:2}" >"$1.out" 2>&1
    grep -E '^(verdict|waiting)' "$1.out" |
        sed 's|:  [0-9]* %|: most|; s|the [0-9]* %|a part|' >"$1.said"
}
run late 80 0 0 20 &
run balance 80 1 0 20 &
run leak 80 0 1 20 &
run hang 80 0 2 20 &
run short 1 0 0 20
wait
run long 1 0 0 1500
for name in late balance leak hang short long; do
    echo "== $name"
    sed 's/\(call by call\), .*;/\1, [...];/' $name.said # who is to blame varies from run to run
done
