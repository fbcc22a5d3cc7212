/* Kinds of programs with many orders: kinds sum: a wildcard gather of integers; order: the same,
 * and one more message is waited for where they came in falling order;
 * farm: a manager and workers, results in any order. An empty message ends a worker, so its buffer
 * keeps the last task; no state of the manager may depend on that. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void gather(int waits)
{
    long value = rank * rank, sum = 0;
    int falling = 1, last = size;
    MPI_Status status;
    if (rank > 0) {
        MPI_Send(&value, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < size; i++) {
        MPI_Recv(&value, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        sum += value;
        falling &= status.MPI_SOURCE < last;
        last = falling ? status.MPI_SOURCE : 0;
    }
    if (waits && falling)
        MPI_Recv(&value, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD, &status);
    printf("%ld\n", sum);
}

static void farm(int tasks)
{
    long value, sum = 0;
    int task = 0, busy = 0;
    MPI_Status status;
    if (rank > 0) {
        while (MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status),
               status.MPI_TAG) {
            value = (long)task * task;
            MPI_Send(&value, 1, MPI_LONG, 0, 2, MPI_COMM_WORLD);
        }
        return;
    }
    for (int to = 1; to < size; to++, task++, busy++)
        MPI_Send(&task, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
    while (busy) {
        MPI_Recv(&value, 1, MPI_LONG, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        sum += value;
        const int more = task < tasks;
        MPI_Send(&task, more, MPI_INT, status.MPI_SOURCE, more, MPI_COMM_WORLD);
        task += more;
        busy -= !more;
    }
    printf("%ld\n", sum);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(argv[1], "farm"))
        farm(8);
    else
        gather(!strcmp(argv[1], "order"));
    MPI_Finalize();
    return 0;
}
