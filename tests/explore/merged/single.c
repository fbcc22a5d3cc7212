/* A small random program whose ranks wait for one message at a time, drawn from a seed: single
 * SEED. Ranks answer whom they heard, go by what they got, look for a message before they take it,
 * name the source or not, and keep a sum or a sequence. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPS = 8, RANKS = 8 };

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

static void run(const struct op *op)
{
    const int any = op->keeps & 1 ? MPI_ANY_TAG : op->tag;
    MPI_Request request;
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
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, any, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        saw(&status, value);
        break;
    case 10: /* as often as it is said */
        for (long i = kept % 3; i > 0; i--)
            send(op->peer, op->tag);
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
    const int all = below(4) == 0, receivers = 1 + below(2);
    for (int r = 0; r < size; r++) {
        count[r] = 2 + below(OPS - 1);
        for (int i = 0; i < count[r]; i++) {
            op[r][i] = (struct op){below(11), below(size), below(6) == 0, below(4)};
            if (below(5) < 3) /* the low ranks receive */
                op[r][i].what = r < receivers ? 3 : 0;
            if (op[r][i].what < 3 && op[r][i].peer >= receivers && below(3))
                op[r][i].peer = 0;
        }
        if (all)
            op[r][count[r] / 2].what = 11;
    }
    for (int i = 0; i < count[rank]; i++)
        run(&op[rank][i]);
    if (fails == 1 && kept % 7 == 3)
        MPI_Abort(MPI_COMM_WORLD, 4);
    printf("%ld\n", kept);
    MPI_Finalize();
    return fails == 2 && kept % 5 == 1 ? 3 : 0;
}
