/* Delays: fibers that sleep before a call, messages that arrive late. Time is counted in ticks,
 * which pass only when no rank is ready to run, or with a failed poll; so a run depends only on its
 * options.
 *
 * Delayed events are in lists by level: the highest bit in which an event's tick differs from the
 * present one; level 0 is due now. When time advances, the events of one list move to lower levels.
 * There may be as many events as ranks squared, and each is moved only a few times.
 *
 * Invariants: 1. No event is due before the present tick, and time advances to the next due event;
 * events of one tick happen in the order in which they were added, as they are in one list.
 * 2. Messages between two ranks are due in the order in which they were sent.
 * 3. A rank's message to itself is never delayed. */
#include <stddef.h>

#include "world/state.h"

/* A longer delay would count as a livelock. */
enum { TICK_NS = 1000, TICKS_MAX = 9999 };

static void delay_put(struct world_delayed *what)
{
    uint64_t differs = what->due ^ WORLD->ticks;
    unsigned level = differs ? 64 - (unsigned)__builtin_clzll(differs) : 0;
    CORE_CHECK(what->due >= WORLD->ticks && level < WORLD_DELAY_LEVELS); /* invariant 1 */
    struct world_delayed_list *list = &WORLD->delayed[level];
    if (!(WORLD->delayed_levels >> level & 1))
        list->end = &list->first;
    WORLD->delayed_levels |= (uint64_t)1 << level;
    what->next = NULL;
    *list->end = what;
    list->end = &what->next;
}

/* Advances time to a tick. */
static void pass_to(uint64_t tick)
{
    unsigned level = 64 - (unsigned)__builtin_clzll(tick ^ WORLD->ticks);
    uint64_t lower = ((uint64_t)1 << level) - 1;
    CORE_CHECK(tick > WORLD->ticks && !(WORLD->delayed_levels & lower)); /* invariant 1 */
    WORLD->now_ns += (tick - WORLD->ticks) * TICK_NS;
    WORLD->ticks = tick;
    if (!(WORLD->delayed_levels >> level & 1))
        return;
    WORLD->delayed_levels &= ~((uint64_t)1 << level);
    for (struct world_delayed *one = WORLD->delayed[level].first, *next; one; one = next) {
        next = one->next;
        delay_put(one);
    }
}

/* Makes the first event that is due now happen. */
static void delay_happen(void)
{
    struct world_delayed *first = WORLD->delayed[0].first;
    CORE_CHECK(first->due == WORLD->ticks);
    if (!(WORLD->delayed[0].first = first->next))
        WORLD->delayed_levels &= ~(uint64_t)1;
    if (first->dest)
        world_message_arrive((void *)((char *)first - offsetof(struct world_message, delayed)),
                             first->dest);
    else
        world_fiber_ready((void *)((char *)first - offsetof(struct world_fiber, delayed)));
}

static uint32_t ticks_of(int dest, uint32_t number)
{
    uint64_t ticks = replay_policy_delay(&WORLD->options->policy, TICK_NS, ME->rank, dest, number);
    CORE_CHECK(dest >= -1 && dest < WORLD->rank_count);
    return ticks < TICKS_MAX ? (uint32_t)ticks : TICKS_MAX;
}

void world_delayed_call(void)
{
    uint32_t ticks = ticks_of(-1, ME->call_count++);
    if (!ticks)
        return;
    CORE_CHECK(WORLD->fiber->waiting <= 0); /* state.h invariant 2: one event wakes it */
    WORLD->fiber->delayed = (struct world_delayed){.due = WORLD->ticks + ticks};
    delay_put(&WORLD->fiber->delayed);
    world_fiber_block();
}

uint32_t world_delayed_ticks(int dest)
{
    return dest == ME->rank ? 0 : ticks_of(dest, ME->send_count);
}

void world_delayed_message(struct world_message *message, struct world_rank *dest, uint32_t ticks)
{
    struct world_rank *source = &WORLD->rank[message->world];
    uint64_t due = WORLD->ticks + ticks;
    CORE_CHECK(dest != ME); /* invariant 3 */
    if (!source->due_to)
        source->due_to = world_zalloc((size_t)WORLD->rank_count * sizeof *source->due_to);
    if (source->due_to[dest->rank] > due)
        due = source->due_to[dest->rank];
    source->due_to[dest->rank] = due;
    CORE_CHECK(due >= WORLD->ticks + ticks); /* invariant 2 */
    message->delayed = (struct world_delayed){.due = due, .dest = dest};
    delay_put(&message->delayed);
}

bool world_delayed_next(void)
{
    uint64_t levels = WORLD->delayed_levels, due = UINT64_MAX;
    if (!levels)
        return false;
    if (!(levels & 1)) {
        const struct world_delayed *one = WORLD->delayed[__builtin_ctzll(levels)].first;
        for (; one; one = one->next)
            due = one->due < due ? one->due : due;
        pass_to(due);
    }
    delay_happen();
    return true;
}

void world_delayed_tick(void)
{
    while (WORLD->delayed_levels & 1)
        delay_happen();
    pass_to(WORLD->ticks + 1);
    while (WORLD->delayed_levels & 1)
        delay_happen();
}
