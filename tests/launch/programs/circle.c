/* usage: circle hang|late|work. Each rank receives from the next one first.
 *     hang   and sends behind that: none ever returns
 *     late   but rank 0 sends first, once it has slept for 3 seconds
 *     work   rank 0 sends at once, 300 times around
 * Rank 0 says when the ranks have met. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

static void receive(void)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(void)
{
    MPI_Send(&rank, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "work";
    int rounds = strcmp(mode, "work") ? 1 : 300;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        fprintf(stderr, "met\n");
        if (!strcmp(mode, "late"))
            sleep(3);
    }
    for (int i = 0; i < rounds; i++) {
        if (rank == 0 && strcmp(mode, "hang") != 0) {
            send();
            receive();
        } else {
            receive();
            send();
        }
    }
    MPI_Finalize();
    return 0;
}
