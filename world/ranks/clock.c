/* The program's clocks: they show the world's time, so that the same choices see the same times. A
 * read takes a microsecond, and a program that only reads the clock sees time pass faster and
 * faster, as with MPI_Wtime. */
#include "world/ranks/ranks.h"

#include <dlfcn.h>
#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FASTER_EVERY = 64, FASTER_MAX = 20 };
static const uint64_t epoch_ns = 1700000000u * (uint64_t)1000000000;

static uint64_t before_ns; /* time that passed before the world began */
static uint32_t looks;     /* reads since the last MPI call in the world */
static uint64_t looks_step;

static uint64_t clock_look(void)
{
    if (looks_step != WORLD->step_count)
        looks = 0;
    looks_step = WORLD->step_count;
    uint32_t doubled = looks++ / FASTER_EVERY;
    uint64_t step = world_look_ns() << (doubled < FASTER_MAX ? doubled : FASTER_MAX);
    if (rank_own < 0)
        return epoch_ns + (before_ns += step);
    return epoch_ns + before_ns + (WORLD->now_ns += step);
}

void rank_clock_begin(void)
{
    CORE_CHECK(rank_region && rank_own < 0);
    before_ns =
        (uint64_t)rank_region->look_ns * 1000; /* up to an hour: another time of the start */
}

static void clock_pass(uint64_t ns)
{
    looks = 0;
    if (rank_own < 0)
        before_ns += ns;
    else if (world_process_several &&
             !rank_region->rank[rank_own].left) { /* other threads of the rank run meanwhile */
        const bool alone = world_process_thread_lock(NULL);
        world_sleep(ns);
        if (alone)
            world_process_thread_unlock();
    } else if (WORLD->fiber->rank->rank == rank_own && world_rank_began(ME) &&
               world_process_is_main())
        world_sleep(ns);
    else
        WORLD->now_ns += ns;
}

static void clock_split(uint64_t ns, struct timespec *out)
{
    out->tv_sec = (time_t)(ns / 1000000000);
    out->tv_nsec = (long)(ns % 1000000000);
    CORE_CHECK(out->tv_nsec >= 0 && out->tv_nsec < 1000000000);
}

static uint64_t clock_joined(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock; /* processor time as well, which would differ between runs */
    clock_split(clock_look(), out);
    return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void)zone;
    uint64_t ns = clock_look();
    *out = (struct timeval){.tv_sec = (time_t)(ns / 1000000000),
                            .tv_usec = (suseconds_t)(ns % 1000000000 / 1000)};
    return 0;
}

time_t time(time_t *out)
{
    time_t seconds = (time_t)(clock_look() / 1000000000);
    if (out)
        *out = seconds;
    return seconds;
}

clock_t clock(void)
{
    return (clock_t)((clock_look() - epoch_ns) / 1000 * (CLOCKS_PER_SEC / 1000000));
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    if (wanted->tv_sec < 0 || wanted->tv_nsec < 0 || wanted->tv_nsec > 999999999) {
        errno = EINVAL;
        return -1;
    }
    if (left)
        *left = (struct timespec){0};
    clock_pass(clock_joined(wanted));
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
                    struct timespec *left)
{
    (void)clock;
    uint64_t until = clock_joined(wanted);
    if (flags & TIMER_ABSTIME) {
        uint64_t now = clock_look();
        clock_pass(until > now ? until - now : 0);
        return 0;
    }
    return nanosleep(wanted, left) ? errno : 0;
}

int usleep(useconds_t us)
{
    clock_pass((uint64_t)us * 1000);
    return 0;
}

unsigned sleep(unsigned seconds)
{
    clock_pass((uint64_t)seconds * 1000000000);
    return 0;
}
