/* Makes every point-to-point call, in pairs of ranks. Each rank prints how often it made each call,
 * which depends on what its polls find.
 *
 * Arguments: none. Ranks: an even number.
 *
 * TEST: ranks=2 args= job=0 verdict=race
 * TEST: ranks=4 args= job=0 verdict=race
 */
#include <mpi.h>

#include "corpus/programs/counted.h"

static int rank, peer;
static int out, in;
static MPI_Comm world;

/* The lower rank of a pair sends first in blocking exchanges, so nothing depends on buffers. */
static void modes(void)
{
    MPI_Request request;
    MPI_Status status;
    for (int turn = 0; turn < 2; turn++) {
        if ((rank & 1) == turn) {
            CALL(MPI_Send, &out, 1, MPI_INT, peer, 1, world);
            CALL(MPI_Ssend, &out, 1, MPI_INT, peer, 2, world);
            CALL(MPI_Bsend, &out, 1, MPI_INT, peer, 3, world);
            CALL(MPI_Recv, NULL, 0, MPI_INT, peer, 4, world,
                 MPI_STATUS_IGNORE); /* the receive is posted */
            CALL(MPI_Rsend, &out, 1, MPI_INT, peer, 5, world);
            CALL(MPI_Isend, &out, 1, MPI_INT, peer, 6, world, &request);
            CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
            CALL(MPI_Issend, &out, 1, MPI_INT, peer, 7, world, &request);
            CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
            CALL(MPI_Ibsend, &out, 1, MPI_INT, peer, 8, world, &request);
            CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
            CALL(MPI_Recv, NULL, 0, MPI_INT, peer, 4, world, MPI_STATUS_IGNORE);
            CALL(MPI_Irsend, &out, 1, MPI_INT, peer, 9, world, &request);
            CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
        } else {
            for (int tag = 1; tag <= 3; tag++)
                CALL(MPI_Recv, &in, 1, MPI_INT, peer, tag, world, &status);
            for (int tag = 5; tag <= 9; tag++) {
                CALL(MPI_Irecv, &in, 1, MPI_INT, tag == 6 ? MPI_ANY_SOURCE : peer, tag, world,
                     &request);
                if (tag == 5 || tag == 9)
                    CALL(MPI_Send, NULL, 0, MPI_INT, peer, 4, world);
                CALL(MPI_Wait, &request, &status);
                EXPECT(in == peer && status.MPI_SOURCE == peer && status.MPI_TAG == tag);
            }
        }
    }
    CALL(MPI_Sendrecv, &out, 1, MPI_INT, peer, 10, &in, 1, MPI_INT, peer, 10, world, &status);
    in = out;
    CALL(MPI_Sendrecv_replace, &in, 1, MPI_INT, peer, 11, peer, 11, world, &status);
    EXPECT(in == peer);
    CALL(MPI_Send, &out, 1, MPI_INT, MPI_PROC_NULL, 12, world);
    CALL(MPI_Recv, &in, 1, MPI_INT, MPI_PROC_NULL, 12, world, &status);
}

static void persistent(void)
{
    MPI_Request send[4], receive[4];
    int got[4];
    CALL(MPI_Send_init, &out, 1, MPI_INT, peer, 20, world, &send[0]);
    CALL(MPI_Ssend_init, &out, 1, MPI_INT, peer, 21, world, &send[1]);
    CALL(MPI_Bsend_init, &out, 1, MPI_INT, peer, 22, world, &send[2]);
    CALL(MPI_Rsend_init, &out, 1, MPI_INT, peer, 23, world, &send[3]);
    for (int i = 0; i < 4; i++)
        CALL(MPI_Recv_init, &got[i], 1, MPI_INT, peer, 20 + i, world, &receive[i]);
    for (int round = 0; round < 3; round++) {
        CALL(MPI_Startall, 4, receive);
        CALL(MPI_Barrier, world); /* for the ready send */
        for (int i = 0; i < 4; i++)
            CALL(MPI_Start, &send[i]);
        CALL(MPI_Waitall, 4, send, MPI_STATUSES_IGNORE);
        CALL(MPI_Waitall, 4, receive, MPI_STATUSES_IGNORE);
        EXPECT(got[0] == peer && got[3] == peer);
    }
    for (int i = 0; i < 4; i++) {
        CALL(MPI_Request_free, &send[i]);
        CALL(MPI_Request_free, &receive[i]);
    }
}

