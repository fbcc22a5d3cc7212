/* Whether a world needed a send to be buffered: its calls once more, where each send waits for the
 * receive that it matched.
 *
 *   rank 0: send to 1, receive from 1     rank 1: send to 0, receive from 0
 *   With buffers both messages are received; without, neither send comes to its end: true. */
#include <stdlib.h>

#include "core/array.h"
#include "core/table.h"
#include "explore/search.h"

struct end { /* of a request */
    struct {
        int32_t rank, request;
    } key;
    uint32_t next;    /* send: place + 1 of the next one of its kind that is not yet matched */
    uint32_t other;   /* place + 1 of what it matched */
    bool done;        /* it was posted, in the second go */
    bool send, waits; /* a send; one that may wait for its receive */
};

struct channel {
    struct {
        int32_t from, to, tag;
        uint32_t context;
    } key;
    uint32_t first, last; /* ends, place + 1 */
};

struct walk {
    const struct explore_events *events;
    struct core_table end, channel;
    uint32_t *next; /* by event: the next of the same rank + 1 */
    uint32_t *at;   /* by rank: event + 1 */
    bool failed;
};

static struct end *end_of(struct walk *w, int rank, int32_t request)
{
    struct end *found = NULL, key = {.key = {rank, request}};
    if (core_table_put(&w->end, &key.key, "the requests of a world", &found) != CORE_OK)
        w->failed = true;
    return found;
}

static uint32_t place_of(const struct walk *w, const struct end *end)
{
    return (uint32_t)(end - (const struct end *)(const void *)w->end.entry) + 1;
}

static void note_send(struct walk *w, const struct world_event *e)
{
    struct channel *c, key = {.key = {e->rank, e->peer, e->tag, e->context}};
    struct end *end = end_of(w, e->rank, e->request);
    if (w->failed || core_table_put(&w->channel, &key.key, "channels", &c) != CORE_OK) {
        w->failed = true;
        return;
    }
    end->send = true;
    end->waits = e->standard;
    end->next = 0;
    uint32_t place = place_of(w, end);
    if (c->first)
        ((struct end *)core_table_at(&w->end, c->last - 1))->next = place;
    else
        c->first = place;
    c->last = place;
}

static void note_match(struct walk *w, const struct world_event *e)
{
    struct channel key = {.key = {e->peer, e->rank, e->tag, e->context}};
    struct channel *c = core_table_find(&w->channel, &key.key);
    struct end *recv = end_of(w, e->rank, e->request);
    if (w->failed || !c || !c->first)
        return;
    struct end *send = core_table_at(&w->end, c->first - 1);
    recv->other = c->first;
    send->other = place_of(w, recv);
    c->first = send->next;
}

static bool matched_done(const struct walk *w, const struct end *end)
{
    const struct end *other = core_table_at(&w->end, end->other - 1);
    return other->done;
}

static bool may_pass(struct walk *w, const struct world_event *e)
{
    const struct end *end = end_of(w, e->rank, e->request);
    if (w->failed || e->kind != WORLD_EVENT_WAIT)
        return true;
    if (!end->other || end->send)
        return !end->waits || (end->other && matched_done(w, end));
    return matched_done(w, end);
}

static bool step(struct walk *w, int rank)
{
    bool moved = false;
    while (w->at[rank] && !w->failed) {
        const struct world_event *e = &w->events->event[w->at[rank] - 1];
        if (!may_pass(w, e))
            break;
        if (e->kind != WORLD_EVENT_WAIT)
            end_of(w, e->rank, e->request)->done = true;
        w->at[rank] = w->next[w->at[rank] - 1];
        moved = true;
    }
    return moved;
}

bool explore_needs_buffers(const struct explore_events *events, int rank_count)
{
    struct walk w = {.events = events,
                     .end = CORE_TABLE(struct end, key),
                     .channel = CORE_TABLE(struct channel, key)};
    uint32_t *last = NULL;
    bool stuck = false, moved = true, sends = false;
    w.failed = CORE_ARRAY_NEW(w.next, events->count, "the events of a world") != CORE_OK ||
               CORE_ARRAY_NEW(w.at, (uint64_t)rank_count, "the ranks of a world") != CORE_OK ||
               CORE_ARRAY_NEW(last, (uint64_t)rank_count, "the ranks of a world") != CORE_OK;
    for (size_t i = 0; i < events->count && !w.failed; i++) {
        const struct world_event *e = &events->event[i];
        if (e->kind == WORLD_EVENT_MATCH)
            note_match(&w, e);
        if (e->kind > WORLD_EVENT_WAIT || e->kind == WORLD_EVENT_MATCH)
            continue;
        if (e->kind == WORLD_EVENT_SEND) {
            note_send(&w, e);
            sends |= e->standard;
        }
        *(last[e->rank] ? &w.next[last[e->rank] - 1] : &w.at[e->rank]) = (uint32_t)i + 1;
        last[e->rank] = (uint32_t)i + 1;
    }
    while (moved && sends && !w.failed) {
        moved = false;
        for (int rank = 0; rank < rank_count; rank++)
            moved |= step(&w, rank);
    }
    for (int rank = 0; rank < rank_count && sends && !w.failed; rank++)
        stuck |= w.at[rank] != 0;
    free(last);
    free(w.next);
    free(w.at);
    core_table_done(&w.end);
    core_table_done(&w.channel);
    return stuck && !w.failed;
}
