/* A small random program of messages, drawn from a seed: merged SEED. What a rank received it keeps
 * as a sum, in which the order leaves nothing behind, or as a sequence, in which it does; what it
 * sends, where to and how it ends may depend on that. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPS = 7, REQUESTS = 3, RANKS = 8 };

static unsigned drawn;
static int below(int count)
{
    drawn = drawn * 1103515245u + 12345u;
    return (int)((drawn >> 16) % (unsigned)count);
}

struct op {
    int what, peer, tag, keeps;
};

static int rank, size, keeps_order;
static long kept;
static MPI_Request request[REQUESTS];
static int got[REQUESTS][2];

static void saw(const MPI_Status *status, int value)
{
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    long one = value * 10 + count;
    if (keeps_order)
        kept = kept * 31 + status->MPI_SOURCE * 7 + one;
    else
        kept += one;
}

static void request_saw(int index, const MPI_Status *status)
{
    if (index >= 0 && index < REQUESTS && status->MPI_SOURCE >= 0)
        saw(status, got[index][0]);
}

static void start(int source, int tag)
{
    for (int i = 0; i < REQUESTS; i++)
        if (request[i] == MPI_REQUEST_NULL) {
            MPI_Irecv(got[i], 2, MPI_INT, source, tag, MPI_COMM_WORLD, &request[i]);
            return;
        }
}

static void some(void)
{
    int count, index[REQUESTS];
    MPI_Status status[REQUESTS];
    MPI_Waitsome(REQUESTS, request, &count, index, status);
    for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
        request_saw(index[i], &status[i]);
}

static void any(int polls)
{
    int index = -1, flag = 1;
    MPI_Status status = {.MPI_SOURCE = -1};
    if (polls)
        MPI_Testany(REQUESTS, request, &index, &flag, &status);
    else
        MPI_Waitany(REQUESTS, request, &index, &status);
    if (flag)
        request_saw(index, &status);
    else
        kept += 5;
}

static void run(const struct op *op)
{
    int value[2] = {(int)(kept % 3) + 10 * op->keeps * rank, 0}, buffer[2] = {0}, flag = 1;
    int peer = op->keeps == 2 ? (int)((unsigned long)kept % (unsigned)size) : op->peer;
    long sum = kept, all = 0;
    MPI_Status status;
    switch (op->what) {
    case 0:
    case 1:
        MPI_Send(value, 1 + (op->keeps == 3), MPI_INT, peer, op->tag, MPI_COMM_WORLD);
        break;
    case 2:
        if (peer != rank)
            MPI_Ssend(value, 1, MPI_INT, peer, op->tag, MPI_COMM_WORLD);
        break;
    case 3:
    case 4:
        MPI_Recv(buffer, 2, MPI_INT, MPI_ANY_SOURCE, op->keeps ? MPI_ANY_TAG : op->tag,
                 MPI_COMM_WORLD, &status);
        saw(&status, buffer[0]);
        break;
    case 5:
        MPI_Recv(buffer, 2, MPI_INT, op->peer, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        saw(&status, buffer[0]);
        break;
    case 6:
        start(op->keeps ? MPI_ANY_SOURCE : op->peer, op->tag);
        break;
    case 7:
        any(op->keeps == 1);
        break;
    case 8:
        some();
        break;
    case 9:
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        kept += flag ? status.MPI_SOURCE : 2;
        break;
    case 10:
        MPI_Probe(MPI_ANY_SOURCE, op->tag, MPI_COMM_WORLD, &status);
        kept += status.MPI_SOURCE;
        break;
    case 11:
        MPI_Test(&request[0], &flag, &status);
        if (flag)
            request_saw(0, &status);
        break;
    default:
        MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        kept += all % 5;
    }
}

static void draw_free(struct op op[RANKS][OPS], int count[RANKS])
{
    int all = below(4) == 0, receivers = (size + 1) / 2;
    for (int r = 0; r < size; r++) {
        count[r] = 2 + below(OPS - 1);
        for (int i = 0; i < count[r]; i++) {
            op[r][i] = (struct op){below(12), below(size), below(4) == 0, below(4)};
            if (below(5) < 3) /* the low ranks receive */
                op[r][i].what = r < receivers ? 3 : 0;
            if (op[r][i].what < 3 && op[r][i].peer >= receivers)
                op[r][i].peer = 0;
        }
        if (all)
            op[r][count[r] / 2].what = 12;
    }
}

/* Each message has its receive, unless wildcards take one another's. */
static void draw_paired(struct op op[RANKS][OPS], int count[RANKS])
{
    for (int tries = 0; tries < 4 * size; tries++) {
        int from = below(size), to = below(3) ? below(2) : below(size), keeps = below(2);
        int gets = below(3), more = below(6);
        if (from == to || count[from] > OPS - 2 || count[to] > OPS - 2)
            continue;
        op[from][count[from]++] = (struct op){below(5) ? 0 : 2, to, 0, keeps};
        if (more == 0)
            op[to][count[to]++] = (struct op){9 + below(3), from, 0, 0};
        op[to][count[to]++] = (struct op){gets == 0 ? 5 : gets == 1 ? 3 : 6, from, 0, 1};
        if (more == 1)
            op[to][count[to]++] = (struct op){7 + below(2), from, 0, below(2)};
    }
    for (int r = 0; r < size; r++)
        if (count[r] < OPS)
            op[r][count[r]++] = (struct op){12, 0, 0, 0};
}

int main(int argc, char **argv)
{
    struct op op[RANKS][OPS];
    int count[RANKS] = {0}, fails;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    drawn = (unsigned)atoi(argv[1]) * 2654435761u + 1;
    keeps_order = below(3) == 0;
    fails = below(6);
    if (below(2))
        draw_free(op, count);
    else
        draw_paired(op, count);
    for (int i = 0; i < REQUESTS; i++)
        request[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < count[rank]; i++)
        run(&op[rank][i]);
    if (fails == 1 && kept % 7 == 3)
        MPI_Abort(MPI_COMM_WORLD, 4);
    for (int i = 0; i < REQUESTS; i++)
        if (request[i] != MPI_REQUEST_NULL) {
            MPI_Status status;
            MPI_Wait(&request[i], &status);
            saw(&status, got[i][0]);
        }
    printf("%ld\n", kept);
    MPI_Finalize();
    return fails == 2 && kept % 5 == 1 ? 3 : 0;
}
