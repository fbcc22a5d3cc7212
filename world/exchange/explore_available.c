/* See the header. */
#include "world/exchange/explore_available.h"

#include "world/exchange/explore_cancel.h"
#include "world/exchange/match.h"

/* Tells whether a waiting receive that was posted before `order`, or a matched probe of another
 * thread, would get the message. */
static bool explore_available_claimed(const struct world_rank *rank,
                                      const struct world_message *message, uint32_t order)
{
    for (const struct ompi_request_t *recv = rank->posted; recv && recv->order < order;
         recv = recv->next)
        if (world_match_fits(message, recv->context, recv->peer, recv->tag))
            return true;
    for (const struct world_fiber *of = rank->fiber; of && rank->fiber->sibling; of = of->sibling) {
        const struct world_decider *d = of->decider;
        if (d && d->kind == EXPLORE_PROBE && d->take && !d->poll && !d->message &&
            d->order < order && world_match_fits(message, d->context, d->source, d->tag))
            return true;
    }
    return false;
}

/* Returns the first message of the sender that fits. */
static struct world_message *first_of(const struct world_rank *rank, const struct world_decider *d,
                                      int world)
{
    struct world_message *m = rank->unexpected;
    while (m && (m->world != world || !world_match_fits(m, d->context, d->source, d->tag)))
        m = m->next;
    return m;
}

bool world_available(const struct world_rank *rank, const struct world_message *message,
                     const struct world_decider *d)
{
    return world_match_fits(message, d->context, d->source, d->tag) &&
           first_of(rank, d, message->world) == message &&
           !explore_available_claimed(rank, message, d->order);
}

/* Returns the next available message from m on: the first of its sender that fits. One round
 * examines each sender once. */
static struct world_message *explore_available_next(const struct world_rank *rank,
                                                    const struct world_decider *d,
                                                    struct world_message *m, uint32_t round)
{
    for (; m; m = m->next) {
        CORE_CHECK_HOT(m->world >= 0 && m->world < WORLD->rank_count);
        struct world_rank *sender = &WORLD->rank[m->world];
        if (sender->round == round || !world_match_fits(m, d->context, d->source, d->tag))
            continue;
        sender->round = round;
        if (!explore_available_claimed(rank, m, d->order))
            return m;
    }
    return NULL;
}

struct world_message *world_available_first(const struct world_rank *rank,
                                            const struct world_decider *d)
{
    return explore_available_next(rank, d, rank->unexpected, ++WORLD->round);
}

struct world_message *world_available_more(const struct world_rank *rank,
                                           const struct world_decider *d,
                                           const struct world_message *message)
{
    return explore_available_next(rank, d, message->next, WORLD->round);
}

struct world_message *world_available_from(const struct world_rank *rank,
                                           const struct world_decider *d, int world)
{
    if (world < 0)
        return world_available_first(rank, d);
    struct world_message *m = first_of(rank, d, world);
    return m && !explore_available_claimed(rank, m, d->order) ? m : NULL;
}

struct ompi_request_t **world_available_receive(struct world_rank *rank,
                                                const struct world_message *message)
{
    struct ompi_request_t **link = &rank->posted;
    while (*link && !world_match_fits(message, (*link)->context, (*link)->peer, (*link)->tag))
        link = &(*link)->next;
    return link;
}

/* A message that is available to a receive is one that no earlier receive could take: so only the
 * first receive that could take it is asked for each message. */
struct ompi_request_t *world_available_certain(struct world_rank *rank)
{
    struct ompi_request_t *first = NULL;
    for (struct world_message *m = rank->heard ? rank->unexpected : NULL; m; m = m->next) {
        if (!world_explore_heard(rank, m))
            continue;
        struct ompi_request_t *recv = *world_available_receive(rank, m);
        if (recv && recv->decider && !recv->certain && !recv->cancelling &&
            (!first || recv->order < first->order) && world_available(rank, m, recv->decider))
            first = recv;
    }
    return first;
}

bool world_available_known(const struct world_rank *rank, const struct world_decider *d)
{
    const struct world_message *m = rank->heard ? world_available_first(rank, d) : NULL;
    while (m && !world_explore_heard(rank, m))
        m = world_available_more(rank, d, m);
    return m != NULL;
}
