/* What happens later: fibers that sleep before a call, messages that are under way. Time is counted
 * in ticks, which pass only when nobody is ready to run, or with a poll in vain; so a run depends
 * on nothing but its options.
 *
 * Invariants: 1. The list is sorted by `due`, what is due at the same tick in the order it came. 2.
 * Messages between two ranks are due in the order they were sent. 3. A rank's message to itself is
 * never under way. */
#include "world/state.h"

/* A longer delay would be taken for a livelock. */
enum { TICK_NS = 1000, TICKS_MAX = 9999 };

struct world_delayed {
    struct world_delayed *next;
    uint64_t due;
    struct world_fiber *fiber; /* NULL: a message */
    struct world_message *message;
    struct world_rank *dest; /* of a message, else NULL */
    int source;
};

static bool of_one_pair(const struct world_delayed *a, const struct world_delayed *b)
{
    return a->dest && a->dest == b->dest && a->source == b->source;
}

/* Behind all that is due before it, and behind what its sender sent there before. */
static void put(struct world_delayed what)
{
    struct world_delayed *made = WORLD->delayed_free, **link = &WORLD->delayed;
    if (made)
        WORLD->delayed_free = made->next;
    else
        made = world_alloc(sizeof *made);
    for (struct world_delayed *l = WORLD->delayed; l; l = l->next)
        if (l->due <= what.due || of_one_pair(l, &what)) {
            what.due = l->due > what.due ? l->due : what.due;
            link = &l->next;
        }
    *made = what;
    made->next = *link;
    *link = made;
    CORE_CHECK(!made->next || made->next->due > made->due); /* invariants 1 and 2 */
}

static void happen(void)
{
    struct world_delayed *l = WORLD->delayed;
    CORE_CHECK(l->due <= WORLD->ticks);
    CORE_CHECK(!l->fiber != !l->message); /* it is one of the two */
    WORLD->delayed = l->next;
    if (l->fiber)
        world_fiber_ready(l->fiber);
    else
        world_message_arrive(l->message, l->dest);
    l->next = WORLD->delayed_free;
    WORLD->delayed_free = l;
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
    put((struct world_delayed){.due = WORLD->ticks + ticks, .fiber = WORLD->fiber});
    world_fiber_block();
}

uint32_t world_delayed_ticks(int dest)
{
    return dest == ME->rank ? 0 : ticks_of(dest, ME->send_count);
}

void world_delayed_message(struct world_message *message, struct world_rank *dest, uint32_t ticks)
{
    CORE_CHECK(dest != ME); /* invariant 3 */
    put((struct world_delayed){
        .due = WORLD->ticks + ticks, .message = message, .dest = dest, .source = message->world});
}

bool world_delayed_next(void)
{
    if (!WORLD->delayed)
        return false;
    if (WORLD->delayed->due > WORLD->ticks) {
        WORLD->now_ns += (WORLD->delayed->due - WORLD->ticks) * TICK_NS;
        WORLD->ticks = WORLD->delayed->due;
    }
    happen();
    return true;
}

void world_delayed_tick(void)
{
    WORLD->ticks++;
    WORLD->now_ns += TICK_NS;
    while (WORLD->delayed && WORLD->delayed->due <= WORLD->ticks)
        happen();
}
