/* 3 ranks, every way a message can be sent and received. Each message carries its number; the
 * receiver prints who sent which number, to be compared with what the trace says. Output: "source
 * dest tag bytes" per message received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void got(int source_world, int tag, int bytes)
{
    printf("%d %d %d %d\n", source_world, rank, tag, bytes);
}

static void got_status(const MPI_Status *status)
{
    int bytes;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    got(status->MPI_SOURCE, status->MPI_TAG, bytes);
}

int main(int argc, char **argv)
{
    char buffer[4][100], space[4096 + MPI_BSEND_OVERHEAD];
    MPI_Request request[4];
    MPI_Status status[4];
    MPI_Message first, second;
    MPI_Comm half, between, turned;
    int index, flag, count;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;

    /* persistent, started together, three times */
    MPI_Send_init(buffer[0], 11, MPI_BYTE, right, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(buffer[1], 100, MPI_BYTE, left, MPI_ANY_TAG, MPI_COMM_WORLD, &request[1]);
    MPI_Recv_init(buffer[2], 100, MPI_BYTE, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request[2]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(3, request);
        MPI_Waitall(3, request, status);
        got_status(&status[1]);
    }
    MPI_Start(&request[0]);
    MPI_Start(&request[1]);
    MPI_Wait(&request[1], &status[1]);
    got_status(&status[1]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&request[i]);

    /* all modes to one receiver that takes what comes */
    if (rank == 0) {
        for (int i = 0; i < 4 * (size - 1); i++) {
            MPI_Recv(buffer[0], 100, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                     &status[0]);
            got_status(&status[0]);
        }
    } else {
        MPI_Buffer_attach(space, sizeof space);
        MPI_Bsend(buffer[0], 20 + rank, MPI_BYTE, 0, 10, MPI_COMM_WORLD);
        MPI_Issend(buffer[1], 30 + rank, MPI_BYTE, 0, 11, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(buffer[2], 40 + rank, MPI_BYTE, 0, 12, MPI_COMM_WORLD, &request[1]);
        MPI_Send(buffer[3], 50 + rank, MPI_BYTE, 0, 10, MPI_COMM_WORLD);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        void *at;
        MPI_Buffer_detach(&at, &count);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    /* both ways at once, receives that are not waited for in order, and a cancelled one */
    MPI_Sendrecv(buffer[0], 3, MPI_INT, right, 20, buffer[1], 25, MPI_INT, MPI_ANY_SOURCE, 20,
                 MPI_COMM_WORLD, &status[0]);
    got_status(&status[0]);
    MPI_Sendrecv_replace(buffer[0], 4, MPI_INT, right, 21, left, 21, MPI_COMM_WORLD, &status[0]);
    got_status(&status[0]);
    MPI_Irecv(buffer[0], 100, MPI_BYTE, left, 22, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(buffer[1], 100, MPI_BYTE, MPI_ANY_SOURCE, 22, MPI_COMM_WORLD, &request[1]);
    MPI_Irecv(buffer[2], 100, MPI_BYTE, left, 99, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(buffer[3], 5, MPI_BYTE, right, 22, MPI_COMM_WORLD, &request[3]);
    MPI_Cancel(&request[2]);
    MPI_Wait(&request[2], &status[2]);
    MPI_Wait(&request[3], MPI_STATUS_IGNORE);
    MPI_Send(buffer[3], 6, MPI_BYTE, right, 22, MPI_COMM_WORLD);
    MPI_Wait(&request[1], &status[1]);
    MPI_Waitany(1, request, &index, &status[0]);
    got_status(&status[0]);
    got_status(&status[1]);

    /* probes that take the message with them; a test that has to try */
    MPI_Isend(buffer[0], 7, MPI_BYTE, right, 30, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(buffer[0], 8, MPI_BYTE, right, 30, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(buffer[0], 9, MPI_BYTE, right, 30, MPI_COMM_WORLD, &request[2]);
    MPI_Mprobe(MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, &first, &status[0]);
    MPI_Recv(buffer[2], 100, MPI_BYTE, left, 30, MPI_COMM_WORLD,
             &status[2]); /* the second: the first is taken */
    flag = 0;
    while (!flag)
        MPI_Improbe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &second, &status[1]);
    MPI_Imrecv(buffer[3], 100, MPI_BYTE, &second, &request[3]);
    MPI_Mrecv(buffer[1], 100, MPI_BYTE, &first, &status[0]);
    MPI_Wait(&request[3], &status[1]);
    for (int i = 0; i < 3; i++)
        got_status(&status[i]);
    flag = 0;
    while (!flag)
        MPI_Testall(3, request, &flag, MPI_STATUSES_IGNORE);

    /* another numbering, and two groups that talk across */
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &turned);
    MPI_Sendrecv(buffer[0], 13, MPI_BYTE, right, 40, buffer[1], 100, MPI_BYTE, MPI_ANY_SOURCE, 40,
                 turned, &status[0]);
    MPI_Get_count(&status[0], MPI_BYTE, &count);
    got(size - 1 - status[0].MPI_SOURCE, 40, count);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 50, &between);
    if (rank == 0) {
        for (int i = 0; i < size - 1; i++)
            MPI_Send(buffer[0], 60 + i, MPI_BYTE, i, 51, between);
    } else {
        MPI_Recv(buffer[0], 100, MPI_BYTE, 0, 51, between, &status[0]);
        MPI_Get_count(&status[0], MPI_BYTE, &count);
        got(0, 51, count);
    }
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Comm_free(&turned);
    MPI_Finalize();
    return 0;
}
