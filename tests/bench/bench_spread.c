/* How far a search reaches that is spread over helpers (core/search/spread.h): a search through the
 * orders of a wildcard loop, whose worlds take WORLD_MS each, with 1 to 64 helpers that sleep for
 * that time, so that many of them fit on two cores. What is real is the search itself, what it
 * hands out, and the sockets. The speed-up ends where the search's own process is busy: its seconds
 * of CPU a world are the limit. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "core/check.h"
#include "explore/clock.h"
#include "explore/spread.h"
#include "tests/explore/fibers.h"

enum { RANKS = 8, WORLDS = 3000, WORLD_MS = 4 };

static struct fibers fibers;

/* All send to rank 0, which takes what comes. */
static int senders(int rank, void *context)
{
    int got;
    (void)context;
    for (int i = 1; i < RANKS && !rank; i++) {
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fibers_saw(0, got);
    }
    return rank ? MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD) : 0;
}

/* A world of fibers takes microseconds. */
static enum core_status run_slowly(void *context, const struct replay_policy *policy,
                                   const struct replay_choice *choice,
                                   const struct world_outcome **out_outcome, uint64_t *out_key,
                                   struct explore_events *out_events)
{
    nanosleep(&(struct timespec){.tv_nsec = WORLD_MS * 1000000L}, NULL);
    return fibers_run(context, policy, choice, out_outcome, out_key, out_events);
}

static void help(void *context, struct search_helper *helper)
{
    (void)context;
    explore_spread_serve(helper, run_slowly, &fibers);
}

static double cpu_s(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static double measure(int helpers, double alone_s)
{
    const struct search_group group = {0};
    struct explore_options options = {.worlds_max = WORLDS};
    struct search_spread *spread = NULL;
    struct explore_search search;

    CORE_CHECK(search_spread_open(helpers, &group, help, NULL, &spread) == CORE_OK &&
               explore_spread_new(spread, &options.spread) == CORE_OK);
    double start = explore_clock_s(), used = cpu_s();
    CORE_CHECK(explore_search(run_slowly, &fibers, RANKS, &options, &search) == CORE_OK);
    double took = explore_clock_s() - start, worlds = (double)search.worlds;
    struct search_traffic sent = search_spread_traffic(spread);
    used = cpu_s() - used;
    printf("%8d %10.0f %9.1f %12.0f %10.1f %12.0f\n", helpers, worlds / took,
           alone_s > 0 ? alone_s / took : 1, (double)sent.messages / took,
           (double)sent.bytes / took / 1e6, 1e6 * used / worlds);
    explore_search_done(&search);
    explore_spread_free(options.spread);
    return took;
}

int main(void)
{
    double alone_s = 0;
    fibers.program = senders;
    fibers.rank_count = RANKS;
    printf("worlds of %d ms; the process that searches runs worlds, too, when no helper can take "
           "more\n\n"
           " helpers   worlds/s  speed-up   messages/s       MB/s  us of CPU a world\n",
           WORLD_MS);
    for (int helpers = 0; helpers <= 64; helpers = helpers ? 2 * helpers : 1) {
        double took = measure(helpers, alone_s);
        alone_s = helpers ? alone_s : took;
    }
    world_done();
    return 0;
}
