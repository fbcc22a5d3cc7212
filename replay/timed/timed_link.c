/* Shares links among messages. A message is routed when it starts (timed_route.c), flows once its
 * alpha is over, and then advances at 1/k, where k is the largest number of messages on any of its
 * links. When a message enters or leaves a link, only the flows on that link are updated. */
#include "replay/timed/timed_link.h"

#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/pages.h"

enum {
    FIRST = 256 /* records at the start; record 0 is the substitute when memory runs out */
};
_Static_assert((FIRST & (FIRST - 1)) == 0, "slot_mask is one less than the count of slots");

enum core_status timed_link_no_memory(struct timed_engine *e)
{
    if (e->status == CORE_OK)
        e->status = core_report(CORE_NO_MEMORY, "out of memory for shared links");
    return e->status;
}

enum core_status timed_link_init(struct timed_engine *e)
{
    struct timed_links *l = e->links = core_alloc_zero(1, sizeof *l);
    if (!l || !(l->slot = core_alloc_zero(FIRST * 4, sizeof *l->slot)) ||
        !(l->link = core_alloc_zero(FIRST, sizeof *l->link)) ||
        !(l->flow = core_alloc_zero(FIRST, sizeof *l->flow)))
        return timed_link_no_memory(e);
    l->flow_of_bytes = e->message_room / sizeof *e->message * sizeof *l->flow_of;
    if (!(l->flow_of = core_pages_new(l->flow_of_bytes)))
        return timed_link_no_memory(e);
    l->link_room = l->flow_room = FIRST;
    l->slot_mask = FIRST * 4 - 1;
    l->link_count = l->flow_count = 1;
    return CORE_OK;
}

void timed_link_done(struct timed_engine *e)
{
    struct timed_links *l = e->links;
    if (!l)
        return;
    for (uint32_t i = 0; i < l->flow_count; i++)
        if (l->flow)
            free(l->flow[i].hop);
    free(l->flow);
    core_pages_done(l->flow_of, l->flow_of_bytes);
    free(l->link);
    free(l->slot);
    free(l->search.id);
    free(l->search.path);
    free(l->begun.at);
    free(l->flowing.at);
    free(l->ended.at);
    free(l->dirty.at);
    free(l);
}

static uint32_t slot_of(const struct timed_links *l, uint64_t key)
{
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & l->slot_mask;
}

static void slots_grow(struct timed_engine *e, struct timed_links *l)
{
    uint32_t mask = l->slot_mask * 2 + 1, *slot = core_alloc_zero((size_t)mask + 1, sizeof *slot);
    if (!slot) {
        timed_link_no_memory(e);
        return;
    }
    CORE_CHECK(l->link_count <= mask); /* an empty slot ends each search */
    free(l->slot);
    l->slot = slot;
    l->slot_mask = mask;
    for (uint32_t i = 1; i < l->link_count; i++) {
        uint32_t at = slot_of(l, l->link[i].key);
        while (slot[at])
            at = (at + 1) & mask;
        slot[at] = i;
    }
}

/* Returns the record of a link, made when first needed; 0: out of memory. */
static uint32_t link_find(struct timed_engine *e, uint64_t key)
{
    struct timed_links *l = e->links;
    uint32_t at = slot_of(l, key);
    for (; l->slot[at]; at = (at + 1) & l->slot_mask)
        if (l->link[l->slot[at]].key == key)
            return l->slot[at];
    if (l->link_count >= l->slot_mask) /* the table could not grow */
        return 0;
    if (timed_failed(e, CORE_ARRAY_ROOM(l->link, l->link_room, l->link_count + 1, "links")))
        return 0;
    uint32_t made = l->link_count++;
    l->link[made] = (struct link){.key = key};
    l->slot[at] = made;
    if (l->link_count > l->slot_mask / 2)
        slots_grow(e, l);
    return made;
}

/* Returns the key of a link as a resource: a bus has no directions, nor has a link in half duplex.
 */
static uint64_t link_key(const struct timed_engine *e, uint64_t id)
{
    return e->options.half_duplex ? id >> 1 : id;
}

struct link *timed_link_of(struct timed_engine *e, uint64_t id)
{
    uint32_t index = link_find(e, link_key(e, id));
    return &e->links->link[index];
}

