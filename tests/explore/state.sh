# A search that is stopped by Ctrl-C or killed continues where it was; in the end it prints the same
# as one that was never stopped.
# timeout: 180
cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size;
    double got, sum = 0, other = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    got = rank;
    if (rank)
        MPI_Send(&got, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; i < size && rank == 0; i++) {
        MPI_Recv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = sum / 2 + got;
    }
    if (rank < 2) { /* both send first */
        MPI_Send(&sum, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD);
        MPI_Recv(&other, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 1)
        printf("%g\n", other);
    MPI_Finalize();
    return 0;
}
END
mpicc -g -O1 -include "$SOURCE/tests/explore/paced.h" -o program program.c || exit 1
crosswait explore --json=whole.json --time=0 -n 6 -- ./program >whole.txt 2>&1
tail -1 whole.txt
for signal in INT KILL; do
    /usr/bin/python3 "$SOURCE/tests/explore/stop.py" $signal crosswait explore --state=$signal \
        --json=$signal.json \
        --time=0 -n 6 -- ./program >$signal.txt
    echo "[$?] $signal: $(cmp whole.json $signal.json && cmp whole.txt $signal.txt &&
        echo the same)"
done
# What it belongs to is checked, and what is no state of a search refused.
crosswait explore --state=INT -n 3 -- ./program
echo "[$?]"
head -c 300 INT >torn
crosswait explore --state=torn -n 6 -- ./program
echo "[$?]"
