/* One rank is slow at a known line, or receives late, or none is: what `run --why` says. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 60, WORDS = 1 << 12 };

static void work(double seconds)
{
    struct timespec pause = {0, (long)(seconds * 1e9)};

    nanosleep(&pause, NULL);
}

static void slow_rank(int rank)
{
    double x = rank, sum;

    for (int i = 0; i < ROUNDS; i++) {
        work(rank == 2 ? .02 : .001);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* SLOW */
    }
}

static void late_receiver(int rank)
{
    char *data = calloc(WORDS, 8);

    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 0)
            MPI_Send(data, WORDS * 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD); /* SEND */
        if (rank == 1) {
            work(.02);
            MPI_Recv(data, WORDS * 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LATE */
        }
    }
    free(data);
}

static void late_sender(int rank)
{
    int x = 0;

    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request;
        if (rank == 0) {
            work(.02);
            MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* LATE SEND */
        }
        if (rank == 1) {
            MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE); /* WAIT */
        }
    }
}

static void balanced(void)
{
    work(.9);
    MPI_Barrier(MPI_COMM_WORLD);
    work(.9);
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD); /* ranks do not come out of MPI_Init together */
    if (!strcmp(argv[1], "slow"))
        slow_rank(rank);
    else if (!strcmp(argv[1], "receiver"))
        late_receiver(rank);
    else if (!strcmp(argv[1], "sender"))
        late_sender(rank);
    else
        balanced();
    MPI_Finalize();
    return argc != 2;
}
