/* See the header. */
#include "world/exchange/explore_missed.h"

#include "world/exchange/explore_available.h"
#include "world/exchange/explore_report.h"
#include "world/exchange/match.h"

void world_missed_message(const struct world_rank *rank, const struct world_message *message,
                          struct world_decider *d, const struct world_causes *causes)
{
    if (world_causes_has(causes, d->decided) || !world_available(rank, message, d))
        return;
    CORE_CHECK(d->kind <= EXPLORE_PROBE && message->world < WORLD->rank_count);
    if (!world_explore_seen(d, (uint32_t)message->world))
        world_explore_missed(d, message->world + d->poll, causes, false);
}

bool world_missed_released(const struct world_rank *rank, const struct world_decider *left,
                           const struct world_decider *got, const struct world_causes *causes)
{
    bool claimed = false;
    for (const struct world_message *m = rank->unexpected; m && !claimed; m = m->next)
        claimed = world_match_fits(m, left->context, left->source, left->tag);
    for (struct world_decider *d = rank->decided; d; d = d->next) {
        if (d->kind > EXPLORE_PROBE || d->order <= left->order ||
            !(claimed || (got && world_match_fits_key(got->context, got->source, got->tag,
                                                      d->context, d->source, d->tag))))
            continue;
        for (const struct world_message *m = rank->unexpected; m; m = m->next)
            world_missed_message(rank, m, d, world_causes_join(m->causes, causes));
    }
    return claimed;
}

struct world_decider world_envelope_of(const struct ompi_request_t *recv)
{
    return (struct world_decider){
        .context = recv->context, .source = recv->peer, .tag = recv->tag, .order = recv->order};
}

struct world_decider world_envelope_got(const struct world_message *message)
{
    CORE_CHECK_HOT(message->world >= 0);
    return (struct world_decider){
        .context = message->context, .source = message->source, .tag = message->tag};
}

bool world_decider_same(const struct world_decider *d, int i)
{
    CORE_CHECK_HOT(i >= 0 && i < d->count);
    return d->request[i] && d->request[i]->serial == d->serial[i];
}

const struct world_causes *world_decider_causes(const struct world_decider *d, uint32_t bits)
{
    const struct world_causes *causes = NULL;
    for (int i = 0; i < d->count; i++)
        if (d->request[i] && bits >> (i < 31 ? i : 31) & 1 &&
            !(d->of_others && !world_decider_same(d, i)))
            causes = world_causes_join(causes, d->request[i]->done_causes);
    return causes;
}

struct world_rank *world_send_receiver(const struct ompi_request_t *send)
{
    const struct ompi_communicator_t *comm = send->comm;
    CORE_CHECK(send->kind == REQUEST_SEND && send->peer >= 0);
    return &WORLD->rank[(comm->remote_size ? comm->remote : comm->member)[send->peer]];
}

struct world_message *world_send_doubt(const struct ompi_request_t *send)
{
    if (send->kind != REQUEST_SEND || !send->complete || !send->number || send->persistent ||
        send->settled || send->peer == MPI_PROC_NULL)
        return NULL;
    struct world_message *m = world_send_receiver(send)->unexpected;
    while (m && (m->send || m->world != send->owner->rank || m->number != send->number))
        m = m->next;
    return m;
}

bool world_decider_complete(const struct world_decider *d, int i)
{
    return world_decider_same(d, i) && d->request[i]->complete &&
           !(d->polled_before && world_send_doubt(d->request[i]));
}

bool world_decider_all_complete(const struct world_decider *d)
{
    for (int i = 0; i < d->count; i++)
        if (d->request[i] && !world_decider_complete(d, i) &&
            !(d->of_others && !world_decider_same(d, i)))
            return false;
    return true;
}

/* Returns the request's place in the decision's array; -1 if it is not there. */
static int place_of(const struct world_decider *d, const struct ompi_request_t *request)
{
    uint32_t asked_at = request->asked_at;
    if (request->serial > d->serial_most)
        return -1;
    if (asked_at < (uint32_t)d->count && d->request[asked_at] == request &&
        world_decider_same(d, (int)asked_at))
        return (int)asked_at;
    for (int at = 0; at < d->count; at++)
        if (d->request[at] == request && world_decider_same(d, at))
            return at;
    return -1;
}

static void miss_completion(struct world_decider *d, const struct ompi_request_t *request)
{
    int active = 0, at = place_of(d, request);
    if (at < 0)
        return;
    for (int i = 0; i < at && active < EXPLORE_BITS && d->kind == EXPLORE_SOME; i++)
        active += d->request[i] != NULL;
    if (d->kind == EXPLORE_ALL) {
        const struct world_causes *causes =
            world_decider_all_complete(d) ? world_decider_causes(d, ~0u) : NULL;
        if (world_decider_all_complete(d) && !world_causes_has(causes, d->decided))
            world_explore_missed(d, 1, causes, false);
    } else if (!world_causes_has(request->done_causes, d->decided)) {
        if (d->kind == EXPLORE_ANY)
            world_explore_missed(d, at + d->poll, request->done_causes, false);
        else if (active < EXPLORE_BITS) {
            world_explore_missed(d, (int32_t)(d->certain | 1u << active), request->done_causes,
                                 false);
            if (d->answer) { /* together with the requests that were reported */
                EXPLORE->report.subsets = true;
                world_explore_missed(
                    d, 1 << active | d->answer,
                    world_causes_join(request->done_causes, world_decider_causes(d, ~0u)), false);
            }
        }
    }
}

void world_explore_completed(struct ompi_request_t *request)
{
    if (request->kind > REQUEST_RECV)
        request->done_causes = world_causes_join(request->done_causes, WORLD->fiber->causes);
    for (struct world_decider *d = request->owner->decided; d; d = d->next)
        if (d->kind >= EXPLORE_ANY)
            miss_completion(d, request);
}
