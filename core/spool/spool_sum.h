/* Sums of rounds in a lane (struct spool_sum of core/spool/spool.h). While a loop goes, each call
 * takes a word of the ring for its times. When the writer drains the ring into the .spool file, it
 * writes a few rounds as they are: the first ones, slow ones with those before and after them
 * (core/spool/spool_slow.h), and those between whose records are others. Of the rounds between
 * these it writes only sums: so the file grows with what is new, and not with time. Positions are
 * those of the ring, as if nothing were summed up.
 *
 * E.g. a half ring of 128 KB has 16,384 calls in rounds of 5, of which one lasted long: the file
 * gets a sum of rounds, 3 rounds, and another sum: 1 KB.
 *
 *  1. A sum stands for whole rounds of a loop that goes, from the end of one event to the end of
 *     another: after it, the same item is due as before it, and the calls of each round have
 *     consecutive numbers.
 *  2. The writer never changes what it has drained: a sum is complete in the file before `drained`
 *     passes its end, so whenever a writer is killed, all that was committed is in the file or in
 *     the ring. */
#ifndef CORE_SPOOL_SPOOL_SUM_H
#define CORE_SPOOL_SPOOL_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/spool/spool.h"
#include "core/spool/spool_loop.h"
#include "core/spool/spool_slow.h"

enum { SPOOL_SUM_CALLS_MAX = 256 }; /* of a round */

/* Returns where the times of the next call begin; NULL: none fit before `end`. */
const struct spool_sum_times *spool_sum_times_next(const struct spool_sum_times *times,
                                                   const void *end);
/* Tells whether the sum is valid: all that it announces lies within its words. */
bool spool_sum_fits(const struct spool_sum *sum);
/* --- the writer's side ------------------------------------------------------------------------ */

struct spool_sum_call {
    uint64_t total, least, most;
    uint16_t log[SPOOL_LOGS];
};
struct spool_sum_round { /* of which the records are in [start, end) */
    uint64_t start, end;
    uint64_t enter, lasted; /* as in struct spool_sum */
};
struct spool_summer {
    bool on;              /* the writer may sum up */
    bool goes;            /* a loop goes, */
    bool known, fits;     /* and, if known, may be summed up if it fits */
    int32_t ranks;        /* of the job */
    uint64_t ns_per_tick; /* times 2^32 */
    uint32_t calls;       /* of a round */
    uint64_t position;    /* up to which records were read; */
    uint32_t next;        /* the next call there, from the first one of the round on, */
    uint32_t lead;        /* the one with the least number */
    int64_t own_end;      /* ticks from the start of the round to the end of the application's last
                             call; only if there are calls inside of others: */
    bool inner;
    uint64_t rounds_kept; /* at the start of the loop */
    bool in_round;        /* the start of the round that goes is known, */
    bool plain;           /* and all its records so far are times; calls do not lie in each other */
    bool kept;            /* the last round was slow, or is written as it is */
    bool held;            /* the last round is summed up unless the next one is slow */
    uint32_t now;         /* index of the round that goes; the other one is the last */
    struct spool_sum_round round[2];
    struct spool_slow slow;
    uint64_t sum_start, sum_end, sum_enter, sum_lasted, sum_rounds; /* 0 rounds: none */
    uint64_t batch_start, batch_end; /* its last rounds, whose times are not added yet */
};
struct spool_summer_large {        /* seldom used */
    bool own[SPOOL_SUM_CALLS_MAX]; /* calls of the application */
    struct spool_sum_call of[SPOOL_SUM_CALLS_MAX + 1];
    uint64_t word[SPOOL_RECORD_WORDS_MAX];
};

struct spool_writer;
/* Lets a writer sum up rounds, of loops that begin later. The header's tick_hz and world_size are
 * known. */
void spool_writer_sums(struct spool_writer *writer);
/* Called when a loop begins to go, and when it ends. */
void spool_sum_begin(struct spool_writer *writer);
void spool_sum_end(struct spool_writer *writer);
/* Drains all committed records but a few at the end. Returns false if recording has stopped. */
bool spool_sum_drain(struct spool_writer *writer);

#endif
