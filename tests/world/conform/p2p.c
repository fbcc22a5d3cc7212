/* All send modes, receives, probes, waits and tests, statuses. Any number of ranks from 2. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static char line[4096];

#define SAY(...) sprintf(line + strlen(line), __VA_ARGS__)

static void flush_lines(const char *title)
{
    if (rank == 0)
        printf("%s\n", title);
    for (int i = 0; i < size; i++) {
        if (i == 0 && rank == 0)
            printf("  0:%s\n", line);
        else if (rank == i)
            MPI_Send(line, (int)strlen(line) + 1, MPI_CHAR, 0, 999, MPI_COMM_WORLD);
        else if (rank == 0) {
            char other[4096];
            MPI_Recv(other, 4096, MPI_CHAR, i, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            printf("  %d:%s\n", i, other);
        }
    }
    line[0] = 0;
}

static void say_status(const MPI_Status *s, MPI_Datatype type)
{
    int count, elements, cancelled;
    MPI_Get_count(s, type, &count);
    MPI_Get_elements(s, type, &elements);
    MPI_Test_cancelled(s, &cancelled);
    SAY(" [src %d tag %d count %d elements %d cancelled %d]", s->MPI_SOURCE, s->MPI_TAG, count,
        elements, cancelled);
}

static void modes(void)
{
    int right = (rank + 1) % size, left = (rank - 1 + size) % size, got = -1, mine = rank * 10;
    MPI_Status status;
    MPI_Request request[2];
    static char room[4096];
    MPI_Sendrecv(&mine, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
    SAY(" sendrecv %d", got);
    say_status(&status, MPI_INT);
    MPI_Sendrecv_replace(&mine, 1, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &status);
    SAY(" replace %d", mine);
    MPI_Irecv(&got, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &request[0]);
    MPI_Issend(&mine, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    SAY(" issend %d null %d", got,
        request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL);
    MPI_Buffer_attach(room, sizeof room);
    mine++;
    MPI_Bsend(&mine, 1, MPI_INT, right, 4, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &status);
    void *detached;
    int bytes;
    MPI_Buffer_detach(&detached, &bytes);
    SAY(" bsend %d detached %d", got, detached == room && bytes == sizeof room);
    MPI_Irecv(&got, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &request[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(&mine, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
    MPI_Wait(&request[0], &status);
    SAY(" rsend %d", got);
    MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &status);
    say_status(&status, MPI_INT);
    MPI_Send(&got, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD);
    flush_lines("modes");
}

static void persistent(void)
{
    int right = (rank + 1) % size, left = (rank - 1 + size) % size, out[3], in[3] = {0};
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Send_init(out, 3, MPI_INT, right, 7, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(in, 3, MPI_INT, left, 7, MPI_COMM_WORLD, &request[1]);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            out[i] = rank * 100 + round * 10 + i;
        MPI_Startall(2, request);
        MPI_Waitall(2, request, status);
        SAY(" %d,%d,%d", in[0], in[1], in[2]);
        say_status(&status[1], MPI_INT);
    }
    MPI_Status empty;
    int flag = 0;
    MPI_Wait(&request[0], &empty);
    SAY(" inactive");
    say_status(&empty, MPI_INT);
    MPI_Test(&request[1], &flag, &empty);
    SAY(" flag %d", flag);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    MPI_Wait(&request[0], &empty);
    say_status(&empty, MPI_INT);
    flush_lines("persistent");
}

static void probes(void)
{
    int right = (rank + 1) % size, left = (rank - 1 + size) % size, flag = 0, count;
    int data[8] = {rank, 1, 2, 3, 4, 5, 6, 7}, got[8] = {0};
    MPI_Request request, mine;
    MPI_Message message;
    MPI_Status status;
    MPI_Isend(data, 5, MPI_INT, right, 8, MPI_COMM_WORLD, &request);
    MPI_Probe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    say_status(&status, MPI_INT);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    SAY(" as double %s", count == MPI_UNDEFINED ? "undefined" : "?");
    MPI_Recv(got, 8, MPI_INT, left, 8, MPI_COMM_WORLD, &status);
    SAY(" got %d", got[0]);
    say_status(&status, MPI_INT);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(data, 2, MPI_INT, right, 9, MPI_COMM_WORLD, &request);
    MPI_Mprobe(left, 9, MPI_COMM_WORLD, &message, &status);
    MPI_Imrecv(got, 8, MPI_INT, &message, &mine);
    MPI_Wait(&mine, &status);
    SAY(" imrecv %d null %d", got[0], message == MPI_MESSAGE_NULL);
    say_status(&status, MPI_INT);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(data, 0, MPI_INT, right, 10, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Improbe(left, 10, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Mrecv(got, 0, MPI_INT, &message, &status);
    say_status(&status, MPI_INT);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
    SAY(" no proc %d", message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(got, 1, MPI_INT, &message, &status);
    say_status(&status, MPI_INT);
    MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, &status);
    SAY(" nothing %d", flag);
    flush_lines("probes");
}

static void several(void)
{
    enum { N = 6 };
    int right = (rank + 1) % size, left = (rank - 1 + size) % size, in[N], out[N], index, outcount,
        indices[N], flag;
    MPI_Request recv[N], send[N];
    MPI_Status status, statuses[N];
    for (int i = 0; i < N; i++) {
        out[i] = rank * 100 + i;
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, left, 20 + i, MPI_COMM_WORLD, &recv[i]);
    }
    for (int i = 0; i < N; i++)
        MPI_Isend(&out[i], 1, MPI_INT, right, 20 + i, MPI_COMM_WORLD, &send[i]);
    int seen = 0, sum = 0;
    for (int i = 0; i < 2; i++) {
        MPI_Waitany(N, recv, &index, &status);
        seen |= 1 << index;
        sum += in[index] - status.MPI_TAG;
    }
    do {
        MPI_Testany(N, recv, &index, &flag, &status);
    } while (!flag);
    seen |= 1 << index;
    MPI_Waitsome(N, recv, &outcount, indices, statuses);
    for (int i = 0; i < outcount; i++)
        seen |= 1 << indices[i];
    do {
        MPI_Testsome(N, recv, &outcount, indices, statuses);
        for (int i = 0; outcount != MPI_UNDEFINED && i < outcount; i++)
            seen |= 1 << indices[i];
    } while (outcount != MPI_UNDEFINED);
    SAY(" seen %x", seen);
    for (int i = 0; i < N; i++)
        SAY(" %d", in[i]);
    do {
        MPI_Testall(N, send, &flag, statuses);
    } while (!flag);
    MPI_Waitany(N, send, &index, &status);
    SAY(" waitany of nulls %s", index == MPI_UNDEFINED ? "undefined" : "?");
    say_status(&status, MPI_INT);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    flush_lines("several");
    MPI_Request cancelled;
    MPI_Irecv(in, 1, MPI_INT, left, 500, MPI_COMM_WORLD, &cancelled);
    MPI_Cancel(&cancelled);
    MPI_Wait(&cancelled, &status);
    MPI_Test_cancelled(&status, &flag);
    SAY(" cancelled %d", flag);
    flush_lines("cancel");
}

static void wildcards(void)
{
    if (rank == 0) {
        int got, sum = 0, from = 0;
        MPI_Status status;
        for (int i = 0; i < 2 * (size - 1); i++) {
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            sum += got;
            from += status.MPI_SOURCE * 1000 + status.MPI_TAG;
        }
        SAY(" sum %d from %d", sum, from);
        MPI_Barrier(MPI_COMM_WORLD);
        int a, b; /* not overtaking */
        MPI_Recv(&a, 1, MPI_INT, 1, 50, MPI_COMM_WORLD, &status);
        MPI_Recv(&b, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        SAY(" order %d %d", a, b);
    } else {
        for (int i = 0; i < 2; i++) {
            int value = rank * 7 + i;
            MPI_Send(&value, 1, MPI_INT, 0, 40 + i, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            for (int i = 1; i < 3; i++)
                MPI_Send(&i, 1, MPI_INT, 0, 50, MPI_COMM_WORLD);
    }
    flush_lines("wildcards");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    line[0] = 0;
    modes();
    persistent();
    probes();
    several();
    wildcards();
    MPI_Finalize();
    return 0;
}
