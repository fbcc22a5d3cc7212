/* See core/spool/spool_slow.h. */
#include "core/spool/spool_slow.h"

#include <string.h>

#include "core/check.h"

enum {
    RANKS_FULL = 4,
    ROUNDS_KEPT = 1000,   /* at the start of a loop, */
    CALLS_KEPT = 1 << 16, /* but at most so many calls, */
    ROUNDS_KNOWN = 32,    /* and at least so many rounds, which the usual duration needs; */
    ROUNDS_OWN = 48,      /* in large jobs so many fewer, */
    ROUNDS_LEAST = 8,     /* but at least so many */
    SLOW_TIMES = 8,       /* times the usual duration */
    SLOWEST_TIMES = 4,
    SLOW_MAX = 3,           /* in as many rounds as a block may have */
    BLOCK_ROUNDS = 1 << 10, /* at least */
    BLOCK_SHARE = 16        /* and one in so many of all rounds */
};

uint64_t spool_slow_share(int32_t ranks)
{
    CORE_CHECK(ranks > 0);
    return ((uint64_t)ranks + RANKS_FULL - 1) / RANKS_FULL;
}

uint64_t spool_slow_kept(uint64_t share, uint32_t calls)
{
    uint64_t rounds = ROUNDS_KEPT / share, own = share == 1 ? 0 : ROUNDS_OWN,
             most = rounds > own + ROUNDS_LEAST ? rounds - own : ROUNDS_LEAST,
             known = most < ROUNDS_KNOWN ? most : ROUNDS_KNOWN, fit = CALLS_KEPT / share / calls;

    CORE_CHECK(share > 0 && calls > 0);
    return fit > most ? most : fit > known ? fit : known;
}

void spool_slow_begin(struct spool_slow *slow, uint64_t share)
{
    memset(slow, 0, sizeof *slow);
    slow->share = share;
    slow->look_at = slow->clear_at = ROUNDS_KNOWN;
}

uint64_t spool_slow_block(const struct spool_slow *slow)
{
    uint64_t part = slow->rounds / BLOCK_SHARE;

    return part > BLOCK_ROUNDS ? part : BLOCK_ROUNDS;
}

/* Returns the end of the power of two that contains the median. */
static int64_t usual_of(const struct spool_slow *slow)
{
    uint64_t seen = 0;
    int at = 0;

    CORE_CHECK(slow->rounds > 0); /* there was a round */
    for (; at < SPOOL_LOGS - 2 && (seen += slow->log[at]) * 2 < slow->rounds; at++)
        ;
    return INT64_C(2) << at;
}

/* Returns how many slow rounds are kept at a time. */
static uint64_t slow_max(const struct spool_slow *slow)
{
    return slow->share < SLOW_MAX ? SLOW_MAX / slow->share : 1;
}

static int64_t usual_bounded(const struct spool_slow *slow)
{
    int64_t longest = INT64_MAX / SLOW_TIMES;

    return slow->usual < longest ? slow->usual : longest;
}

static void rounds_counted(struct spool_slow *slow)
{
    if (slow->rounds >= slow->look_at) {
        slow->usual = usual_of(slow);
        slow->look_at = slow->rounds + spool_slow_block(slow);
    }
    if (slow->rounds >= slow->clear_at) {
        slow->slow = 0;
        slow->clear_at =
            slow->rounds + spool_slow_block(slow) * slow->share * slow_max(slow) / SLOW_MAX;
    }
    int64_t least = usual_bounded(slow) * SLOWEST_TIMES - 1;
    slow->quick = slow->usual && least < slow->slowest ? least : slow->slowest;
}

/* Handles a round that may be slow, or the slowest. */
static bool round_look(struct spool_slow *slow, int64_t duration)
{
    int64_t usual = usual_bounded(slow),
            most = slow->share == 1 ? slow->slowest : slow->slowest * 2;
    bool slowest = duration > most && duration >= usual * SLOWEST_TIMES,
         is_slow =
             usual && (slowest || (duration >= usual * SLOW_TIMES && slow->slow < slow_max(slow)));

    CORE_CHECK_HOT(duration > slow->quick);
    slow->slowest = duration > slow->slowest ? duration : slow->slowest;
    slow->slow += is_slow;
    rounds_counted(slow);
    return is_slow;
}

bool spool_slow_round(struct spool_slow *slow, int64_t duration)
{
    slow->rounds++;
    slow->log[spool_slow_log(duration)]++;
    if (__builtin_expect(duration > slow->quick, 0))
        return round_look(slow, duration);
    if (__builtin_expect(slow->rounds >= slow->look_at || slow->rounds >= slow->clear_at, 0))
        rounds_counted(slow);
    return false;
}

void spool_slow_pass(struct spool_slow *slow, const uint64_t log[SPOOL_LOGS], int64_t slowest)
{
    for (int i = 0; i < SPOOL_LOGS; i++) {
        slow->log[i] += log[i];
        slow->rounds += log[i];
    }
    slow->slowest = slowest > slow->slowest ? slowest : slow->slowest;
    rounds_counted(slow);
}
