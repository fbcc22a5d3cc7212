/* Hardware watchpoints (perf_event_open, x86 and others): whether the program touched a few bytes
 * between two calls of MPI, loads included, and where. Off where the kernel does not allow them
 * (then nothing is seen, and nothing else changes), and in a process with several threads.
 *
 *  1. Only what happens from watch_leave on counts: inside calls the library may do as it likes.
 *     Neither do instructions of the MPI library and its parts count, nor those of the C library:
 *     its string functions read whole vectors, which hold more than they were asked about.
 *  2. A hit is a trap, of microseconds: a point falls silent after HITS of them, until the
 *     next call is left, and the time that all take is bounded as that for looking at contents is
 *     (inflight.c). */
#ifndef INTERPOSE_MISUSE_WATCHPOINT_H
#define INTERPOSE_MISUSE_WATCHPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "interpose/recorder.h"

enum { WATCH_POINTS = 4, WATCH_BYTES = 8 };
enum watch_access { WATCH_STORES, WATCH_LOADS_AND_STORES };

extern struct watch {
    struct recorder_credit credit;
    unsigned open; /* points that the kernel has */
} watch;

/* The first bytes of [at, at + bytes). Returns a point, or -1: none is free or allowed now. */
int watch_set_slow(uintptr_t at, uint64_t bytes, enum watch_access access);
static inline int watch_set(uintptr_t at, uint64_t bytes, enum watch_access access)
{
    if (LIKELY(!watch.open && watch.credit.rest)) {
        watch.credit.rest--;
        return -1;
    }
    return watch_set_slow(at, bytes, access);
}
void watch_clear(int point);
/* Bytes from `at` on that the point sees. */
unsigned watch_bytes(int point);
/* Behind the instruction that touched them since watch_leave; NULL: none did. */
const void *watch_hit(int point);
void watch_leave(void);

#endif
