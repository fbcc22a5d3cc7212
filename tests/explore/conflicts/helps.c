/* Two ranks and one mistake, named by the argument; `roomy` and `own` have none. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, value, got[2];

static void to_other(int tag)
{
    MPI_Send(&value, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD);
}

static void of_other(int tag)
{
    MPI_Recv(&got[0], 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Sends two messages from an attached buffer with room for so many. MPI_Buffer_detach may wait
 * until they are received. */
static void buffered(int room, int early)
{
    int bytes = room * (int)(sizeof value + MPI_BSEND_OVERHEAD);
    char *buffer = malloc((size_t)bytes);
    MPI_Buffer_attach(buffer, bytes);
    for (int i = 0; i < 2; i++)
        MPI_Bsend(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2 && !early; i++)
        of_other(0);
    MPI_Buffer_detach(&buffer, &bytes);
    for (int i = 0; i < 2 && early; i++)
        of_other(0);
    free(buffer);
}

/* Rank 0 waits for a message that nobody sends, depending on what a test or a wildcard finds. */
static void found(int wildcard)
{
    int flag = 0, from = wildcard ? MPI_ANY_SOURCE : 1;
    MPI_Request send, receive;
    MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &send);
    for (int i = 0; !rank && i < 2; i++) {
        MPI_Irecv(&got[i], 1, MPI_INT, i ? 1 - got[0] : from, 0, MPI_COMM_WORLD, &receive);
        if (!i && !wildcard)
            MPI_Test(&receive, &flag, MPI_STATUS_IGNORE);
        MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    if (!rank && (wildcard ? got[0] : !flag))
        of_other(9);
}

static void collectives(void)
{
    MPI_Comm comm[2];
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; i < 2; i++)
        MPI_Allreduce(&value, &got[i], 1, MPI_INT, MPI_SUM, comm[i ^ rank]);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comm[i]);
}

/* Four ranks, and rank 0 receives where the others make a collective call of both groups. */
static void inter(void)
{
    MPI_Comm half, both;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &both);
    if (rank)
        MPI_Bcast(&value, 1, MPI_INT, rank % 2 ? 0 : MPI_PROC_NULL, both);
    else
        MPI_Recv(&value, 1, MPI_INT, 1, 0, both, MPI_STATUS_IGNORE);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Each rank reduces by another operation of MPI's, or all by the same one of the program's own. */
static void operation(int own)
{
    MPI_Op op = rank ? MPI_MAX : MPI_SUM;
    if (own)
        MPI_Op_create(sum, 1, &op);
    MPI_Allreduce(&value, got, 1, MPI_INT, op, MPI_COMM_WORLD);
    if (own)
        MPI_Op_free(&op);
}

static void window(void)
{
    int *mine;
    MPI_Win win;
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    *mine = 7;
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        printf("%d\n", *mine);
    MPI_Win_free(&win);
}

/* Rank 0 holds the lock of rank 1's window while it waits for what rank 1 sends behind that lock.
 */
static void lock(void)
{
    int *mine;
    MPI_Win win;
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    if (rank == 0)
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    if (rank == 0)
        MPI_Win_flush(1, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    rank ? to_other(0) : of_other(0);
    MPI_Win_unlock(1, win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank;
    if (!strcmp(what, "unbuffered")) {
        to_other(0);
        of_other(0);
    } else if (!strcmp(what, "crash")) {
        if (rank == 1)
            *(volatile int *)NULL = 1;
    } else if (!strcmp(what, "mismatch")) {
        rank ? MPI_Barrier(MPI_COMM_WORLD)
             : MPI_Allreduce(&value, got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else if (!strcmp(what, "root")) {
        MPI_Bcast(got, 1, MPI_INT, rank, MPI_COMM_WORLD);
    } else if (!strcmp(what, "operation") || !strcmp(what, "own")) {
        operation(!strcmp(what, "own"));
    } else if (!strcmp(what, "missing")) {
        if (rank == 0)
            of_other(0);
    } else if (!strcmp(what, "window")) {
        window();
    } else if (!strcmp(what, "crossed")) {
        of_other(0);
        to_other(0);
    } else if (!strcmp(what, "inter")) {
        inter();
    } else if (!strcmp(what, "collectives")) {
        collectives();
    } else if (!strcmp(what, "lock")) {
        lock();
    } else if (!strcmp(what, "tested") || !strcmp(what, "wildcard")) {
        found(!strcmp(what, "wildcard"));
    } else if (!strcmp(what, "tag")) {
        to_other(rank);
        of_other(rank);
    } else {
        buffered(strcmp(what, "full") ? 2 : 1, !strcmp(what, "detached"));
    }
    MPI_Finalize();
    return 0;
}
