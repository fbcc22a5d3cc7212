/* Hardware watchpoints (perf_event_open, x86 and others): tell whether and where the program
 * accessed a few bytes between two MPI calls, loads included. Off if the kernel does not allow them
 * (then nothing is seen, and nothing else changes), and in processes with several threads.
 *
 *  1. Only accesses after watch_leave count: inside calls the library may access anything.
 *     Instructions of the MPI library and its parts do not count, nor those of the C library: its
 *     string functions read whole vectors, which go beyond their arguments.
 *  2. A hit is a trap of some microseconds: a point is disabled after HITS of them, until the next
 *     call leaves. The total time is bounded like that of comparing contents (inflight.c). */
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
    unsigned open; /* points that are open in the kernel */
} watch;

/* Watches the first bytes of [at, at + bytes). Returns a point, or -1: none is free or allowed
 * now. */
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
/* Returns how many bytes from its start the point watches. */
unsigned watch_bytes(int point);
/* Returns the address behind an instruction that accessed them since watch_leave; NULL: none. */
const void *watch_hit(int point);
void watch_leave(void);

#endif
