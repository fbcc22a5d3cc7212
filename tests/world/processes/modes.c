/* A program that ends, or does not, as its argument says; for interface.c. */
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static void gather(void)
{
    int got;
    if (rank)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d ", got);
    }
    if (rank == 0)
        printf("\n");
}

/* Through memory that only its rank has, and memory that all have. */
static void windows(void)
{
    int own[2] = {rank, -1}, *shared, seen = -1;
    MPI_Aint bytes;
    MPI_Win win, common;
    MPI_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 1, 1, MPI_INT, win);
    MPI_Get(&seen, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_allocate_shared(sizeof *shared, sizeof *shared, MPI_INFO_NULL, MPI_COMM_WORLD, &shared,
                            &common);
    *shared = 100 + rank;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_shared_query(common, 0, &bytes, &(int){0}, &shared);
    printf("%d %d %d\n", own[1], seen, *shared);
    MPI_Win_free(&win);
    MPI_Win_free(&common);
}

/* Rank 1 has given its memory back when rank 0's operation is done there. */
static void reach(void)
{
    size_t bytes = 1 << 20;
    int *own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Win win;
    MPI_Win_create(own, (MPI_Aint)bytes, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(&size, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    if (rank == 1)
        munmap(own, bytes);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void clocks(void)
{
    time_t before = time(NULL);
    double began = MPI_Wtime();
    if (rank)
        return;
    sleep(7);
    printf("%d %d\n", (int)(time(NULL) - before), (int)(MPI_Wtime() - began));
}

static void *nothing(void *unused)
{
    pause();
    return unused;
}

/* Sends what the first thread waits for: in MPI, or before it calls MPI. */
static void *sender(void *later)
{
    if (later)
        poll(NULL, 0, 300); /* the clocks of time are the world's */
    MPI_Send(&rank, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
    return later;
}

static void threads(bool turns)
{
    pthread_t thread;
    int got = -1;
    pthread_create(&thread, NULL, sender, turns ? NULL : &got);
    if (turns)
        pthread_join(thread, NULL);
    MPI_Recv(&got, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!turns)
        pthread_join(thread, NULL);
    if (got != rank)
        abort();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    bool multiple = !strcmp(mode, "multiple") || !strcmp(mode, "turns") || !strcmp(mode, "crowded");
    int level = multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
    pthread_t thread;
    if (!strcmp(mode, "thread"))
        pthread_create(&thread, NULL, nothing, NULL);
    if (!strcmp(mode, "none"))
        return 5;
    printf("before\n");
    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(mode, "gather"))
        gather();
    if (!strcmp(mode, "turns") || !strcmp(mode, "crowded"))
        threads(!strcmp(mode, "turns"));
    if (!strcmp(mode, "windows"))
        windows();
    if (!strcmp(mode, "reach"))
        reach();
    if (!strcmp(mode, "clocks"))
        clocks();
    if (!strcmp(mode, "crash") && rank == 1)
        *(volatile int *)8 = 1;
    if (!strcmp(mode, "abort") && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 42);
    if (!strcmp(mode, "status") && rank == 1)
        exit(7);
    if (!strcmp(mode, "at-once") && rank == 1)
        _exit(9);
    if (!strcmp(mode, "overflow") && rank == 1)
        printf("%d\n", ((volatile int *)calloc(4, sizeof(int)))[4]);
    while (!strcmp(mode, "loop") && rank == 1)
        ;
    if (!strcmp(mode, "deadlock"))
        MPI_Recv(&size, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(mode, "no-finalize"))
        MPI_Finalize();
    fprintf(stderr, "after\n");
    if (!strcmp(mode, "over") || !strcmp(mode, "over-9"))
        _exit(rank == 1 && mode[4] ? 9 : 0);
    if (!strcmp(mode, "quick"))
        quick_exit(0);
    if (!strcmp(mode, "other") || !strcmp(mode, "other-1"))
        execlp(rank == 1 && mode[5] ? "false" : "true", "program", (char *)NULL);
    return 0;
}