static uint32_t flow_new(struct timed_engine *e, uint32_t message)
{
    struct timed_links *l = e->links;
    uint32_t id = l->flow_free;
    if (id) {
        l->flow_free = l->flow[id].next_free;
    } else {
        if (timed_failed(e, CORE_ARRAY_ROOM(l->flow, l->flow_room, l->flow_count + 1, "links")))
            return 0;
        id = l->flow_count++;
        l->flow[id] = (struct flow){0};
    }
    CORE_CHECK_HOT(!l->flow[id].hop && !l->flow[id].share); /* a free record is on no link */
    uint32_t version = l->flow[id].version; /* keeps counting, so that old events stay old */
    l->flow[id] = (struct flow){.message = message, .started = e->now, .version = version};
    return id;
}

void timed_link_take(struct timed_engine *e, uint32_t flow, const uint64_t *id, uint32_t count)
{
    struct timed_links *l = e->links;
    struct flow *f = &l->flow[flow];
    const struct timed_message *m = &e->message[f->message];

    CORE_CHECK_HOT(!f->hop); /* each message is routed once */
    f->hop = core_alloc_zero(count ? count : 1, sizeof *f->hop);
    if (!f->hop) {
        timed_link_no_memory(e);
        return;
    }
    f->hop_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = link_find(e, link_key(e, id[i]));
        struct link *link = &l->link[index];
        f->hop[i].link = index * 2 + (e->options.half_duplex ? id[i] & 1 : 0);
        f->hop[i].flow = flow;
        link->load += m->bytes;
        link->messages++;
        link->bytes += m->bytes;
        link->taken[f->hop[i].link & 1]++;
    }
}

/* --- life of a flow --------------------------------------------------------------------------- */

void timed_link_begin(struct timed_engine *e, uint32_t id)
{
    const struct timed_message *m = &e->message[id];
    uint32_t flow = flow_new(e, id);
    if (!flow)
        return;
    e->links->flow_of[id] = flow;
    timed_numbers_add(e, &e->links->begun, flow);
    if (e->options.half_duplex)
        timed_link_route(e); /* at once: the next message must see these links taken */
    timed_queue_push(&e->queue, e->now + timed_alpha(e, m), id, EVENT_FLOW);
}

int timed_link_free(struct timed_engine *e, uint32_t id)
{
    const struct timed_message *m = &e->message[id];
    int is_free = 1;

    if (e->topology.kind == REPLAY_BUS)
        return 1; /* has no direction */
    const struct search *s = timed_route_fixed(e, (uint32_t)m->src, (uint32_t)m->dst);
    for (size_t i = 0; i < s->id_count && is_free; i++)
        is_free = !timed_link_of(e, s->id[i])->taken[!(s->id[i] & 1)];
    return is_free;
}

void timed_link_flow(struct timed_engine *e, uint32_t id)
{
    const struct timed_message *m = &e->message[id];
    uint32_t flow = e->links->flow_of[id];
    struct flow *f = &e->links->flow[flow];

    CORE_CHECK_HOT(flow && f->message == id && !f->share);
    f->left = e->byte_exact ? m->bytes * e->byte_ticks : timed_words_ticks(e, m->bytes);
    f->since = e->now;
    if (f->left == 0)
        timed_queue_push(&e->queue, e->now, flow, EVENT_END | (f->version << 2));
    else
        timed_numbers_add(e, &e->links->flowing, flow);
}

/* Returns the message of an END event, which names a flow and its version at that time. NONE: the
 * share of the flow has changed since, or the flow is another message's now. */
uint32_t timed_link_current(const struct timed_engine *e, uint32_t flow, uint32_t what)
{
    const struct flow *f = &e->links->flow[flow];
    return f->hop && f->version << 2 == (what & ~(uint32_t)3) ? f->message : NONE;
}

uint64_t timed_link_started(const struct timed_engine *e, uint32_t id)
{
    const struct flow *f = &e->links->flow[e->links->flow_of[id]];
    CORE_CHECK_HOT(f->message == id);
    return f->started;
}

static void timed_link_touch(struct timed_engine *e, struct link *link, uint32_t index)
{
    if (!link->dirty) {
        link->dirty = 1;
        timed_numbers_add(e, &e->links->dirty, index);
    }
}

static void hop_on(struct timed_engine *e, struct hop *hop)
{
    struct link *link = &e->links->link[hop->link >> 1];
    hop->next = link->flows;
    hop->prev = NULL;
    if (link->flows)
        link->flows->prev = hop;
    link->flows = hop;
    if (link->flowing++ == 0)
        link->busy_since = e->now;
    timed_link_touch(e, link, hop->link >> 1);
}

