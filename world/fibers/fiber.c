/* Fibers: a stack with a guard page below it, a switch of a dozen instructions, a ready queue.
 *
 * Relies on nothing but mmap. Under the address sanitizer (found at run time by its weak symbols,
 * so that one library serves both kinds of build) every switch is announced.
 *
 * Invariants: 1. fiber[i]'s stack stays mapped until world_fiber_done. 2. Only the running fiber
 * or the main context is outside of the ready queue and not blocked. 3. A fiber abandoned in the
 * middle is `dirty` until its stack is unpoisoned. */
#include "world/exchange/explore.h"

#include <stdlib.h>
#include <sys/mman.h>

void __sanitizer_start_switch_fiber(void **fake_stack_save, const void *bottom, size_t size)
    __attribute__((weak));
void __sanitizer_finish_switch_fiber(void *fake_stack_save, const void **bottom_old,
                                     size_t *size_old) __attribute__((weak));
void __asan_unpoison_memory_region(void const volatile *address, size_t size) __attribute__((weak));

enum { GUARD_BYTES = 64 << 10, STACK_BYTES = 1 << 20, COLOUR_BYTES = 256, COLOUR_COUNT = 16 };
_Static_assert(GUARD_BYTES % 4096 == 0 && STACK_BYTES % 4096 == 0, "memory is protected by pages");
_Static_assert(COLOUR_BYTES *COLOUR_COUNT < STACK_BYTES / 8 && COLOUR_BYTES % 16 == 0,
               "stacks keep their alignment and most of their room");

/* The C++ runtime's record of thrown and caught exceptions belongs to a thread, so each fiber keeps
 * its own (as the Itanium ABI defines it). NULL if no C++ is linked. */
struct world_exceptions *__cxa_get_globals(void) __attribute__((weak));
static struct world_exceptions *exceptions;
static const struct world_exceptions no_exceptions;

static struct world_fiber **fiber;
static int fiber_count, fiber_room, fiber_used;
static size_t stack_size;
static void *main_sp, *main_fake;
static const void *main_bottom;
static size_t main_size;

#if defined(__x86_64__)
void world_switch(void **save, void *load);
__asm__(".text\n"
        ".p2align 4\n"
        ".globl world_switch\n"
        ".hidden world_switch\n"
        ".type world_switch,@function\n"
        "world_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size world_switch, .-world_switch\n");

static void *stack_prepare(uint8_t *top, void (*entry)(void))
{
    void **sp = (void **)((uintptr_t)top & ~(uintptr_t)15);
    *--sp = NULL; /* return address of entry: ends unwinding, and aligns the stack as a call does */
    *--sp = (void *)(uintptr_t)entry;
    for (int i = 0; i < 6; i++)
        *--sp = NULL;
    CORE_CHECK((uintptr_t)sp % 16 == 0 && (uint8_t *)sp < top);
    return sp;
}
#else
#include <ucontext.h>
struct context {
    ucontext_t context;
};
/* For other machines: correct, at the cost of the two system calls of each swapcontext. */
static void world_switch(void **save, void *load)
{
    struct context here;
    *save = &here;
    swapcontext(&here.context, &((struct context *)load)->context);
}

static void *stack_prepare(uint8_t *top, void (*entry)(void))
{
    struct context *made = (struct context *)(((uintptr_t)top - sizeof *made) & ~(uintptr_t)63);
    getcontext(&made->context);
    made->context.uc_stack.ss_sp = (uint8_t *)made - (64 << 10) * 4;
    made->context.uc_stack.ss_size = (64 << 10) * 4;
    makecontext(&made->context, entry, 0);
    return made;
}
#endif

static void switch_announced(void **save_sp, void **save_fake, struct world_fiber *to, bool leaving)
{
    if (__sanitizer_start_switch_fiber) {
        if (to)
            __sanitizer_start_switch_fiber(leaving ? NULL : save_fake, to->stack, to->stack_bytes);
        else
            __sanitizer_start_switch_fiber(leaving ? NULL : save_fake, main_bottom, main_size);
    }
    world_switch(save_sp, to ? to->sp : main_sp);
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(*save_fake, NULL, NULL);
}

static inline void fiber_enter(struct world_fiber *to)
{
    CORE_CHECK(to->live &&
               to->waiting <= 0); /* invariant 2: it was neither blocked nor at its end */
    if (UNLIKELY(world_globals_bytes))
        world_globals_hold(to->rank);
    WORLD->fiber = to;
    ME = to->rank;
}

