/* A small random program whose ranks wait for messages that their receives cannot take from each
 * other, drawn from a seed: single SEED. Ranks answer whom they heard, go by what they got, look
 * for a message before they take it, name the source or not, wait for all or any of several
 * receives, and keep a sum or a sequence. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPS = 8, RANKS = 8, REQUESTS = 4 };

static unsigned drawn;
static int below(int count)
{
    drawn = drawn * 1103515245u + 12345u;
    return (int)((drawn >> 16) % (unsigned)count);
}

struct op {
    int what, peer, tag, keeps;
};

static int rank, size, keeps_order, last;
static long kept;
static MPI_Request request[REQUESTS];
static int got[REQUESTS];

static void saw(const MPI_Status *status, int value)
{
    last = status->MPI_SOURCE;
    if (keeps_order)
        kept = kept * 31 + status->MPI_SOURCE * 7 + status->MPI_TAG + value;
    else
        kept += value * 10 + status->MPI_TAG;
}

static void take(int source, int tag)
{
    int value = 0;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &status);
    saw(&status, value);
}

static void look(int source, int tag, int exact)
{
    MPI_Status status;
    MPI_Probe(source, tag, MPI_COMM_WORLD, &status);
    take(status.MPI_SOURCE, exact ? status.MPI_TAG : MPI_ANY_TAG);
}

static void send(int peer, int tag)
{
    int value = (int)(kept % 3);
    if (peer != rank)
        MPI_Send(&value, 1, MPI_INT, peer, tag, MPI_COMM_WORLD);
}

static void post(int source, int tag)
{
    for (int i = 0; i < REQUESTS; i++)
        if (request[i] == MPI_REQUEST_NULL) {
            MPI_Irecv(&got[i], 1, MPI_INT, source, tag, MPI_COMM_WORLD, &request[i]);
            return;
        }
}

static void wait_any(void)
{
    MPI_Status status;
    int index;
    MPI_Waitany(REQUESTS, request, &index, &status);
    if (index == MPI_UNDEFINED)
        return;
    saw(&status, got[index]);
    kept += index;
    got[index] = 0;
}

static void wait_all(void)
{
    MPI_Status status[REQUESTS];
    MPI_Waitall(REQUESTS, request, status);
    for (int i = 0; i < REQUESTS; i++)
        if (status[i].MPI_SOURCE >= 0)
            saw(&status[i], got[i]);
}

static void run(const struct op *op)
{
    const int any = op->keeps & 1 ? MPI_ANY_TAG : op->tag;
    MPI_Request one;
    MPI_Status status;
    int value = 0;
    long sum = kept, all = 0;
    switch (op->what) {
    case 0:
    case 1:
        send(op->peer, op->tag);
        break;
    case 2:
        send(last, op->tag);
        break;
    case 3:
    case 4:
    case 5:
        take(MPI_ANY_SOURCE, any);
        break;
    case 6:
        take(op->peer, any);
        break;
    case 7:
        look(MPI_ANY_SOURCE, any, op->keeps & 2);
        break;
    case 8:
        look(op->peer, any, 1);
        break;
    case 9:
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, any, MPI_COMM_WORLD, &one);
        MPI_Wait(&one, &status);
        saw(&status, value);
        break;
    case 10: /* as often as it is said */
        for (long i = kept % 3; i > 0; i--)
            send(op->peer, op->tag);
        break;
    case 11:
    case 12:
    case 13:
        post(op->peer, any);
        break;
    case 14:
    case 15:
        wait_any();
        break;
    case 16:
        wait_all();
        break;
    default:
        MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        kept += all % 5;
    }
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
    const int posts = below(2), all = below(4) == 0, receivers = 1 + below(2);
    for (int r = 0; r < size; r++) {
        count[r] = 2 + below(OPS - 1);
        for (int i = 0; i < count[r]; i++) {
            op[r][i] = (struct op){below(posts ? 17 : 11), below(size), below(6) == 0, below(4)};
            if (below(5) < 3) /* the low ranks receive */
                op[r][i].what = r >= receivers ? 0 : posts ? 11 + below(6) : 3;
            if (op[r][i].what >= 11 && op[r][i].what < 14 && op[r][i].peer == r)
                op[r][i].peer = size - 1;
            if (op[r][i].what < 3 && op[r][i].peer >= receivers && below(3))
                op[r][i].peer = 0;
        }
        if (all)
            op[r][count[r] / 2].what = 17;
    }
    for (int i = 0; i < REQUESTS; i++)
        request[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < count[rank]; i++)
        run(&op[rank][i]);
    if (fails == 1 && kept % 7 == 3)
        MPI_Abort(MPI_COMM_WORLD, 4);
    wait_all();
    printf("%ld\n", kept);
    MPI_Finalize();
    return fails == 2 && kept % 5 == 1 ? 3 : 0;
}