static void probes(void)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request request, send[4];
    int flag = 0, count;
    for (int i = 0; i < 4; i++)
        CALL(MPI_Isend, &out, 1, MPI_INT, peer, 30 + i, world, &send[i]);
    CALL(MPI_Probe, peer, 30, world, &status);
    CALL(MPI_Recv, &in, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, world, MPI_STATUS_IGNORE);
    while (!flag)
        CALL(MPI_Iprobe, MPI_ANY_SOURCE, 31, world, &flag, &status);
    CALL(MPI_Get_count, &status, MPI_INT, &count);
    EXPECT(count == 1);
    CALL(MPI_Recv, &in, 1, MPI_INT, status.MPI_SOURCE, 31, world, MPI_STATUS_IGNORE);
    CALL(MPI_Mprobe, peer, 32, world, &message, &status);
    CALL(MPI_Mrecv, &in, 1, MPI_INT, &message, &status);
    for (flag = 0; !flag;)
        CALL(MPI_Improbe, peer, 33, world, &flag, &message, &status);
    CALL(MPI_Imrecv, &in, 1, MPI_INT, &message, &request);
    CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
    EXPECT(in == peer);
    CALL(MPI_Waitall, 4, send, MPI_STATUSES_IGNORE);
}

/* Sends eight messages each way and completes them with every completion call. */
static void completions(void)
{
    MPI_Request send[8], receive[8];
    MPI_Status statuses[8];
    int got[8], flag, index, done, indices[8];
    for (int i = 0; i < 8; i++)
        CALL(MPI_Irecv, &got[i], 1, MPI_INT, peer, 40 + i, world, &receive[i]);
    for (int i = 0; i < 8; i++)
        CALL(MPI_Isend, &out, 1, MPI_INT, peer, 40 + i, world, &send[i]);
    for (flag = 0; !flag;)
        CALL(MPI_Request_get_status, receive[0], &flag, &statuses[0]);
    CALL(MPI_Wait, &receive[0], MPI_STATUS_IGNORE);
    for (flag = 0; !flag;)
        CALL(MPI_Test, &receive[1], &flag, &statuses[1]);
    CALL(MPI_Waitany, 2, receive + 2, &index, &statuses[2]);
    for (flag = 0; !flag;)
        CALL(MPI_Testany, 2, receive + 2, &index, &flag, &statuses[3]);
    CALL(MPI_Testany, 2, receive + 2, &index, &flag,
         &statuses[3]); /* nothing left: MPI_UNDEFINED */
    EXPECT(flag && index == MPI_UNDEFINED);
    for (int left = 2; left; left -= done)
        CALL(MPI_Waitsome, 2, receive + 4, &done, indices, statuses);
    for (int left = 2; left; left -= done)
        CALL(MPI_Testsome, 2, receive + 6, &done, indices, statuses);
    for (flag = 0; !flag;)
        CALL(MPI_Testall, 8, send, &flag, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 8; i++)
        EXPECT(got[i] == peer);
}

/* The library calls this function inside of MPI_Wait; its MPI calls count as the program's. */
static int grequest_query(void *state, MPI_Status *status)
{
    (void)state;
    CALL(MPI_Status_set_elements, status, MPI_INT, 3);
    CALL(MPI_Status_set_elements_x, status, MPI_INT, 3);
    CALL(MPI_Status_set_cancelled, status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int grequest_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int grequest_cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void the_rest(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Count many;
    int cancelled = 0, elements;
    CALL(MPI_Irecv, &in, 1, MPI_INT, peer, 99, world, &request);
    CALL(MPI_Cancel, &request);
    CALL(MPI_Wait, &request, &status);
    CALL(MPI_Test_cancelled, &status, &cancelled);
    EXPECT(cancelled);
    CALL(MPI_Isend, &out, 1, MPI_INT, peer, 50, world, &request);
    CALL(MPI_Request_free, &request); /* the request is active */
    CALL(MPI_Recv, &in, 1, MPI_INT, peer, 50, world, &status);
    CALL(MPI_Get_elements, &status, MPI_INT, &elements);
    CALL(MPI_Get_elements_x, &status, MPI_INT, &many);
    EXPECT(elements == 1 && many == 1);
    CALL(MPI_Grequest_start, grequest_query, grequest_free, grequest_cancel, NULL, &request);
    CALL(MPI_Grequest_complete, request);
    CALL(MPI_Wait, &request, &status);
    CALL(MPI_Get_elements, &status, MPI_INT, &elements);
    EXPECT(elements == 3);
}

int main(int argc, char **argv)
{
    static char space[100000];
    void *detached;
    int size, bytes;
    CALL(MPI_Init, &argc, &argv);
    world = MPI_COMM_WORLD;
    CALL(MPI_Comm_rank, world, &rank);
    CALL(MPI_Comm_size, world, &size);
    EXPECT(size % 2 == 0);
    peer = rank ^ 1;
    out = rank;
    CALL(MPI_Buffer_attach, space, (int)sizeof(space));
    modes();
    persistent();
    probes();
    completions();
    the_rest();
    CALL(MPI_Buffer_detach, &detached, &bytes);
    CALL(MPI_Barrier, world);
    CALL0(MPI_Finalize);
    counted_print(rank);
    return 0;
}
