/* Hangs by non-blocking collectives in different orders, buffered messages that nobody receives,
 * locks that the library takes late, communicators that one side or member makes differently or not
 * at all, a generalized request that nobody completes, or an edge that only one of two neighbours
 * knows. The first argument selects the case, "fixed" its correct twin. Ranks: 2 to 4, as in the
 * TEST lines.
 *
 * TEST: ranks=2 args=icolls job=hangs verdict=misuse
 * TEST: ranks=2 args=icolls fixed job=0 verdict=clean
 * TEST: ranks=2 args=detach job=hangs verdict=deadlock
 * TEST: ranks=2 args=detach fixed job=0 verdict=clean
 * TEST: ranks=2 args=flush job=hangs verdict=deadlock
 * TEST: ranks=2 args=flush fixed job=0 verdict=clean
 * TEST: ranks=2 args=unlock job=hangs verdict=deadlock
 * TEST: ranks=2 args=unlock fixed job=0 verdict=clean
 * TEST: ranks=4 args=intercomm job=hangs verdict=deadlock-recorded
 * TEST: ranks=4 args=intercomm fixed job=0 verdict=clean
 * TEST: ranks=4 args=roots job=hangs verdict=misuse
 * TEST: ranks=4 args=roots fixed job=0 verdict=clean
 * TEST: ranks=2 args=idup job=hangs verdict=deadlock
 * TEST: ranks=2 args=idup fixed job=0 verdict=clean
 * TEST: ranks=2 args=general job=hangs verdict=deadlock-recorded
 * TEST: ranks=2 args=general fixed job=0 verdict=clean
 * TEST: ranks=2 args=party job=hangs verdict=deadlock-recorded
 * TEST: ranks=2 args=party fixed job=0 verdict=clean
 * TEST: ranks=3 args=edges job=hangs verdict=misuse
 * TEST: ranks=3 args=edges fixed job=0 verdict=clean
 * INPROC: not detach, which finds the buffer empty there
 * INPROC: not roots, a deadlock there
 * WORLD: not detach, which finds the buffer empty there
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static bool fixed;

static void start(bool broadcast, int *number, int *sum, MPI_Request *request)
{
    if (broadcast)
        MPI_Ibcast(number, 1, MPI_INT, 1, MPI_COMM_WORLD, request);
    else
        MPI_Iscan(&rank, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, request);
}

/* The ranks start two collectives in different orders. */
static void icolls(void)
{
    int number = 0, sum = 0;
    bool order = rank == 0 || fixed;
    MPI_Request request[2];

    start(order, &number, &sum, &request[0]);
    start(!order, &number, &sum, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/* MPI_Buffer_detach returns when the receiver has all messages that were in the buffer. */
static void detach(void)
{
    int bytes = 1 << 20, room = bytes + MPI_BSEND_OVERHEAD;
    char *message = calloc(1, (size_t)bytes), *buffer = malloc((size_t)room), *old;

    if (rank == 0) {
        MPI_Buffer_attach(buffer, room);
        MPI_Bsend(message, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Buffer_detach(&old, &room);
    } else if (fixed) {
        sleep(2); /* late */
        MPI_Recv(message, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && !fixed)
        MPI_Recv(message, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(message);
    free(buffer);
}

/* Rank 1 keeps its lock until rank 0 has held and released the same lock. If Open MPI sends RMA as
 * messages, it takes locks late: MPI_Win_lock returns first. With shared memory it does not. */
static void locks(bool flush)
{
    int *memory, one = 1;
    MPI_Win window;

    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        if (flush)
            MPI_Win_flush(1, window);
        MPI_Win_unlock(1, window);
        MPI_Send(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        if (fixed) {
            sleep(2); /* late */
            MPI_Win_unlock(1, window);
        }
        MPI_Recv(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!fixed)
            MPI_Win_unlock(1, window);
    }
    MPI_Win_free(&window);
}

/* The two halves call MPI_Intercomm_create with different tags. */
static void intercomm(void)
{
    MPI_Comm half, both;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (fixed && rank == 1)
        sleep(2); /* late */
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, fixed ? 5 : 5 + rank % 2, &both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

/* The two groups name different roots. */
static void roots(void)
{
    MPI_Comm half, both;
    int one = rank, all[2], root = rank == 2 * !fixed ? MPI_ROOT : MPI_PROC_NULL;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &both);
    if (fixed && rank == 0)
        sleep(2); /* late */
    MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, rank % 2 ? 0 : root, both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

/* Rank 1 duplicates the communicator only after rank 0 has its duplicate. */
static void idup(void)
{
    MPI_Comm copy;
    MPI_Request request;
    int token = 0;

    if (rank == 1 && fixed)
        sleep(2); /* late */
    if (rank == 1 && !fixed)
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0 && !fixed)
        MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&copy);
}

static void party(void)
{
    MPI_Comm made;
    MPI_Group all;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int round = 0; round < 3; round++) {
        if (fixed && rank == 1)
            sleep(1); /* late */
        MPI_Comm_create_group(MPI_COMM_WORLD, all, fixed || round < 2 ? 5 : 5 + rank, &made);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&all);
}

/* Each rank names the next one as a neighbour to send to, except rank 1: rank 2 waits for it. */
static void edges(void)
{
    int ranks, before, next, in = 0, one = 1;
    MPI_Comm ring;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    before = (rank + ranks - 1) % ranks;
    next = (rank + 1) % ranks;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &one, rank != 1 || fixed, &next,
                                   &one, MPI_INFO_NULL, 0, &ring);
    if (fixed && rank == 1)
        sleep(2); /* late */
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &in, 1, MPI_INT, ring);
    MPI_Comm_free(&ring);
}

static int general_query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_cancelled(status, 0);
    MPI_Status_set_elements(status, MPI_INT, 0);
    return MPI_SUCCESS;
}

static int general_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int general_cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void general(void)
{
    MPI_Request request;

    MPI_Grequest_start(general_query, general_free, general_cancel, NULL, &request);
    if (rank == 1 || fixed)
        MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "detach";

#if OMPI_MAJOR_VERSION < 5
    setenv("OMPI_MCA_osc", "^ucx,rdma,sm", 0); /* RMA by messages; 5 lacks that */
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fixed = argc > 2 && !strcmp(argv[2], "fixed");
    if (!strcmp(way, "icolls"))
        icolls();
    else if (!strcmp(way, "detach"))
        detach();
    else if (!strcmp(way, "intercomm"))
        intercomm();
    else if (!strcmp(way, "roots"))
        roots();
    else if (!strcmp(way, "idup"))
        idup();
    else if (!strcmp(way, "party"))
        party();
    else if (!strcmp(way, "edges"))
        edges();
    else if (!strcmp(way, "general"))
        general();
    else
        locks(!strcmp(way, "flush"));
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
