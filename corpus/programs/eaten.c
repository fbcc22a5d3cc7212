/* A pending receive takes the message that a later receive or probe waits for. The first argument
 * selects the case; "fixed" selects its correct twin.
 *
 * TEST: ranks=2 args=two job=hangs verdict=deadlock
 * TEST: ranks=2 args=two fixed job=0 verdict=clean
 * TEST: ranks=3 args=three job=hangs verdict=deadlock-some-order
 * TEST: ranks=3 args=three slow job=hangs verdict=deadlock-some-order
 * TEST: ranks=3 args=three fixed job=0 verdict=clean
 * TEST: ranks=3 args=three fixed slow job=0 verdict=clean
 * TEST: ranks=2 args=tags job=hangs verdict=deadlock
 * TEST: ranks=2 args=tags fixed job=0 verdict=clean
 * TEST: ranks=2 args=probe job=hangs verdict=deadlock
 * TEST: ranks=2 args=probe fixed job=0 verdict=clean
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, number[2];
static bool fixed, slow;

static void receive(int from, int tag)
{
    MPI_Recv(&number[1], 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(int to, int tag)
{
    MPI_Send(&number[0], 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

/* Rank 1 sends one message, rank 0 posts two receives. */
static void two(void)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Irecv(&number[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
        receive(1, 1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        send(0, 1);
        if (fixed)
            send(0, 1);
    }
}

/* Ranks 1 and 2 send one message each, but that of rank 1 comes first, and the wildcard receive
 * takes it. In the twin rank 1 sends two messages. */
static void three(void)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Irecv(&number[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
        receive(1, 1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (fixed)
            receive(MPI_ANY_SOURCE, 1);
    } else if (rank == 1) {
        send(0, 1);
        MPI_Send(&number[0], 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
        if (slow)
            sleep(4);
        if (fixed)
            send(0, 1);
    } else {
        receive(1, 2);
        send(0, 1);
    }
}

/* A receive of any tag takes the message that the receive of tag 1 waits for. */
static void tags(void)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Irecv(&number[0], 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        receive(1, 1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        send(0, fixed ? 2 : 1);
        send(0, fixed ? 1 : 2);
    }
}

/* A probe does not find the message that a pending receive takes. */
static void probe(void)
{
    MPI_Request request;

    if (rank == 0) {
        MPI_Irecv(&number[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        if (fixed)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        receive(1, 1);
        if (!fixed)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        send(0, 1);
        if (fixed)
            send(0, 1);
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "two";

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fixed = argc > 2 && !strcmp(argv[2], "fixed");
    slow = argc > 3 && !strcmp(argv[3], "slow");
    if (!strcmp(way, "two"))
        two();
    else if (!strcmp(way, "three"))
        three();
    else if (!strcmp(way, "tags"))
        tags();
    else
        probe();
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
