/* What the program may and may not touch while MPI owns it. Argument: which of the ways below; 2
 * ranks. What is wrong is wrong on rank 0 only, and changes nothing. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64 };
static struct {
    char before[40];
    int data[N];
    char after[40];
} near = {.before = "thirty-one characters of a string", .after = "and more of them"};
static int data[N], other[N], sum, rank;
static MPI_Comm world;
static MPI_Request request;

static void receive(void)
{
    if (rank == 0)
        MPI_Irecv(near.data, N, MPI_INT, 1, 0, world, &request);
}
static void arrive(void)
{
    if (rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
        MPI_Send(other, N, MPI_INT, 0, 0, world);
}
static void touch(int *what)
{
    sum += rank == 0 ? *what : 0;
}

static MPI_Win window(void)
{
    MPI_Win win;
    MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, world, &win);
    MPI_Win_fence(0, win);
    return win;
}
static void close_window(MPI_Win win)
{
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

/* --- wrong ------------------------------------------------------------------------------------ */

static void load(void)
{
    receive();
    touch(near.data);
    arrive();
}
static void same_store(void)
{
    receive();
    if (rank == 0)
        *(volatile int *)near.data = 0;
    arrive();
}
static void persistent(void)
{
    if (rank == 0) {
        MPI_Recv_init(near.data, N, MPI_INT, 1, 0, world, &request);
        touch(near.data);
        MPI_Start(&request);
        touch(near.data);
        arrive();
        touch(near.data);
        MPI_Request_free(&request);
    } else {
        arrive();
    }
}
static void collective(void)
{
    MPI_Iallreduce(other, data, N, MPI_INT, MPI_SUM, world, &request);
    touch(data);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
/* Into the block of rank 1, where the same value stands. */
static void same_store_v(void)
{
    const int counts[] = {N / 4, N / 4}, places[] = {0, N / 2};
    MPI_Igatherv(other, N / 4, MPI_INT, data, counts, places, MPI_INT, 0, world, &request);
    if (rank == 0)
        *(volatile int *)&data[N / 2] = 0;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void got(void)
{
    MPI_Win win = window();
    if (rank == 0) {
        MPI_Get(other, N, MPI_INT, 1, 0, N, MPI_INT, win);
        touch(other);
    }
    close_window(win);
}
static void window_load(void)
{
    MPI_Win win = window();
    if (rank == 1)
        MPI_Put(other, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    touch(data);
    close_window(win);
}
static void window_store(void)
{
    MPI_Win win = window();
    if (rank == 1)
        MPI_Put(other, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    else
        *(volatile int *)data = 0;
    close_window(win);
}
static void window_late(void) /* after loads that are allowed, and more than are looked at */
{
    MPI_Win win = window();
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 20; k++)
            touch(data);
        MPI_Win_fence(0, win);
    }
    if (rank == 1)
        MPI_Put(other, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    touch(data);
    close_window(win);
}

/* --- right ------------------------------------------------------------------------------------ */

static void after(void)
{
    receive();
    arrive();
    touch(near.data);
    near.data[0] = 1;
}
static void neighbours(void)
{
    receive();
    sum += (int)strlen(near.before) + (int)strlen(near.after) + (strchr(near.before, 'q') != NULL) +
           near.data[N / 2];
    arrive();
}
static void asked(void)
{
    int flag = 0;
    receive();
    while (rank == 0 && !flag)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    if (rank == 0)
        touch(near.data);
    arrive();
}
static void tested(void)
{
    int flag = 0, index;
    receive();
    while (rank == 0 && !flag)
        MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
    if (rank == 0)
        touch(near.data);
    else
        arrive();
}
static void truncated(void)
{
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    if (rank == 0) {
        int class;
        MPI_Irecv(near.data, 1, MPI_INT, 1, 0, world, &request);
        MPI_Error_class(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE), &class);
        if (class == MPI_SUCCESS)
            abort();
        touch(near.data);
    } else {
        arrive();
    }
}
static void cancelled(void)
{
    receive();
    if (rank == 0) {
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        touch(near.data);
    }
}
static void refused(void)
{
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    if (rank == 0 && MPI_Irecv(near.data, -1, MPI_INT, 1, 0, world, &request) == MPI_SUCCESS)
        abort();
    touch(near.data);
}
static void not_root(void)
{
    MPI_Ireduce(other, data, N, MPI_INT, MPI_SUM, 1, world, &request);
    touch(data);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Igather(other, 1, MPI_INT, data, 1, MPI_INT, 1, world, &request);
    touch(data);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iscatter(data, 1, MPI_INT, rank ? MPI_IN_PLACE : other, 1, MPI_INT, 1, world, &request);
    touch(data);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void sent(void) /* loads of a send buffer are allowed */
{
    if (rank == 0) {
        MPI_Isend(other, N, MPI_INT, 1, 0, world, &request);
        touch(other);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(data, N, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    }
}
static void window_apart(void)
{
    MPI_Win win = window();
    if (rank == 1)
        MPI_Put(other, 1, MPI_INT, 0, 8, 1, MPI_INT, win);
    touch(data);
    if (rank == 0)
        data[0] = 3;
    close_window(win);
}
static void window_epochs(void)
{
    MPI_Win win = window();
    for (int i = 0; i < 5; i++) {
        if (rank == 1)
            MPI_Put(other, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        touch(data);
        if (rank == 0)
            data[0] = i;
        MPI_Win_fence(0, win);
    }
    close_window(win);
}
static void window_own_lock(void)
{
    MPI_Win win;
    MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, world, &win);
    for (int i = 0; i < 20; i++) {
        MPI_Win_lock(rank ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win);
        if (rank == 1)
            MPI_Put(other, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        else
            data[0] = i;
        touch(data);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(world);
    MPI_Win_free(&win);
}
static void window_polled(void) /* unified memory: the target waits for the value */
{
    MPI_Win win;
    MPI_Win_create(data, sizeof data, sizeof *data, MPI_INFO_NULL, world, &win);
    MPI_Win_lock_all(0, win);
    other[0] = 42;
    if (rank == 1) {
        MPI_Put(other, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    while (rank == 0 && *(volatile int *)data != 42) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 9, world, &flag, MPI_STATUS_IGNORE);
        MPI_Win_sync(win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

#define WAY(x) \
    {          \
#x, x  \
    }
static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {WAY(load),         WAY(same_store),    WAY(persistent),      WAY(collective),
            WAY(got),          WAY(window_load),   WAY(window_store),    WAY(after),
            WAY(neighbours),   WAY(asked),         WAY(tested),          WAY(truncated),
            WAY(cancelled),    WAY(refused),       WAY(not_root),        WAY(sent),
            WAY(window_apart), WAY(window_epochs), WAY(window_own_lock), WAY(window_polled),
            WAY(window_late),  WAY(same_store_v)};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(world, &rank);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && !strcmp(ways[i].name, argv[1]))
            ways[i].run();
    MPI_Comm_free(&world);
    MPI_Finalize();
    return sum == -1;
}
