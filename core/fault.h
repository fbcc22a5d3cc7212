/* Fault injection, for tests: each place in core/ that can fail for lack of memory, disk or a
 * working SQLite calls core_fault() first. Off unless a test turns it on: one load and one
 * branch. */
#ifndef CORE_FAULT_H
#define CORE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern int64_t core_fault_left;    /* places that succeed before one fails; negative: off */
extern uint64_t core_fault_places; /* places passed since core_fault_set */

bool core_fault_hit(void);
void core_fault_set(int64_t left, bool for_good); /* for_good: all later places fail as well */

static inline bool core_fault(void)
{
    return __builtin_expect(core_fault_left >= 0, 0) && core_fault_hit();
}

/* malloc, calloc and realloc, which a test can make fail. */
void *core_alloc(size_t bytes);
void *core_alloc_zero(size_t count, size_t bytes);
void *core_alloc_again(void *old, size_t bytes);

#endif
