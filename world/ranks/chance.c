/* Values that differ from job to job: random numbers of the system, seeds of generators, times and
 * process numbers. In a world they are drawn from one sequence for each rank, so that the same
 * choices see the same values; world_options.look_ns gives another sequence.
 *
 * A rank whose own code draws random numbers of the system is reported at once. Whether any other
 * of these values makes a difference, explore/chance.c tries: the rank reports that it got some. */
#include "world/ranks/ranks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/random.h"

static uint64_t seeds; /* a hash of them, even of those before the world began */
static uint64_t drawn; /* words of the sequence */
static unsigned varies;

void rank_chance_tell(void)
{
    const unsigned in_world = rank_own < 0 ? WORLD_VARIES_EARLY : WORLD_VARIES;
    varies |= WORLD->looks ? in_world : 0;
    varies |= WORLD->reduces ? WORLD_VARIES_REDUCES : 0;
    if (rank_own < 0)
        return;
    CORE_CHECK(rank_region && rank_own < (int)rank_region->rank_count);
    rank_region->rank[rank_own].seeds = seeds;
    rank_region->rank[rank_own].varies = varies;
}

static void chance_note(void)
{
    CORE_CHECK(rank_own < 0 || rank_region);
    varies |= rank_own < 0 ? WORLD_VARIES_EARLY : WORLD_VARIES;
    rank_chance_tell();
}

static uint64_t chance_next(void)
{
    const uint64_t salt = rank_region ? rank_region->look_ns : 0;
    CORE_CHECK(drawn < UINT64_MAX);
    return core_random_mix(core_random_mix(salt << 16 ^ (uint64_t)(rank_own + 1)) + ++drawn);
}

static void chance_fill(uint8_t *to, size_t bytes)
{
    CORE_CHECK(to || !bytes);
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        const uint64_t next = chance_next();
        memcpy(to + at, &next, bytes - at < sizeof next ? bytes - at : sizeof next);
    }
}

/* Tells whether the code is an interpreter's. Python draws random numbers whenever it starts, and
 * most scripts use none of them. */
bool rank_is_interpreter(const void *code)
{
    Dl_info in;
    CORE_CHECK(code);
    if (!dladdr(code, &in) || !in.dli_fname)
        return false;
    const char *slash = strrchr(in.dli_fname, '/');
    return strstr(slash ? slash : in.dli_fname, "python") != NULL;
}

void rank_chance_drawn(const void *caller)
{
    if (!rank_is_theirs(caller))
        return;
    chance_note();
    if (!rank_is_interpreter(caller))
        rank_outside_note(WORLD_OUTSIDE_CHANCE);
}
#define DRAWN rank_chance_drawn(__builtin_return_address(0));

ssize_t getrandom(void *to, size_t bytes, unsigned flags)
{
    (void)flags;
    DRAWN
    chance_fill(to, bytes);
    return (ssize_t)bytes;
}

int getentropy(void *to, size_t bytes)
{
    DRAWN
    chance_fill(to, bytes);
    return 0;
}

/* Newer C libraries declare these functions. */
uint32_t arc4random(void);
uint32_t arc4random(void)
{
    DRAWN
    return (uint32_t)chance_next();
}

uint32_t arc4random_uniform(uint32_t bound);
uint32_t arc4random_uniform(uint32_t bound)
{
    DRAWN
    return bound ? (uint32_t)(chance_next() % bound) : 0;
}

void arc4random_buf(void *to, size_t bytes);
void arc4random_buf(void *to, size_t bytes)
{
    DRAWN
    chance_fill(to, bytes);
}

/* std::random_device of the C++ library, which may ask the processor. */
unsigned _ZNSt13random_device9_M_getvalEv(void *device);
unsigned _ZNSt13random_device9_M_getvalEv(void *device)
{
    (void)device;
    DRAWN
    return (unsigned)chance_next();
}

/* --- seeds and process numbers ---------------------------------------------------------------- */

static void seed_note(uint64_t seed)
{
    const uint64_t hash = core_random_mix(seeds ^ core_random_mix(seed + 1));
    seeds = hash ? hash : 1;
    chance_note();
    CORE_CHECK(seeds);
}

void srand(unsigned seed)
{
    RANK_REAL(srand)
    CORE_CHECK(real != srand);
    seed_note(seed);
    real(seed);
}

void srandom(unsigned seed)
{
    RANK_REAL(srandom)
    CORE_CHECK(real != srandom);
    seed_note(seed);
    real(seed);
}

void srand48(long seed)
{
    RANK_REAL(srand48)
    CORE_CHECK(real != srand48);
    seed_note((uint64_t)seed);
    real(seed);
}

pid_t getpid(void)
{
    if (rank_is_theirs(__builtin_return_address(0)))
        chance_note();
    return (pid_t)syscall(SYS_getpid);
}
