# Totals cover all ranks: messages of other types, messages that nobody received (also in programs
# with probes and threads, by the recorded matching), and misuses, of which the recorder keeps only
# some. A program that receives all its messages is not blamed.
cat >sums.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, x[4] = {0};
    float f[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < 1000; i++) {
#ifdef TYPES
        MPI_Sendrecv(x, 4, MPI_INT, right, i % 3, f, 4, MPI_FLOAT, left, i % 3, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
#elif defined(MISUSE)
        MPI_Send(x, -1, MPI_INT, right, 3, MPI_COMM_WORLD);
#elif defined(FEW)
        if (i < 10)
            MPI_Send(x, -1, MPI_INT, right, 3, MPI_COMM_WORLD);
#else
        MPI_Send(x, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
#endif
    }
#ifdef RECEIVED
    MPI_Request request;
    for (int i = 0; i < 999; i++)
        MPI_Recv(x, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(x, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request); /* takes one, untold */
    MPI_Request_free(&request);
#endif
    MPI_Finalize();
}
END
for how in TYPES MISUSE FEW LOST RECEIVED; do
    mpicc -g -D$how -o $how sums.c || exit 1
    echo "$how:"
    crosswait record -o T.db -- mpirun -n 4 ./$how >/dev/null 2>&1
    crosswait check --only=message,argument T.db |
        grep -E '^(error|warning)|times in all|are shown|^verdict'
done
# Two threads of each client send to rank 0, which probes; at its end it sends one to each client.
for how in LEFT OK; do
    mpicc -g -pthread -D$how -o threads "$SOURCE/tests/checkers/threads_left.c" || exit 1
    crosswait record -o T.db -- mpirun -n 4 ./threads >/dev/null 2>&1
    echo "threads $how: $(crosswait check --only=message T.db |
        grep -E '^(error|warning)|^verdict')"
done