static void fiber_to(struct world_fiber *from, struct world_fiber *to, bool leaving)
{
    if (to)
        fiber_enter(to);
    if (WORLD_PROCESSES) {
        to = world_process_switch(from, to);
        if (to == from)
            return;
    }
    if (exceptions)
        from->exceptions = *exceptions;
    if (LIKELY(!__sanitizer_start_switch_fiber))
        world_switch(&from->sp, to ? to->sp : main_sp);
    else
        switch_announced(&from->sp, &from->fake_stack, to, leaving);
    if (exceptions)
        *exceptions = from->exceptions;
}

static void helper_ended(struct world_rank *rank)
{
    CORE_CHECK(rank->helper_count > 0);
    if (--rank->helper_count == 0 && rank->leaving)
        world_fiber_ready(rank->fiber);
}

struct world_fiber *world_fiber_serve(struct world_fiber *self)
{
    CORE_CHECK(WORLD->fiber == self && self->live && !self->stack);
    self->body(self);
    CORE_CHECK(WORLD->fiber == self && self->live);
    helper_ended(self->rank);
    self->live = false;
    return world_fiber_next();
}

static struct world_fiber *paused_take(void)
{
    struct world_fiber *paused = WORLD->paused;
    CORE_CHECK(!paused || paused->live);
    if (paused)
        WORLD->paused = paused->paused_next;
    return paused;
}

static bool is_ready(const struct world_fiber *sought)
{
    for (uint32_t i = 0; i < WORLD->ready_count; i++)
        if (WORLD->ready[(WORLD->ready_head + i) & WORLD->ready_mask] == sought)
            return true;
    return false;
}

static struct world_fiber *fiber_pick(void)
{
    struct world_state *world = WORLD;
    while (UNLIKELY(world->delayed_levels) && !world->ready_count)
        world_delayed_next();
    if (WORLD_PROCESSES && UNLIKELY(world->searcher != NULL) && !world->ready_count)
        return world->searcher;
    while (UNLIKELY(world->explore != NULL) && !world->ready_count && world_explore_decide())
        continue;
    if (!world->ready_count)
        return paused_take();
    if (UNLIKELY(world->chosen) && world->ready_count > 1) {
        uint32_t mine =
            (world->ready_head + world_choose(world->ready_count, REPLAY_REASON_SCHEDULE)) &
            world->ready_mask;
        uint32_t head = world->ready_head & world->ready_mask;
        struct world_fiber *other = world->ready[head];
        world->ready[head] = world->ready[mine];
        world->ready[mine] = other;
    }
    CORE_CHECK(world->ready_count <=
               world->ready_mask + 1); /* the ring has ready_mask + 1 entries */
    struct world_fiber *next = world->ready[world->ready_head++ & world->ready_mask];
    world->ready_count--;
    CORE_CHECK_HOT(!is_ready(next)); /* state.h invariant 2: queued once */
    return next;
}

void world_fiber_ready(struct world_fiber *made_ready)
{
    struct world_state *world = WORLD;
    if (WORLD_PROCESSES && UNLIKELY(made_ready->thread > 0 && !made_ready->live))
        return;                   /* its rank has left MPI to end */
    CORE_CHECK(made_ready->live); /* invariant 2 of state.h */
    if (UNLIKELY(world->ready_count >
                 world->ready_mask)) { /* full: helper fibers exceed the ranks */
        uint32_t size = world->ready_mask + 1;
        struct world_fiber **ring = world_alloc(2 * size * sizeof *ring);
        for (uint32_t i = 0; i < size; i++)
            ring[i] = world->ready[(world->ready_head + i) & world->ready_mask];
        world->ready = ring;
        world->ready_head = 0;
        world->ready_mask = 2 * size - 1;
    }
    CORE_CHECK(made_ready->live &&
               made_ready->waiting <= 0); /* state.h invariant 2: by one event */
    CORE_CHECK_HOT(!is_ready(made_ready));
    world->ready[(world->ready_head + world->ready_count++) & world->ready_mask] = made_ready;
}

struct world_fiber *world_fiber_next(void)
{
    struct world_fiber *next = fiber_pick();
    if (next)
        fiber_enter(next);
    return next;
}

void world_fiber_block(void)
{
    struct world_fiber *self = WORLD->fiber;
    struct world_fiber *next = fiber_pick();
    if (next != self)
        fiber_to(self, next, false);
}

