/* A small random manager that posts receives, from any source or from one, which may take each
 * other's messages, and waits for one of them or for all, drawn from a seed: posted SEED. Between
 * two waits it may answer workers, post further receives, receive at once, or meet the workers in a
 * barrier, and it keeps a sum or a sequence of what it got. An order may leave it without an end.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGES = 3, RANKS = 5, REQUESTS = MESSAGES * RANKS, ANSWER = 9 };

static unsigned drawn;
static int below(int count)
{
    drawn = drawn * 1103515245u + 12345u;
    return (int)((drawn >> 16) % (unsigned)count);
}

static int rank, size, keeps, meets, hears, count[RANKS], tag[RANKS][MESSAGES], got[REQUESTS];
static int tags, posted, last;
static MPI_Request request[REQUESTS];
static long kept;

static void worker(void)
{
    int value = rank, answer = 0;
    for (int i = 0; i < count[rank]; i++) {
        if (i == 1 && hears == rank)
            MPI_Recv(&answer, 1, MPI_INT, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i == 1 && meets)
            MPI_Barrier(MPI_COMM_WORLD);
        value += 10 * answer;
        MPI_Send(&value, 1, MPI_INT, 0, tag[rank][i], MPI_COMM_WORLD);
    }
    if (count[rank] < 2 && hears == rank)
        MPI_Recv(&answer, 1, MPI_INT, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (count[rank] < 2 && meets)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void saw(int index, const MPI_Status *status)
{
    const int one = got[index] * 3 + status->MPI_TAG;
    last = status->MPI_SOURCE;
    kept = keeps == 0 ? kept + one : keeps == 1 ? kept * 5 + one + index : kept ^ (one << last);
    got[index] = 0;
}

static void post(void)
{
    const int source = below(3) ? MPI_ANY_SOURCE : 1 + below(size - 1);
    const int any = below(2), one = below(tags);
    if (posted < REQUESTS)
        MPI_Irecv(&got[posted], 1, MPI_INT, source, any ? MPI_ANY_TAG : one, MPI_COMM_WORLD,
                  &request[posted]);
    posted += posted < REQUESTS;
}

static void wait_one(int index)
{
    MPI_Status status;
    if (index >= posted || request[index] == MPI_REQUEST_NULL)
        return;
    MPI_Wait(&request[index], &status);
    saw(index, &status);
}

static void wait_all(int from, int to)
{
    MPI_Status status[REQUESTS];
    int is[REQUESTS];
    for (int i = from; i < to; i++)
        is[i] = request[i] != MPI_REQUEST_NULL;
    MPI_Waitall(to - from, request + from, status);
    for (int i = from; i < to; i++)
        if (is[i])
            saw(i, &status[i - from]);
}

static void manager(void)
{
    MPI_Status status;
    int value, left = 0, answered = 0, met = 0;
    for (int r = 1; r < size; r++)
        left += count[r];
    left -= below(3) == 0; /* a message may stay */
    for (int step = 0; posted < left || !met || !answered; step++) {
        const int what = step < 12 ? below(8) : 8;
        if (posted < left && (what < 4 || what == 8)) {
            post();
        } else if (what == 4 && posted) {
            wait_one(below(posted));
        } else if (what == 5 && posted) {
            wait_all(0, 1 + below(posted));
        } else if ((what == 6 || what == 8) && !answered) {
            value = (int)(kept % 3);
            answered = 1;
            if (hears)
                MPI_Send(&value, 1, MPI_INT, hears, ANSWER, MPI_COMM_WORLD);
        } else if ((what == 7 || what == 8) && !met) {
            met = 1;
            if (meets)
                MPI_Barrier(MPI_COMM_WORLD);
        } else if (what == 6 && posted < left && keeps) {
            left--;
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, below(tags), MPI_COMM_WORLD, &status);
            kept = kept * 3 + value + status.MPI_SOURCE;
        }
    }
    wait_all(0, posted);
    printf("%ld\n", kept);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    drawn = (unsigned)atoi(argv[1]) * 2654435761u + 1;
    keeps = below(3);
    meets = below(3) == 0;
    hears = below(2) ? 1 + below(size - 1) : 0;
    tags = 1 + below(2);
    for (int i = 0; i < REQUESTS; i++)
        request[i] = MPI_REQUEST_NULL;
    for (int r = 1; r < size; r++) {
        count[r] = 1 + below(size > 3 ? 2 : MESSAGES);
        for (int i = 0; i < count[r]; i++)
            tag[r][i] = below(tags);
    }
    if (rank)
        worker();
    else
        manager();
    MPI_Finalize();
    return 0;
}
