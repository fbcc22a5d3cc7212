/* Tells which rounds of a loop are slow, and how many first rounds keep their times, for the writer
 * of spools, which sums up the others (core/spool/spool_sum.h), and for the store, which sums up
 * further ones (store/store_sum.c).
 *
 * The usual duration is the smallest power of two that exceeds half of the rounds. A round is slow
 * if it lasts eight times as long, up to a few per block; or four times as long and longer than all
 * rounds before it (in large jobs twice as long), so the slowest one is always kept (or one that
 * lasted half as long). Durations can have any unit.
 *
 * All ranks of a job together keep about as much as a few ranks: of a job with `share` times as
 * many ranks, each rank keeps one in `share` of the first rounds and of the slow rounds. What each
 * rank has of its own in any case takes about the space of some rounds, so it keeps as many fewer.
 */
#ifndef CORE_SPOOL_SPOOL_SLOW_H
#define CORE_SPOOL_SPOOL_SLOW_H

#include <stdbool.h>
#include <stdint.h>

enum { SPOOL_LOGS = 64 };

struct spool_slow {
    uint64_t share; /* ranks for each that keeps all that one rank may */
    uint64_t rounds;
    uint64_t log[SPOOL_LOGS]; /* rounds by duration, in powers of two */
    int64_t usual;            /* 0: not yet known */
    uint64_t look_at;         /* next update of `usual` */
    uint64_t slow, clear_at;  /* slow rounds, up to the round that sets them to 0 */
    int64_t slowest;
    int64_t quick; /* a round up to this duration is neither slow nor the slowest */
};

uint64_t spool_slow_share(int32_t ranks);
/* Returns how many rounds of so many calls each rank keeps. */
uint64_t spool_slow_kept(uint64_t share, uint32_t calls);
void spool_slow_begin(struct spool_slow *slow, uint64_t share);
/* Adds a round, and tells whether it is slow. */
bool spool_slow_round(struct spool_slow *slow, int64_t duration);
/* Adds rounds that were not slow: log[i] of the power of two i. */
void spool_slow_pass(struct spool_slow *slow, const uint64_t log[SPOOL_LOGS], int64_t slowest);
/* Returns how many rounds a block has in a job of few ranks. */
uint64_t spool_slow_block(const struct spool_slow *slow);

static inline int spool_slow_log(int64_t duration)
{
    return duration > 1 ? 63 - __builtin_clzll((unsigned long long)duration) : 0;
}

#endif
