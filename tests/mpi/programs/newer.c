/* Calls of MPI 4.0 and 4.1, each in a program that is right ("all") and in others:
 *   start      rank 1 never starts its part of a persistent MPI_Allreduce
 *   ready      rank 0 never marks the last partition of its send
 *   isendrecv  rank 1 neither receives from rank 0's MPI_Isendrecv nor sends to it
 *   cut        the message of each rank's MPI_Isendrecv is longer than its receive
 *   arrived    rank 1 asks once whether a partition is there: right, and others could come first
 *   flush      rank 0 flushes the buffer of a communicator, rank 1 never receives what is in it
 * 2 ranks. Open MPI 5 has the calls of MPI 4.0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MPI_BUFFER_AUTOMATIC
#define HAS_41 1
#endif

enum { TAG = 7, PARTS = 4, BIG = 1 << 20 };
static int me, other, big[BIG], got[BIG];

static void persistent(int rank_1_starts)
{
    MPI_Request request;
    int value, sum;

    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++) {
        value = me + i;
        if (me == 0 || rank_1_starts) {
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    if (me == 0)
        printf("sum %d\n", sum);
    MPI_Request_free(&request);
}

static void partitioned(int marked, int asks)
{
    MPI_Request request;
    int there;

    if (me == 0)
        MPI_Psend_init(big, PARTS, 16, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(got, PARTS, 16, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (int i = 0; me == 0 && i < marked; i++)
        MPI_Pready(i, request);
    if (me == 1 && asks)
        MPI_Parrived(request, 0, &there);
    if (me == 1 || marked == PARTS)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 0 && marked < PARTS)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request_free(&request);
}

static void exchanged(int rank_1_receives)
{
    MPI_Request request;

    if (me == 1 && !rank_1_receives)
        return;
    MPI_Isendrecv(big, BIG, MPI_INT, other, TAG, got, BIG, MPI_INT, other, TAG, MPI_COMM_WORLD,
                  &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    big[0] = me + 1;
    MPI_Isendrecv_replace(big, 1, MPI_INT, other, TAG, other, TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 0)
        printf("from the other %d\n", big[0]);
}

static void cut(void)
{
    MPI_Request request;

    MPI_Isendrecv(big, 4, MPI_INT, other, TAG, got, 2, MPI_INT, other, TAG, MPI_COMM_WORLD,
                  &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 0 receives from any rank by MPI_Isendrecv, and then from the other of the two. */
static void of_any(void)
{
    MPI_Request request, own;
    MPI_Status status;

    if (me == 1)
        MPI_Isend(&me, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &own);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        MPI_Isend(&me, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, &own);
        MPI_Isendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, TAG, got, 1, MPI_INT, MPI_ANY_SOURCE, TAG,
                      MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status); /* MPICH leaves the status unset */
        MPI_Recv(got + 1, 1, MPI_INT, 1 - got[0], TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&own, MPI_STATUS_IGNORE);
}

#ifdef HAS_41
static void buffered(void)
{
    int room = 3 * (64 * (int)sizeof *big + MPI_BSEND_OVERHEAD), size = 0, flag = 0, index,
        outcount;
    int indices[2], source, tag;
    void *buffer = malloc((size_t)room), *detached;
    MPI_Request request[2];
    MPI_Status status, statuses[2];
    MPI_Comm comm;

    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    if (me == 0)
        MPI_Bsend(big, 256, MPI_INT, 1, TAG, MPI_COMM_WORLD);
    else
        MPI_Recv(got, 256, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_flush();
    MPI_Buffer_detach(&detached, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_attach_buffer(comm, buffer, room);
    if (me == 0) {
        MPI_Bsend(big, 64, MPI_INT, 1, TAG, comm);
        MPI_Ibsend(big, 64, MPI_INT, 1, TAG, comm, &request[0]);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
    if (me == 1) {
        MPI_Irecv(got, 64, MPI_INT, 0, TAG, comm, &request[0]);
        MPI_Irecv(got + 64, 64, MPI_INT, 0, TAG, comm, &request[1]);
        while (!flag)
            MPI_Request_get_status_all(2, request, &flag, statuses);
        MPI_Request_get_status_any(2, request, &index, &flag, &status);
        MPI_Request_get_status_some(2, request, &outcount, indices, statuses);
        MPI_Status_get_source(&status, &source);
        MPI_Status_get_tag(&status, &tag);
        printf("%d complete, from %d with tag %d\n", outcount, source, tag);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_flush_buffer(comm);
    MPI_Comm_iflush_buffer(comm, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(comm, &detached, &size);
    free(detached);
    MPI_Comm_free(&comm);
}

static void flushed(void)
{
    int room = (int)sizeof big + MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)room);
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_attach_buffer(comm, buffer, room);
    if (me == 0) {
        MPI_Bsend(big, BIG, MPI_INT, 1, TAG, comm);
        MPI_Comm_flush_buffer(comm);
    } else {
        MPI_Recv(got, 1, MPI_INT, 0, TAG + 1, comm, MPI_STATUS_IGNORE);
    }
}
#endif

static void in_session(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int sum = 1;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "newer", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (me == 0)
        printf("in the session %d\n", sum);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    int all = !strcmp(what, "all");

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    other = 1 - me;
    if (all || !strcmp(what, "start"))
        persistent(all);
    if (all || !strcmp(what, "ready"))
        partitioned(all ? PARTS : PARTS - 1, 0);
    if (!strcmp(what, "arrived"))
        partitioned(PARTS, 1);
    if (!strcmp(what, "cut"))
        cut();
    if (all)
        of_any();
    if (all || !strcmp(what, "isendrecv"))
        exchanged(all);
#ifdef HAS_41
    if (all)
        buffered();
    if (!strcmp(what, "flush"))
        flushed();
#endif
    if (all)
        in_session();
    MPI_Finalize();
    return 0;
}
