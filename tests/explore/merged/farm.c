/* A small random manager with workers, drawn from a seed: farm SEED. Who is free gets the next
 * task; what the manager keeps, and what goes wrong in some orders only, is drawn. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 8, STOP = 0, ASK = 90, BYE = 91 };

static unsigned drawn;
static int below(int count)
{
    drawn = drawn * 1103515245u + 12345u;
    return (int)((drawn >> 16) % (unsigned)count);
}

static int rank, size, tasks, asks, probes, keeps, fault, who, many, row[TASKS + 1], done, empty,
    brief, grows, crashes;
static long kept;

static void worker(void)
{
    MPI_Status status;
    int task = 0, result[2] = {0, 0};
    if (asks)
        MPI_Send(result, 2, MPI_INT, 0, ASK, MPI_COMM_WORLD);
    for (;;) {
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            break;
        done++;
        result[0] = task;
        result[1] = task * task + (fault == 4 ? done : 0);
        if (fault == 5 && rank == who && done > many)
            break; /* it goes without a word */
        MPI_Send(result, brief && task % 2 ? 1 : 2, MPI_INT, 0, asks ? ASK : task, MPI_COMM_WORLD);
    }
    if (empty == 2) /* an empty message leaves the last task in the buffer */
        printf("%d ends with task %d\n", rank, task);
    if (fault == 1 && rank == who && done >= many)
        MPI_Send(result, 1, MPI_INT, 0, BYE, MPI_COMM_WORLD);
}

/* Changes the mappings of memory, or the signals that are blocked. */
static void grow(int source)
{
    enum { LARGE = 200000, SMALL = 40000 };
    sigset_t set;
    char *block = grows < 3 ? malloc(grows == 1 ? LARGE : SMALL) : NULL;
    if (block)
        block[source] = 1;
    if (grows == 1)
        free(block);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1 + (source == who));
    if (grows == 3)
        sigprocmask(SIG_BLOCK, &set, NULL);
}

static void hear(int result[2], MPI_Status *status)
{
    int source = MPI_ANY_SOURCE, tag = asks ? ASK : MPI_ANY_TAG;
    MPI_Message message = MPI_MESSAGE_NULL;
    if (probes == 2) {
        MPI_Mprobe(source, tag, MPI_COMM_WORLD, &message, status);
    } else if (probes) {
        MPI_Probe(source, tag, MPI_COMM_WORLD, status);
        source = status->MPI_SOURCE;
        tag = status->MPI_TAG;
    }
    if (brief < 2) /* otherwise a brief result leaves the second number of the last one */
        result[0] = result[1] = 0;
    if (probes == 2)
        MPI_Mrecv(result, 2, MPI_INT, &message, status);
    else
        MPI_Recv(result, 2, MPI_INT, source, tag, MPI_COMM_WORLD, status);
    row[result[0] % (TASKS + 1)] = result[1];
    if (keeps == 0)
        kept += result[1];
    else if (keeps == 1)
        kept = kept * 7 + status->MPI_SOURCE;
    else if (keeps == 2)
        kept ^= (long)status->MPI_SOURCE << result[0];
}

static void manager(void)
{
    MPI_Status status;
    int next = 1, out = 0, result[2] = {0, 0}, last = 0;
    if (asks)
        out = size - 1;
    else
        for (int w = 1; w < size && next <= tasks; w++, out++, next++)
            MPI_Send(&next, 1, MPI_INT, w, next, MPI_COMM_WORLD);
    for (; out; out--) {
        hear(result, &status);
        if (grows && result[0] % 2)
            grow(status.MPI_SOURCE);
        if (crashes && status.MPI_SOURCE == who && result[0] == many)
            MPI_Abort(MPI_COMM_WORLD, 3);
        if (fault == 2 && status.MPI_SOURCE == who && result[0] == many)
            last = 1;
        if (fault == 3 && result[0] == tasks)
            who = status.MPI_SOURCE;
        if (next > tasks && !asks)
            continue;
        const int stops = next > tasks;
        MPI_Send(&next, !stops || !empty, MPI_INT, status.MPI_SOURCE, stops ? STOP : next,
                 MPI_COMM_WORLD);
        out += !stops;
        next++;
    }
    for (int w = 1; w < size && !asks; w++)
        MPI_Send(&next, !empty, MPI_INT, w, STOP, MPI_COMM_WORLD);
    if (fault == 1 || last)
        MPI_Recv(result, 1, MPI_INT, who, BYE, MPI_COMM_WORLD, &status);
    for (int i = 0; i <= TASKS; i++)
        kept = kept * 3 + row[i];
    printf("%ld %d\n", kept, fault == 3 ? who : 0);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    drawn = (unsigned)atoi(argv[1]) * 2654435761u + 1;
    tasks = 2 + below(4);
    asks = below(3) == 0;
    probes = below(3) == 0;
    keeps = below(5);
    fault = below(7);
    who = 1 + below(size - 1);
    many = 1 + below(3);
    empty = below(3);
    brief = below(4) ? 0 : 1 + below(2);
    probes += probes && below(2);
    grows = below(8);
    grows = grows < 4 ? grows : 0;
    crashes = below(8) == 1;
    if (rank)
        worker();
    else
        manager();
    MPI_Finalize();
    return 0;
}
