/* Global variables of the program: real ranks are processes and have their own, so fibers must too.
 * Whoever links a program renames the data sections of its objects to crosswait_globals
 * (fuzz/program/globals.sh); here that range is exchanged whenever another rank goes on. A program
 * without global variables pays nothing.
 *
 * Invariants: 1. The section holds the values of the rank that runs; `globals` of every other rank
 * that has run holds its own; a rank that has not run starts from `pristine`. 2. Between worlds the
 * section is pristine. */
#include "world/state.h"

#include <stdlib.h>

extern uint8_t __start_crosswait_globals[] __attribute__((weak));
extern uint8_t __stop_crosswait_globals[] __attribute__((weak));

size_t world_globals_bytes;
static uint8_t *pristine;
static struct world_rank *holder; /* whose values the section holds; NULL: pristine */

/* Not memcpy: the range holds red zones of the address sanitizer, which watches memcpy. */
static void globals_move(uint8_t *to, const uint8_t *from, size_t bytes)
{
#if defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
    for (volatile uint8_t *at = to; bytes-- > 0;)
        *at++ = *from++;
#endif
}

void world_globals_start(void)
{
    if (pristine || (uintptr_t)__start_crosswait_globals == (uintptr_t)__stop_crosswait_globals)
        return;
    size_t bytes = (size_t)(__stop_crosswait_globals - __start_crosswait_globals);
    pristine = malloc(bytes);
    CORE_CHECK(pristine);
    world_globals_bytes = bytes;
    CORE_CHECK(!holder); /* invariant 2: no world has run yet */
    globals_move(pristine, __start_crosswait_globals, bytes);
}

void world_globals_hold(struct world_rank *rank)
{
    if (holder == rank)
        return;
    CORE_CHECK(pristine && world_globals_bytes); /* world_globals_start was asked first */
    if (holder) {
        world_thread_leave();
        if (!holder->globals)
            holder->globals = world_alloc(world_globals_bytes);
        globals_move(holder->globals, __start_crosswait_globals, world_globals_bytes);
    }
    globals_move(__start_crosswait_globals, rank->globals ? rank->globals : pristine,
                 world_globals_bytes);
    CORE_CHECK(!holder || holder->globals); /* invariant 1: what was taken out is kept */
    holder = rank;
}

const uint8_t *world_globals_of(const struct world_rank *rank)
{
    CORE_CHECK(world_globals_bytes); /* else there are none, and nobody asks */
    return rank == holder ? __start_crosswait_globals : rank->globals;
}

void world_globals_end(void)
{
    CORE_CHECK(!holder || world_globals_bytes);
    if (world_globals_bytes) {
        world_thread_leave();
        globals_move(__start_crosswait_globals, pristine, world_globals_bytes);
    }
    holder = NULL;
}

void world_globals_done(void)
{
    free(pristine);
    pristine = NULL;
    world_globals_bytes = 0;
}
