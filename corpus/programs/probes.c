/* Rank 0 probes for any source and receives the message found, then one from rank 2. This works
 * while the probe finds the message of rank 1; if it finds that of rank 2, the second receive waits
 * for ever. The twin ("fixed") receives the other rank's message. Rank 2 sends a little later, so
 * that the job ends in most runs.
 *
 * TEST: ranks=3 args=probe job=0 verdict=deadlock-some-order
 * TEST: ranks=3 args=probe fixed job=0 verdict=clean
 * TEST: ranks=3 args=iprobe job=0 verdict=deadlock-some-order
 * TEST: ranks=3 args=iprobe fixed job=0 verdict=clean
 * TEST: ranks=3 args=mprobe job=0 verdict=deadlock-some-order
 * TEST: ranks=3 args=mprobe fixed job=0 verdict=clean
 * TEST: ranks=3 args=improbe job=0 verdict=deadlock-some-order
 * TEST: ranks=3 args=improbe fixed job=0 verdict=clean
 * TEST: ranks=3 args=tag job=0 verdict=deadlock-some-order
 * TEST: ranks=3 args=tag fixed job=0 verdict=clean
 * INPROC: no, which message a probe finds first is a matter of time
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Receives the first message that a probe finds; returns its source. */
static int receive_any(const char *way, int *number)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Status status = {0};
    int found = 0;

    if (!strcmp(way, "probe")) {
        MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
        MPI_Recv(number, 1, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "iprobe")) {
        while (!found)
            MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, &status);
        MPI_Irecv(number, 1, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "tag")) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(number, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    } else if (!strcmp(way, "mprobe")) {
        MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(number, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
        while (!found)
            MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, &message, &status);
        MPI_Mrecv(number, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    return status.MPI_SOURCE;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "probe";
    bool fixed = argc > 2 && !strcmp(argv[2], "fixed");
    int rank, first = -1, second = -1, tags = !strcmp(way, "tag");

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        int other = 3 - receive_any(way, &first);

        if (!fixed)
            other = 2;
        MPI_Recv(&second, 1, MPI_INT, other, tags ? 5 + other : 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (fixed)
            printf("received from %d and %d\n", first < second ? first : second,
                   first < second ? second : first);
        else
            printf("received from %d, then from %d\n", first, second);
    } else if (rank <= 2) {
        if (rank == 2)
            usleep(400000);
        MPI_Send(&rank, 1, MPI_INT, 0, tags ? 5 + rank : 5, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
