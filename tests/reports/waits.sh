# expected
# timeout: 120
# The verdict of a clean job says in one line that its ranks wait for each other, where they do so
# for over a fifth of their time and a second each; jobs in balance, short ones, and those with
# findings have no such line.
cat >work.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
/* work MILLISECONDS ALL LEAK: rank 1 works so long in each of 20 rounds; all ranks do with ALL. */
int main(int argc, char **argv)
{
    int rank, sum = 0;
    struct timespec work = {0, atol(argv[1]) * 1000000};
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++) {
        if (rank == 1 || atoi(argv[2]))
            nanosleep(&work, NULL);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* LATE */
    }
    if (atoi(argv[3]))
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -o work work.c || exit 1
run() { # NAME ARGUMENTS...
    crosswait run -o "$1.db" -- mpirun -n 4 ./work "${@:2}" >"$1.out" 2>&1
    grep -E '^(verdict|waiting)' "$1.out" |
        sed 's|:  [0-9]* %|: most|' >"$1.said"
}
run late 80 0 0 &
run balance 80 1 0 &
run leak 80 0 1 &
run short 1 0 0
wait
for name in late balance leak short; do
    echo "== $name"
    cat $name.said
done
