/* Global variables of the program: real ranks are processes and have their own, so fibers must too.
 * Whoever links a program renames the data sections of its objects to crosswait_private
 * (fuzz/program/globals.sh); here that range is exchanged whenever another rank goes on. A program
 * without global variables pays nothing.
 *
 * Invariants: 1. The section holds the values of the rank that runs; `private` of every other rank
 * that has run holds its own; a rank that has not run starts from `pristine`. 2. Between worlds the
 * section is pristine. */
#include "world/state.h"

#include <stdlib.h>

extern uint8_t __start_crosswait_private[] __attribute__((weak));
extern uint8_t __stop_crosswait_private[] __attribute__((weak));

size_t inproc_private_bytes;
static uint8_t *pristine;
static struct inproc_rank *holder; /* whose values the section holds; NULL: pristine */

/* Not memcpy: the range holds red zones of the address sanitizer, which watches memcpy. */
static void move(uint8_t *to, const uint8_t *from, size_t bytes)
{
#if defined(__x86_64__)
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
    for (volatile uint8_t *at = to; bytes-- > 0;)
        *at++ = *from++;
#endif
}

void inproc_private_start(void)
{
    if (pristine || (uintptr_t)__start_crosswait_private == (uintptr_t)__stop_crosswait_private)
        return;
    size_t bytes = (size_t)(__stop_crosswait_private - __start_crosswait_private);
    pristine = malloc(bytes);
    CORE_CHECK(pristine);
    inproc_private_bytes = bytes;
    move(pristine, __start_crosswait_private, bytes);
}

void inproc_private_hold(struct inproc_rank *rank)
{
    if (holder == rank)
        return;
    if (holder) {
        inproc_thread_leave();
        if (!holder->private)
            holder->private = inproc_alloc(inproc_private_bytes);
        move(holder->private, __start_crosswait_private, inproc_private_bytes);
    }
    move(__start_crosswait_private, rank->private ? rank->private : pristine, inproc_private_bytes);
    holder = rank;
}

void inproc_private_end(void)
{
    if (inproc_private_bytes) {
        inproc_thread_leave();
        move(__start_crosswait_private, pristine, inproc_private_bytes);
    }
    holder = NULL;
}

void inproc_private_done(void)
{
    free(pristine);
    pristine = NULL;
    inproc_private_bytes = 0;
}
