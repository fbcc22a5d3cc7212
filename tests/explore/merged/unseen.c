/* Knows what no message of another rank shows: unseen WHICH. Rank 0 sends to itself behind a
 * receive that names its source, and receives (0) or probes for (1) that or what rank 2 sent; or it
 * has sent to itself before, and that comes first (2). Rank 2 sends rank 0 a signal (3). */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, which;
static volatile sig_atomic_t signalled;
static MPI_Status status;

static void on_signal(int number)
{
    (void)number;
    signalled = 1;
}

static void put(int peer, int tag, int value)
{
    MPI_Send(&value, 1, MPI_INT, peer, tag, MPI_COMM_WORLD);
}

static int get(int source, int tag)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &status);
    return value;
}

static void manager(void)
{
    int first = 0, second = 0;
    if (which == 2)
        put(0, 5, 7);
    if (which == 3)
        put(2, 2, getpid());
    get(MPI_ANY_SOURCE, 0);
    second = signalled;
    get(MPI_ANY_SOURCE, 0);
    if (which < 3) {
        get(1, 1);
        put(0, 5, 8);
    }
    if (which == 1)
        MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    if (which < 3) {
        int source = which == 0 ? MPI_ANY_SOURCE : which == 1 ? status.MPI_SOURCE : 0;
        first = get(source, 5);
        source = which == 2 || status.MPI_SOURCE ? 0 : 2;
        second = get(source, 5);
    }
    printf("%d %d\n", first, second);
}

static void worker(void)
{
    if (which == 3 && rank == 2) {
        const int process = get(0, 2);
        get(MPI_ANY_SOURCE, 3);
        get(MPI_ANY_SOURCE, 3);
        kill(process, SIGUSR1);
    }
    if (which == 3 && rank > 2)
        put(2, 3, 0);
    if (rank < 3)
        put(0, 0, 0);
    if (which < 3 && rank == 1)
        put(0, 1, 0);
    if (which < 2 && rank == 2)
        put(0, 5, 9);
}

int main(int argc, char **argv)
{
    which = argc > 1 ? atoi(argv[1]) : 0;
    signal(SIGUSR1, on_signal);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        manager();
    else
        worker();
    MPI_Finalize();
    return 0;
}
