/* A small random manager that posts receives for what its workers send, and waits for any or all of
 * them, drawn from a seed: requests SEED. Two receives may take each other's messages, workers may
 * wait for an answer between two messages, and an order may leave the manager without an end. */
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

static int rank, size, keeps, count[RANKS], tag[RANKS][MESSAGES], answers, posted, got[REQUESTS];
static MPI_Request request[REQUESTS];
static long kept;

static void worker(void)
{
    int value = rank, answer;
    for (int i = 0; i < count[rank]; i++) {
        if (i > 0 && answers) {
            MPI_Recv(&answer, 1, MPI_INT, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            value += 10 * answer;
        }
        MPI_Send(&value, 1, MPI_INT, 0, tag[rank][i], MPI_COMM_WORLD);
    }
}

static void saw(int index, const MPI_Status *status)
{
    const int one = got[index] * 3 + status->MPI_TAG;
    kept = keeps == 0 ? kept + one : keeps == 1 ? kept * 5 + one + index : kept ^ (1l << index);
    got[index] = 0;
}

static int wait_any(int left[])
{
    MPI_Status status;
    int index, source;
    MPI_Waitany(REQUESTS, request, &index, &status);
    if (index == MPI_UNDEFINED)
        return 0;
    source = status.MPI_SOURCE;
    saw(index, &status);
    if (answers && --left[source] > 0) {
        int answer = (int)(kept % 3);
        MPI_Send(&answer, 1, MPI_INT, source, ANSWER, MPI_COMM_WORLD);
    }
    return 1;
}

static void manager(void)
{
    int next[RANKS] = {0}, left[RANKS], exact = below(3), whole = below(4) == 0 && !answers;
    MPI_Status status[REQUESTS];
    for (int r = 0; r < size; r++)
        left[r] = count[r];
    for (int tries = 0; tries < 200; tries++) {
        const int w = 1 + below(size - 1);
        if (next[w] == count[w]) {
            continue;
        }
        const int t = exact ? tag[w][next[w]] : MPI_ANY_TAG;
        MPI_Irecv(&got[posted], 1, MPI_INT, w, t, MPI_COMM_WORLD, &request[posted]);
        next[w]++;
        posted++;
        if (below(4) == 0)
            wait_any(left);
        if (below(6) == 0 && !answers && request[0] != MPI_REQUEST_NULL) {
            MPI_Wait(&request[0], status);
            saw(0, status);
        }
    }
    while (!whole && wait_any(left))
        ;
    if (whole) {
        MPI_Waitall(posted, request, status);
        for (int i = 0; i < posted; i++)
            if (status[i].MPI_SOURCE >= 0)
                saw(i, &status[i]);
    }
    if (kept % 7 == 3)
        MPI_Recv(got, 1, MPI_INT, 1, ANSWER, MPI_COMM_WORLD, status);
    printf("%ld\n", kept);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    drawn = (unsigned)atoi(argv[1]) * 2654435761u + 1;
    keeps = below(3);
    answers = below(2);
    for (int r = 1; r < size; r++) {
        count[r] = 1 + below(size > 4 ? 2 : MESSAGES);
        for (int i = 0; i < count[r]; i++)
            tag[r][i] = below(3);
    }
    for (int i = 0; i < REQUESTS; i++)
        request[i] = MPI_REQUEST_NULL;
    if (rank)
        worker();
    else
        manager();
    MPI_Finalize();
    return 0;
}
