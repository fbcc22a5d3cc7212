/* What happens later: fibers that sleep before a call, messages that are under way. Time is counted
 * in ticks, which pass only when nobody is ready to run, or with a poll in vain; so a run depends
 * on nothing but its options.
 *
 * Invariants: 1. Nothing in the heap is due before what is above it; what is due at the same tick
 * goes in the order it came. 2. Messages between two ranks are due in the order they were sent. 3.
 * A rank's message to itself is never under way. */
#include "world/state.h"

/* A longer delay would be taken for a livelock. */
enum { TICK_NS = 1000, TICKS_MAX = 9999 };

/* A pairing heap: there may be as many as ranks squared. */
struct world_delayed {
    struct world_delayed *child, *next; /* `next` of one parent, in no order */
    uint64_t due, number;
    struct world_fiber *fiber; /* NULL: a message */
    struct world_message *message;
    struct world_rank *dest; /* of a message, else NULL */
};

static bool is_before(const struct world_delayed *a, const struct world_delayed *b)
{
    return a->due < b->due || (a->due == b->due && a->number < b->number);
}

/* One heap of two; either may be NULL. */
static struct world_delayed *meld(struct world_delayed *a, struct world_delayed *b)
{
    if (!a || !b)
        return a ? a : b;
    struct world_delayed *above = is_before(b, a) ? b : a, *below = above == a ? b : a;
    CORE_CHECK(above->due <= below->due); /* invariant 1 */
    below->next = above->child;
    above->child = below;
    return above;
}

static void put(struct world_delayed what)
{
    struct world_delayed *made = WORLD->delayed_free;
    if (made)
        WORLD->delayed_free = made->next;
    else
        made = world_alloc(sizeof *made);
    *made = what;
    made->number = WORLD->delayed_count++;
    WORLD->delayed = meld(WORLD->delayed, made);
}

/* Takes what is due next: its children go together in pairs, and the pairs from the last on. */
static struct world_delayed *take(void)
{
    struct world_delayed *taken = WORLD->delayed, *rest = taken->child, *pairs = NULL, *all = NULL;
    while (rest) {
        struct world_delayed *one = rest, *other = one->next;
        rest = other ? other->next : NULL;
        one = meld(one, other);
        one->next = pairs;
        pairs = one;
    }
    while (pairs) {
        struct world_delayed *one = pairs;
        pairs = one->next;
        all = meld(all, one);
    }
    WORLD->delayed = all;
    return taken;
}

static void happen(void)
{
    struct world_delayed *l = take();
    CORE_CHECK(l->due <= WORLD->ticks);
    CORE_CHECK(!l->fiber != !l->message); /* it is one of the two */
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
    struct world_rank *source = &WORLD->rank[message->world];
    uint64_t due = WORLD->ticks + ticks;
    CORE_CHECK(dest != ME); /* invariant 3 */
    if (!source->due_to)
        source->due_to = world_zalloc((size_t)WORLD->rank_count * sizeof *source->due_to);
    if (source->due_to[dest->rank] > due)
        due = source->due_to[dest->rank];
    source->due_to[dest->rank] = due;
    CORE_CHECK(due >= WORLD->ticks + ticks); /* invariant 2 */
    put((struct world_delayed){.due = due, .message = message, .dest = dest});
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
