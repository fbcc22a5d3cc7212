/* What happens later: fibers that sleep before a call, messages that are under way. Time is counted
 * in ticks, which pass only when nobody is ready to run, or with a poll in vain; so a run depends
 * on nothing but its options.
 *
 * Invariants: 1. The list is sorted by `due`, what is due at the same tick in the order it came.
 * 2. Messages between two ranks are due in the order they were sent. 3. A rank's message to itself
 * is never under way. */
#include "world/state.h"

struct inproc_later {
    struct inproc_later *next;
    uint64_t due;
    struct inproc_fiber *fiber; /* NULL: a message */
    struct inproc_message *message;
    struct inproc_rank *dest;
};

static void put(struct inproc_later what)
{
    struct inproc_later *made = WORLD->later_free, **link = &WORLD->later;
    if (made)
        WORLD->later_free = made->next;
    else
        made = inproc_alloc(sizeof *made);
    for (const struct inproc_later *l = WORLD->later; what.message && l; l = l->next)
        if (l->message && l->dest == what.dest && l->message->world == what.message->world &&
            l->due > what.due)
            what.due = l->due;
    while (*link && (*link)->due <= what.due)
        link = &(*link)->next;
    *made = what;
    made->next = *link;
    *link = made;
}

static void happen(void)
{
    struct inproc_later *l = WORLD->later;
    WORLD->later = l->next;
    if (l->fiber)
        inproc_fiber_ready(l->fiber);
    else
        inproc_message_arrive(l->message, l->dest);
    l->next = WORLD->later_free;
    WORLD->later_free = l;
}

void inproc_later_call(void)
{
    uint32_t ticks =
        WORLD->options->delay(WORLD->options->delay_context, ME->rank, -1, ME->call_count++);
    if (!ticks)
        return;
    put((struct inproc_later){.due = WORLD->ticks + ticks, .fiber = WORLD->fiber});
    inproc_fiber_block();
}

uint32_t inproc_later_ticks(int dest)
{
    return dest == ME->rank ? 0
                            : WORLD->options->delay(WORLD->options->delay_context, ME->rank, dest,
                                                    ME->send_count);
}

void inproc_later_message(struct inproc_message *message, struct inproc_rank *dest, uint32_t ticks)
{
    put((struct inproc_later){.due = WORLD->ticks + ticks, .message = message, .dest = dest});
}

bool inproc_later_next(void)
{
    if (!WORLD->later)
        return false;
    if (WORLD->later->due > WORLD->ticks) {
        WORLD->now_ns += (WORLD->later->due - WORLD->ticks) * 1000;
        WORLD->ticks = WORLD->later->due;
    }
    happen();
    return true;
}

void inproc_later_tick(void)
{
    WORLD->ticks++;
    WORLD->now_ns += 1000;
    while (WORLD->later && WORLD->later->due <= WORLD->ticks)
        happen();
}
