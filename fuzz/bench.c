/* Measures the in-process MPI in worlds a second: one line for each workload, followed by its limit
 * if it has one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "world/world.h"

static int bcast_binomial(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, mask = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int me = (rank - root + size) % size;
    for (; mask < size; mask *= 2)
        if (me & mask) {
            MPI_Recv(buffer, count, type, (me - mask + root) % size, 0, comm, MPI_STATUS_IGNORE);
            break;
        }
    while ((mask /= 2) > 0)
        if (me + mask < size)
            MPI_Send(buffer, count, type, (me + mask + root) % size, 0, comm);
    return MPI_SUCCESS;
}

static int run_bcast(int rank, void *context)
{
    (void)context;
    int value[4] = {rank, rank, rank, rank};
    if (rank == 0)
        value[0] = 42;
    bcast_binomial(value, 4, MPI_INT, 0, MPI_COMM_WORLD);
    return value[0] != 42;
}

static int run_allgather(int rank, void *context)
{
    (void)context;
    int size, all[256];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    all[rank] = rank * rank;
    for (int step = 0; step < size - 1; step++) {
        int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
        MPI_Sendrecv(&all[out], 1, MPI_INT, (rank + 1) % size, 0, &all[in], 1, MPI_INT,
                     (rank - 1 + size) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < size; i++)
        if (all[i] != i * i)
            return 1;
    return 0;
}

static double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int bench_measure(const char *name, int ranks, world_rank_fn run,
                         enum replay_buffering buffering, double seconds, double bar)
{
    static struct world_outcome outcome;
    struct world_options options = {
        .rank_count = ranks, .run = run, .policy.buffering = buffering, .initialized = true};
    double start = bench_now(), took;
    long worlds = 0;
    do {
        for (int i = 0; i < 100; i++, worlds++)
            if (world_run(&options, &outcome) != CORE_OK || outcome.finding_count) {
                printf("%s: %s\n", name,
                       outcome.finding_count ? outcome.finding[0].text : "cannot run");
                return 1;
            }
        took = bench_now() - start;
    } while (took < seconds);
    printf("%-34s %10.0f worlds/s", name, (double)worlds / took);
    if (bar > 0)
        printf("   bar %.0f%s", bar, (double)worlds / took >= bar ? "" : "   MISSED");
    printf("\n");
    return 0;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    int failed = 0;
#ifdef __has_feature
#if __has_feature(address_sanitizer)
    failed |= bench_measure("bcast, 8 ranks, rendezvous, ASan", 8, run_bcast, REPLAY_RENDEZVOUS,
                            seconds, 30000);
    return failed;
#endif
#endif
    failed |= bench_measure("bcast, 8 ranks, rendezvous", 8, run_bcast, REPLAY_RENDEZVOUS, seconds,
                            200000);
    failed |= bench_measure("bcast, 8 ranks, eager", 8, run_bcast, REPLAY_EAGER, seconds, 200000);
    failed |= bench_measure("allgather ring, 64 ranks, rendezvous", 64, run_allgather,
                            REPLAY_RENDEZVOUS, seconds, 3000);
    failed |= bench_measure("allgather ring, 64 ranks, eager", 64, run_allgather, REPLAY_EAGER,
                            seconds, 3000);
    world_done();
    return failed;
}
