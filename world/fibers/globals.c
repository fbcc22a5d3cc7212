/* Global variables of the program: real ranks are processes with their own copy, so fibers need one
 * too. The linking side renames the data sections of a program's objects to crosswait_globals
 * (fuzz/program/globals.sh); this file exchanges that range whenever another rank runs. A program
 * without global variables pays nothing.
 *
 * Invariants: 1. The section holds the values of the running rank; `globals` of every other rank
 * that has run holds its values; a rank that has not run starts from `pristine`. 2. Between worlds
 * the section is pristine. */
#include "world/state.h"

#include <stdlib.h>

extern uint8_t __start_crosswait_globals[] __attribute__((weak));
extern uint8_t __stop_crosswait_globals[] __attribute__((weak));

size_t world_globals_bytes;
static uint8_t *pristine;
static struct world_rank *holder; /* the rank whose values the section holds; NULL: pristine */

/* Copies without memcpy: the range has red zones of the address sanitizer, which checks memcpy. */
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
    CORE_CHECK(pristine && world_globals_bytes); /* world_globals_start was called first */
    if (holder) {
        world_thread_leave();
        if (!holder->globals)
            holder->globals = world_alloc(world_globals_bytes);
        globals_move(holder->globals, __start_crosswait_globals, world_globals_bytes);
    }
    globals_move(__start_crosswait_globals, rank->globals ? rank->globals : pristine,
                 world_globals_bytes);
    CORE_CHECK(!holder || holder->globals); /* invariant 1: its values were saved */
    holder = rank;
}

const uint8_t *world_globals_of(const struct world_rank *rank)
{
    CORE_CHECK(world_globals_bytes); /* otherwise no caller asks */
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