void world_fiber_yield(void)
{
    if (UNLIKELY(WORLD->explore != NULL) && WORLD->fiber->is_rank)
        world_explore_beside();
    if (!WORLD->ready_count)
        return;
    world_fiber_ready(WORLD->fiber);
    world_fiber_block();
}

void world_pause(unsigned turn)
{
    struct world_fiber *self = WORLD->fiber, **link = &WORLD->paused;
    CORE_CHECK(self->live && WORLD->paused != self);
    while (*link && (*link)->paused_turn < turn)
        link = &(*link)->paused_next;
    self->paused_turn = turn;
    self->paused_next = *link;
    *link = self;
    world_fiber_block();
}

void world_pause_end(void)
{
    struct world_fiber *paused = paused_take();
    if (paused)
        world_fiber_ready(paused);
}

/* Ends a body: returns to the main context for good. */
static _Noreturn void fiber_exit(void)
{
    struct world_fiber *self = WORLD->fiber;
    CORE_CHECK(self->live && self->waiting <= 0);
    self->live = false;
    fiber_to(self, fiber_pick(), true);
    CORE_CHECK(!"a finished fiber was resumed");
    abort();
}

static void fiber_main(void)
{
    struct world_fiber *self = WORLD->fiber;
    if (exceptions)
        *exceptions = no_exceptions;
    if (__sanitizer_finish_switch_fiber) {
        const void *bottom;
        size_t size;
        __sanitizer_finish_switch_fiber(NULL, &bottom, &size);
        if (!main_bottom) { /* the first fiber of all is entered from the main context */
            main_bottom = bottom;
            main_size = size;
        }
    }
    self->body(self);
    CORE_CHECK(WORLD->fiber == self && self->live);
    if (WORLD_PROCESSES) {
        world_process_stack_ended(self->stack);
        helper_ended(self->rank);
    }
    fiber_exit();
}

void world_stop(void)
{
    struct world_fiber *self = WORLD->fiber;
    CORE_CHECK(WORLD->running && self);
    WORLD->stop = true;
    fiber_to(self, NULL, false);
    CORE_CHECK(!"a stopped world was resumed");
    abort();
}

void world_fiber_loop(void)
{
    CORE_CHECK(WORLD->running && !WORLD->fiber);
    struct world_fiber *next = world_fiber_next();
    if (!next)
        return;
    if (LIKELY(!__sanitizer_start_switch_fiber))
        world_switch(&main_sp, next->sp);
    else
        switch_announced(&main_sp, &main_fake, next, false);
    if (exceptions)
        *exceptions = no_exceptions;
}

static struct world_fiber *fiber_make(void)
{
    struct world_fiber *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    uint8_t *area = mmap(NULL, GUARD_BYTES + stack_size, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED ||
        mprotect(area + GUARD_BYTES, stack_size, PROT_READ | PROT_WRITE) != 0) {
        free(made);
        return NULL;
    }
    CORE_CHECK(stack_size % 4096 == 0); /* the guard page ends where the stack begins */
    made->stack = area + GUARD_BYTES;
    made->stack_bytes = stack_size;
    return made;
}

enum core_status world_fiber_reserve(int count, size_t stack_bytes)
{
    if (WORLD_PROCESSES)
        return CORE_OK;
    if (__cxa_get_globals)
        exceptions = __cxa_get_globals();
    if (!stack_size)
        stack_size = stack_bytes ? (stack_bytes + 4095) & ~(size_t)4095 : STACK_BYTES;
    if (count > fiber_room) {
        struct world_fiber **bigger = realloc(fiber, (size_t)count * 2 * sizeof *bigger);
        if (!bigger)
            return CORE_NO_MEMORY;
        fiber = bigger;
        fiber_room = count * 2;
    }
    while (fiber_count < count) {
        fiber[fiber_count] = fiber_make();
        if (!fiber[fiber_count])
            return CORE_NO_MEMORY;
        fiber_count++;
    }
    return CORE_OK;
}

static struct world_fiber *of_pool(const struct world_rank *rank)
{
    if (fiber_used == fiber_count && world_fiber_reserve(fiber_used + 1, 0) != CORE_OK) {
        world_found(WORLD_RULE_LIMIT, rank->rank, "no memory for another fiber");
        world_stop();
    }
    struct world_fiber *got = fiber[fiber_used];
    CORE_CHECK(fiber_used < fiber_count && got->stack &&
               got->stack_bytes == stack_size); /* invariant 1 */
    return got;
}

/* Returns a fiber that all processes know. Its stack belongs to the process; a rank's first fiber
 * uses the stack on which the process began. */
