/* A small random program of peers, drawn from a seed: peers SEED. Each rank sends to some others
 * and receives as many messages as come to it: from any source or the one that is due, one at a
 * time or two that are posted together. Some are answered, and some receives wait for an answer.
 * A rank sends what depends on what it got. It keeps a sum or a sequence. In some orders a message
 * stays, or a rank waits for ever. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 8, OPS = 12, PLAIN = 0, ANSWERED = 1, ANSWER = 2 };

static unsigned drawn;
static int below(int count)
{
    drawn = drawn * 1103515245u + 12345u;
    return (int)((drawn >> 16) % (unsigned)count);
}

struct op {
    int sends, peer, tag, how;
};

static struct op op[RANKS][OPS];
static int count[RANKS], rank, size, keeps, leaves;
static long kept;

static void put(int of, struct op one)
{
    if (count[of] < OPS)
        op[of][count[of]++] = one;
}

/* Draws one message, with its send, its receive, and its answer. */
static void message_draw(int early)
{
    const int from = below(size), to = (from + 1 + below(size - 1)) % size;
    const int tag = below(4) == 0 ? ANSWERED : PLAIN;
    put(from, (struct op){1, to, tag, 0});
    if (early && below(3) == 0)
        put(from, (struct op){0, to, PLAIN, 3});
    put(to, (struct op){0, from, tag, below(6)});
    if (tag == ANSWERED)
        put(from, (struct op){0, to, ANSWER, 0});
}

static void saw(int value, const MPI_Status *status)
{
    const int one = value * 2 + status->MPI_TAG;
    kept = keeps == 0 ? kept + one : keeps == 1 ? kept * 7 + one + status->MPI_SOURCE : kept ^ one;
    kept &= 0xffffff;
    value = (int)(kept % 2);
    if (status->MPI_TAG == ANSWERED)
        MPI_Send(&value, 1, MPI_INT, status->MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
}

static void run(const struct op *o)
{
    const int source = o->how == 5 ? o->peer : MPI_ANY_SOURCE;
    const int tag = o->tag == ANSWER || o->how != 4 ? o->tag : MPI_ANY_TAG;
    int value[2] = {(int)(kept % 2), 0};
    MPI_Status status[2];
    MPI_Request request[2];
    if (o->sends) {
        MPI_Send(value, 1, MPI_INT, o->peer, o->tag, MPI_COMM_WORLD);
    } else if (o->tag == ANSWER) {
        MPI_Recv(value, 1, MPI_INT, o->peer, ANSWER, MPI_COMM_WORLD, status);
        saw(*value, status);
    } else if (o->how == 3 && o[1].how && !o[1].sends && o < &op[rank][OPS - 1]) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&value[i], 1, MPI_INT, MPI_ANY_SOURCE, o[i].tag == ANSWERED, MPI_COMM_WORLD,
                      &request[i]);
        MPI_Waitall(2, request, status);
        for (int i = 0; i < 2; i++)
            saw(value[i], &status[i]);
    } else if (o->how != 3) {
        MPI_Recv(value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, status);
        saw(*value, status);
    }
}

int main(int argc, char **argv)
{
    int messages;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    drawn = (unsigned)atoi(argv[1]) * 2654435761u + 1;
    keeps = below(3);
    leaves = below(4);
    messages = size + below(size + 2);
    for (int i = 0; i < messages; i++)
        message_draw(below(5) == 0);
    for (int r = 0; r < size; r++) /* sends tend to come first */
        for (int i = 1; i < count[r]; i++)
            if (op[r][i].sends && !op[r][i - 1].sends && below(3)) {
                const struct op swap = op[r][i];
                op[r][i] = op[r][i - 1];
                op[r][i - 1] = swap;
                i -= i > 1 ? 2 : 1;
            }
    for (int i = 0; i < count[rank] - (leaves == rank); i++)
        run(&op[rank][i]);
    printf("%ld\n", kept);
    MPI_Finalize();
    return 0;
}