static void hop_off(struct timed_engine *e, struct hop *hop)
{
    struct link *link = &e->links->link[hop->link >> 1];
    CORE_CHECK_HOT(link->flows && link->flowing > 0);
    if (hop->prev)
        hop->prev->next = hop->next;
    else
        link->flows = hop->next;
    if (hop->next)
        hop->next->prev = hop->prev;
    if (--link->flowing == 0)
        link->busy += e->now - link->busy_since;
    timed_link_touch(e, link, hop->link >> 1);
}

/* Frees the links and the flow record of a message that has ended. */
void timed_link_ended(struct timed_engine *e, uint32_t id)
{
    struct timed_links *l = e->links;
    const struct timed_message *m = &e->message[id];
    uint32_t flow = l->flow_of[id];
    struct flow *f = &l->flow[flow];

    for (uint32_t i = 0; i < f->hop_count; i++) {
        struct link *link = &l->link[f->hop[i].link >> 1];
        if (f->share)
            hop_off(e, &f->hop[i]);
        CORE_CHECK_HOT(link->taken[f->hop[i].link & 1] > 0);
        CORE_CHECK_HOT(link->load >= m->bytes);
        link->load -= m->bytes;
        link->taken[f->hop[i].link & 1]--;
    }
    free(f->hop);
    f->hop = NULL;
    f->share = 0;
    f->version++;
    f->next_free = l->flow_free;
    l->flow_free = flow;
    l->flow_of[id] = NONE;
}

static void timed_link_reshare(struct timed_engine *e, struct flow *f)
{
    uint32_t share = 1;
    for (uint32_t i = 0; i < f->hop_count; i++) {
        struct link *link = &e->links->link[f->hop[i].link >> 1];
        if (link->flowing > share)
            share = link->flowing;
        if (link->flowing > link->shared_max)
            link->shared_max = link->flowing;
    }
    if (share == f->share)
        return;
    if (f->share) {
        uint64_t gone = (e->now - f->since) / f->share;
        f->left -= gone < f->left ? gone : f->left;
    }
    f->since = e->now;
    f->share = share;
    f->version++;
    timed_queue_push(&e->queue, e->now + f->left * share, (uint32_t)(f - e->links->flow),
                     EVENT_END | (f->version << 2));
}

void timed_link_update(struct timed_engine *e)
{
    struct timed_links *l = e->links;

    for (size_t i = 0; i < l->flowing.count; i++) {
        struct flow *f = &l->flow[l->flowing.at[i]];
        for (uint32_t h = 0; h < f->hop_count; h++)
            hop_on(e, &f->hop[h]);
    }
    l->stamp++;
    for (size_t i = 0; i < l->flowing.count; i++)
        if (l->flow[l->flowing.at[i]].stamp != l->stamp) {
            l->flow[l->flowing.at[i]].stamp = l->stamp;
            timed_link_reshare(e, &l->flow[l->flowing.at[i]]);
        }
    for (size_t i = 0; i < l->dirty.count; i++) {
        struct link *link = &l->link[l->dirty.at[i]];
        link->dirty = 0;
        for (struct hop *hop = link->flows; hop; hop = hop->next) {
            struct flow *f = &l->flow[hop->flow];
            if (f->stamp != l->stamp) {
                f->stamp = l->stamp;
                timed_link_reshare(e, f);
            }
        }
    }
    l->flowing.count = l->dirty.count = 0;
}

static int by_id(const void *a, const void *b)
{
    const struct replay_timed_link *x = a, *y = b;
    return x->link < y->link ? -1 : x->link > y->link;
}

enum core_status timed_link_result(struct timed_engine *e, struct replay_timed_result *out)
{
    struct timed_links *l = e->links;
    size_t count = l->link_count - 1, kept = 0;

    out->link = core_alloc_zero(count ? count : 1, sizeof *out->link);
    if (!out->link)
        return timed_link_no_memory(e);
    for (size_t i = 1; i <= count; i++) {
        const struct link *link = &l->link[i];
        if (link->messages)
            out->link[kept++] = (struct replay_timed_link){.link = link->key,
                                                           .messages = link->messages,
                                                           .bytes = link->bytes,
                                                           .busy_ps = timed_ps(e, link->busy),
                                                           .shared_max = link->shared_max};
    }
    out->link_count = kept;
    qsort(out->link, kept, sizeof *out->link, by_id);
    for (size_t i = 1; i < kept; i++)
        CORE_CHECK(out->link[i - 1].link < out->link[i].link); /* a record a link */
    return CORE_OK;
}