static struct world_fiber *of_process(struct world_rank *rank)
{
    struct world_fiber *got = world_zalloc(sizeof *got);
    CORE_CHECK(!world_process_early);
    if (!rank->fiber)
        return got;
    rank->helper_count++;
    if (world_process_host(got))
        return got;
    got->stack_bytes = STACK_BYTES;
    got->stack = world_process_stack(got->stack_bytes);
    return got;
}

struct world_fiber *world_fiber_thread(struct world_rank *rank, uint32_t thread)
{
    struct world_fiber **link = &rank->fiber, *made = world_zalloc(sizeof *made);
    CORE_CHECK(WORLD_PROCESSES && *link && thread > 0);
    while (*link && (*link)->thread < thread)
        link = &(*link)->sibling;
    made->rank = rank;
    made->thread = made->slot = made->decisions.thread = thread;
    made->live = made->is_rank = true;
    made->forced = WORLD_ANSWER_FREE;
    made->sibling = *link;
    *link = made;
    return made;
}

void world_fiber_drop(struct world_rank *rank)
{
    struct world_state *world = WORLD;
    uint32_t kept = 0;
    CORE_CHECK(world->fiber == rank->fiber && rank->fiber->thread == 0);
    for (struct world_fiber *of = rank->fiber; of; of = of->sibling) {
        of->decider = NULL;
        of->live = of->thread == 0;
    }
    for (uint32_t i = 0; i < world->ready_count; i++) {
        struct world_fiber *ready = world->ready[(world->ready_head + i) & world->ready_mask];
        if (ready->rank != rank || !ready->is_rank)
            world->ready[(world->ready_head + kept++) & world->ready_mask] = ready;
    }
    CORE_CHECK(kept <= world->ready_count);
    world->ready_count = kept;
}

struct world_fiber *world_fiber_get(struct world_rank *rank, void (*body)(struct world_fiber *),
                                    void *argument)
{
    struct world_fiber *got = WORLD_PROCESSES ? of_process(rank) : of_pool(rank);
    CORE_CHECK(!got->live); /* invariant 3: it ended, or world_fiber_reset marked it */
    if (UNLIKELY(got->dirty)) {
        if (__asan_unpoison_memory_region)
            __asan_unpoison_memory_region(got->stack, got->stack_bytes);
        got->dirty = false;
    }
    got->rank = rank;
    got->body = body;
    got->argument = argument;
    got->live = true;
    got->is_rank = false;
    got->helper = rank->fiber ? ++rank->helpers : 0;
    got->waiting = 0;
    got->probing = false;
    got->call = NULL;
    got->why = NULL;
    got->fake_stack = NULL;
    got->causes = WORLD->fiber ? WORLD->fiber->causes : NULL;
    got->decisions = (struct decision_count){0};
    got->forced = WORLD_ANSWER_FREE;
    got->thread = 0;
    got->sibling = NULL;
    got->decider = NULL;
    got->site = WORLD->fiber ? WORLD->fiber->site : NULL;
    /* Stacks start at different offsets of a page, so that they do not compete for the same cache
     * lines. */
    uint8_t *top =
        got->stack + got->stack_bytes - COLOUR_BYTES * (size_t)(fiber_used % COLOUR_COUNT);
    if (!WORLD_PROCESSES || got->stack)
        got->sp = stack_prepare(top, fiber_main);
    fiber_used++;
    return got;
}

void world_fiber_reset(void)
{
    if (WORLD_PROCESSES)
        return;
    CORE_CHECK(fiber_used <= fiber_count);
    for (int i = 0; i < fiber_used; i++)
        if (fiber[i]->live) {
            fiber[i]->dirty = true;
            fiber[i]->live = false;
        }
    fiber_used = 0;
}

void world_fiber_done(void)
{
    for (int i = 0; i < fiber_count; i++) {
        CORE_CHECK(!fiber[i]->live); /* world_fiber_reset ran before */
        munmap(fiber[i]->stack - GUARD_BYTES, GUARD_BYTES + fiber[i]->stack_bytes);
        free(fiber[i]);
    }
    free(fiber);
    fiber = NULL;
    fiber_count = fiber_room = fiber_used = 0;
    stack_size = 0;
}

int world_stack_owner(const void *address)
{
    for (int i = 0; i < fiber_used; i++) {
        const uint8_t *low = fiber[i]->stack - GUARD_BYTES;
        if ((const uint8_t *)address >= low && (const uint8_t *)address < fiber[i]->stack)
            return fiber[i]->rank->rank;
    }
    return -1;
}
