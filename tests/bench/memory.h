/* What the engine's speed is held against: how long memory takes at this moment, on this machine.
 * The bars are so many million a second where a read of main memory takes BENCH_READ_NS; on a
 * slower or busier machine they are less in proportion. */
#ifndef TESTS_BENCH_MEMORY_H
#define TESTS_BENCH_MEMORY_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "core/check.h"
#include "core/random.h"

enum { BENCH_LINES = 1 << 20, BENCH_LINE_BYTES = 64, BENCH_READ_NS = 100 };

struct bench_line {
    uint32_t next;
    char rest[BENCH_LINE_BYTES - sizeof(uint32_t)];
};

static inline double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Nanoseconds of a read that depends on the one before, over 64 MiB: the best of three rounds
 * through one cycle of all lines (Sattolo's shuffle). */
static inline double bench_read_ns(void)
{
    struct bench_line *line = aligned_alloc(BENCH_LINE_BYTES, sizeof *line * BENCH_LINES);
    double best = 1e30;
    uint32_t at = 0;

    CORE_CHECK(line);
    for (uint32_t i = 0; i < BENCH_LINES; i++)
        line[i].next = i;
    for (uint32_t i = BENCH_LINES - 1; i > 0; i--) {
        uint32_t other = (uint32_t)(core_random_mix(i) % i), next = line[i].next;
        line[i].next = line[other].next;
        line[other].next = next;
    }
    for (int round = 0; round < 3; round++) {
        double start = bench_seconds();
        for (uint32_t i = 0; i < BENCH_LINES; i++)
            at = line[at].next;
        double took = bench_seconds() - start;
        best = took < best ? took : best;
    }
    CORE_CHECK(at == 0); /* all lines lie on one cycle */
    free(line);
    return best * 1e9 / BENCH_LINES;
}

/* Million a second that `bar` comes to where a read takes `read_ns`. */
static inline double bench_bar(double bar, double read_ns)
{
    return bar * BENCH_READ_NS / read_ns;
}

#endif
