/* Communication between all ranks, of which here and there an argument is wrong, and now and then a
 * rank does something else than the others: whatever comes of it.
 *
 * random_arguments SEED */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 12, PATIENCE_SECONDS = 5 };

static unsigned state;
static int rank, ranks, from[1000], to[1000];
static MPI_Datatype uncommitted;
static MPI_Win window;
static MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
static MPI_Status status;

static int below(int bound)
{
    state = state * 1103515245U + 12345U;
    return (int)((state >> 16) % (unsigned)bound);
}
static int maybe(int good)
{
    static const int bad[] = {-1, -2, -3, -4, -5, 99, INT_MIN, INT_MAX, 2, -32768};
    return below(6) ? good : bad[below(10)];
}
static MPI_Comm some_comm(void)
{
    int which = below(25);
    return which == 0 ? MPI_COMM_NULL : which == 1 ? MPI_COMM_SELF : MPI_COMM_WORLD;
}
static MPI_Datatype some_type(void)
{
    int which = below(20);
    return which == 0   ? MPI_DATATYPE_NULL
           : which == 1 ? uncommitted
           : which == 2 ? MPI_CHAR
                        : MPI_INT;
}
static int next(void)
{
    return maybe((rank + 1) % ranks);
}
static int previous(void)
{
    return maybe((rank + ranks - 1) % ranks);
}

static void pairs(void)
{
    MPI_Irecv(to, maybe(4), some_type(), previous(), maybe(1), some_comm(), &request[0]);
    MPI_Isend(from, maybe(4), some_type(), next(), maybe(1), some_comm(), &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}
static void both(void)
{
    MPI_Sendrecv(from, maybe(4), some_type(), next(), maybe(2), to, maybe(4), some_type(),
                 previous(), maybe(2), some_comm(), &status);
}
static void collectives(void)
{
    MPI_Bcast(from, maybe(4), some_type(), maybe(0), some_comm());
    MPI_Allreduce(from, to, maybe(4), some_type(), MPI_SUM, some_comm());
    MPI_Gather(from, maybe(2), some_type(), to, maybe(2), some_type(), maybe(0), some_comm());
    MPI_Ibcast(from, maybe(4), some_type(), maybe(0), some_comm(), request);
    MPI_Wait(request, &status);
    MPI_Barrier(some_comm());
}
static void persistent(void)
{
    MPI_Send_init(from, maybe(4), some_type(), next(), maybe(3), some_comm(), &request[0]);
    MPI_Recv_init(to, maybe(4), some_type(), previous(), maybe(3), some_comm(), &request[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, request);
        MPI_Start(request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; i++)
        if (request[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&request[i]);
}
static void probes(void)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    int found = 0;
    MPI_Isend(from, 1, some_type(), next(), maybe(7), some_comm(), request);
    MPI_Iprobe(previous(), maybe(1), some_comm(), &found, &status);
    MPI_Improbe(previous(), maybe(8), some_comm(), &found, &message, &status);
    if (found)
        MPI_Mrecv(to, 4, some_type(), &message, &status);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(to, maybe(4), some_type(), &message, &status);
    MPI_Wait(request, &status);
}
static void cancelled(void)
{
    MPI_Isend(from, 1, some_type(), next(), maybe(8), some_comm(), request);
    MPI_Cancel(request);
    MPI_Wait(request, &status);
}
static void modes(void)
{
    static char room[10000];
    void *at;
    int size;
    MPI_Buffer_attach(room, maybe(5000));
    MPI_Buffer_attach(room, 5000);
    MPI_Bsend(from, maybe(1), some_type(), maybe(MPI_PROC_NULL), maybe(1), some_comm());
    MPI_Buffer_detach(&at, &size);
    MPI_Ssend(from, 1, some_type(), maybe(MPI_PROC_NULL), maybe(3), some_comm());
    MPI_Rsend(from, maybe(0), some_type(), next(), maybe(9), some_comm());
    MPI_Recv(to, 4, some_type(), below(2) ? MPI_ANY_SOURCE : previous(), maybe(9), some_comm(),
             &status);
}
static void one_sided(void)
{
    MPI_Win_fence(0, window);
    MPI_Put(from, maybe(1), some_type(), next(), maybe(0), maybe(1), some_type(), window);
    MPI_Win_fence(0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, next(), 0, window);
    MPI_Win_unlock(next(), window);
}
static void epochs(void)
{
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Win_post(group, 0, window);
    MPI_Win_start(group, 0, window);
    MPI_Put(from, 1, MPI_INT, next(), 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_complete(window);
    MPI_Group_free(&group);
}
static void makes(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    const int dims[2] = {maybe(ranks), 1}, periods[2] = {0, 0};
    if (below(2))
        MPI_Comm_split(some_comm(), maybe(0), maybe(0), &made);
    else
        MPI_Cart_create(some_comm(), maybe(2), dims, periods, 0, &made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
}

static void (*const steps[])(void) = {pairs,     both,  collectives, persistent, probes,
                                      cancelled, modes, one_sided,   epochs,     makes};

int main(int argc, char **argv)
{
    int *memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    alarm(PATIENCE_SECONDS);
    state = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    MPI_Errhandler handler = below(3) ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL;
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    MPI_Win_allocate(80, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Win_set_errhandler(window, handler);
    for (int step = 0; step < STEPS; step++) {
        steps[below((int)(sizeof steps / sizeof *steps))]();
        state += below(9) ? 0 : (unsigned)rank;
    }
    MPI_Win_free(&window);
    return MPI_Finalize();
}
