/* Links shared by messages. A message is routed when it starts, flows once its alpha is over, and while it flows
 * advances at 1/k, k being the most messages that flow on any one of its links. When messages come to a link or leave it
 * only the flows on that link are looked at.
 *
 * Routing `best`: the messages that start at one instant are routed together. Every combination of their shortest
 * paths is tried while there are few; otherwise each message in turn takes its best path given the others', until none
 * changes. Better is: fewer bytes over the busiest link, which is when the set ends; then the smaller sum of squares. */
#include "replay/timed_state.h"

#include <string.h>

enum { FIRST = 256 /* records at the start; record 0 stands in when there is no memory for more */ };
enum { COMBINATIONS_MAX = 4096, PASSES_MAX = 8, PATHS_TOTAL_MAX = 1 << 16 };

struct hop { /* a flow on a link */
    struct hop *next, *prev;
    uint32_t link, flow;
};

struct flow {
    struct hop *hop;
    uint64_t left;  /* ticks at full speed */
    uint64_t since; /* settled until */
    uint64_t started;
    uint32_t message, hop_count;
    uint32_t share; /* k; 0: not flowing */
    uint32_t version, stamp, next_free;
};

struct link {
    uint64_t key;
    struct hop *flows;
    uint32_t flowing;
    uint32_t taken[2]; /* half duplex: messages on their way in either direction */
    uint32_t dirty;
    uint32_t shared_max;
    uint64_t messages, bytes, busy, busy_since;
    uint64_t load; /* bytes routed over it and not yet arrived */
};

struct path {
    uint32_t first, count; /* into hops[] of the search */
};

struct search { /* paths as runs of link ids */
    uint64_t *id;
    size_t id_count, id_room;
    struct path *path;
    size_t path_count, path_room;
    int failed;
};

struct timed_links {
    struct link *link;
    uint32_t link_count, link_room;
    uint32_t *slot, slot_mask;
    struct flow *flow;
    uint32_t flow_count, flow_room, flow_free;
    struct timed_numbers begun, flowing, ended, dirty; /* flows, flows, flows, links */
    uint32_t stamp;
    struct search search; /* kept for its memory */
};

static enum core_status out_of_memory(struct timed_engine *e)
{
    if (e->status == CORE_OK)
        e->status = core_report(CORE_NO_MEMORY, "out of memory for shared links");
    return e->status;
}

enum core_status timed_link_init(struct timed_engine *e)
{
    struct timed_links *l = e->links = core_alloc_zero(1, sizeof *l);
    if (!l || !(l->slot = core_alloc_zero(FIRST * 4, sizeof *l->slot)) ||
        !(l->link = core_alloc_zero(FIRST, sizeof *l->link)) || !(l->flow = core_alloc_zero(FIRST, sizeof *l->flow)))
        return out_of_memory(e);
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
        out_of_memory(e);
        return;
    }
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

/* The record of a link, made when first asked for. 0 when out of memory. */
static uint32_t link_find(struct timed_engine *e, uint64_t key)
{
    struct timed_links *l = e->links;
    uint32_t at = slot_of(l, key);
    for (; l->slot[at]; at = (at + 1) & l->slot_mask)
        if (l->link[l->slot[at]].key == key)
            return l->slot[at];
    if (l->link_count >= l->slot_mask) /* the table could not grow */
        return 0;
    if (l->link_count >= l->link_room) {
        uint32_t room = l->link_room * 2;
        struct link *larger = core_alloc_again(l->link, room * sizeof *larger);
        if (!larger) {
            out_of_memory(e);
            return 0;
        }
        l->link = larger;
        l->link_room = room;
    }
    uint32_t made = l->link_count++;
    l->link[made] = (struct link){.key = key};
    l->slot[at] = made;
    if (l->link_count > l->slot_mask / 2)
        slots_grow(e, l);
    return made;
}

/* A bus has no directions; nor, as a resource, has a link in half duplex. */
static uint64_t link_key(const struct timed_engine *e, uint64_t id)
{
    return e->options.half_duplex ? id >> 1 : id;
}

/* Never held across a call that may make another link. */
static struct link *link_of(struct timed_engine *e, uint64_t id)
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
        if (l->flow_count >= l->flow_room) {
            uint32_t room = l->flow_room * 2;
            struct flow *larger = core_alloc_again(l->flow, room * sizeof *larger);
            if (!larger) {
                out_of_memory(e);
                return 0;
            }
            l->flow = larger;
            l->flow_room = room;
        }
        id = l->flow_count++;
        l->flow[id] = (struct flow){0};
    }
    uint32_t version = l->flow[id].version; /* goes on, so that old events stay old */
    l->flow[id] = (struct flow){.message = message, .started = e->now, .version = version};
    return id;
}

/* --- paths -------------------------------------------------------------------------------------------------- */

static struct search *search_begin(struct timed_engine *e)
{
    struct search *s = &e->links->search;
    s->id_count = s->path_count = 0;
    s->failed = 0;
    return s;
}

static void search_add_id(struct search *s, uint64_t id)
{
    if (s->id_count == s->id_room) {
        size_t room = s->id_room ? s->id_room * 2 : 256;
        uint64_t *larger = core_alloc_again(s->id, room * sizeof *larger);
        if (!larger) {
            s->failed = 1;
            return;
        }
        s->id = larger;
        s->id_room = room;
    }
    s->id[s->id_count++] = id;
}

static void search_add_path(struct search *s, size_t first)
{
    if (s->path_count == s->path_room) {
        size_t room = s->path_room ? s->path_room * 2 : 64;
        struct path *larger = core_alloc_again(s->path, room * sizeof *larger);
        if (!larger) {
            s->failed = 1;
            return;
        }
        s->path = larger;
        s->path_room = room;
    }
    s->path[s->path_count++] = (struct path){(uint32_t)first, (uint32_t)(s->id_count - first)};
}

static const struct replay_timed_route *forced(const struct timed_engine *e, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < e->options.route_count; i++)
        if (e->options.route[i].from == from && e->options.route[i].to == to)
            return &e->options.route[i];
    return NULL;
}

static void search_fixed(struct timed_engine *e, struct search *s, uint32_t from, uint32_t to)
{
    const struct replay_topology *t = &e->topology;
    const struct replay_timed_route *route = forced(e, from, to);
    uint32_t here = replay_topology_node(t, from), there = replay_topology_node(t, to);
    uint32_t next[REPLAY_NEIGHBOURS_MAX];
    size_t first = s->id_count;

    if (route)
        for (uint32_t i = 0; i + 1 < route->count; i++)
            search_add_id(s, replay_topology_link(t, route->node[i], route->node[i + 1]));
    else
        for (; here != there; here = next[0]) {
            replay_topology_next(t, here, there, next);
            search_add_id(s, replay_topology_link(t, here, next[0]));
        }
    search_add_path(s, first);
}

/* Depth first over next nodes, the fixed routing's path first; at most `most` paths. node[] holds the walk so far. */
static void search_walk(struct timed_engine *e, struct search *s, uint32_t *node, size_t depth, uint32_t there,
                        size_t *left)
{
    uint32_t next[REPLAY_NEIGHBOURS_MAX];
    uint32_t count = replay_topology_next(&e->topology, node[depth], there, next);

    if (count == 0) {
        size_t first = s->id_count;
        for (size_t i = 0; i < depth; i++)
            search_add_id(s, replay_topology_link(&e->topology, node[i], node[i + 1]));
        search_add_path(s, first);
        --*left;
        return;
    }
    for (uint32_t i = 0; i < count && *left; i++) {
        node[depth + 1] = next[i];
        search_walk(e, s, node, depth + 1, there, left);
    }
}

static void search_all(struct timed_engine *e, struct search *s, uint32_t from, uint32_t to)
{
    uint32_t here = replay_topology_node(&e->topology, from), there = replay_topology_node(&e->topology, to);
    size_t distance = replay_topology_distance(&e->topology, here, there), left = REPLAY_PATHS_MAX;

    if (forced(e, from, to) || e->options.routing == REPLAY_ROUTING_FIXED || distance > 1000) {
        search_fixed(e, s, from, to);
        return;
    }
    uint32_t *node = core_alloc((distance + 1) * sizeof *node);
    if (!node) {
        s->failed = 1;
        return;
    }
    node[0] = here;
    search_walk(e, s, node, 0, there, &left);
    free(node);
}

static void flow_take(struct timed_engine *e, uint32_t flow, const struct search *s, const struct path *path)
{
    struct timed_links *l = e->links;
    struct flow *f = &l->flow[flow];
    const struct timed_message *m = &e->message[f->message];

    f->hop = core_alloc_zero(path->count ? path->count : 1, sizeof *f->hop);
    if (!f->hop) {
        out_of_memory(e);
        return;
    }
    f->hop_count = path->count;
    for (uint32_t i = 0; i < path->count; i++) {
        uint64_t id = s->id[path->first + i];
        uint32_t index = link_find(e, link_key(e, id));
        struct link *link = &l->link[index];
        f->hop[i].link = index * 2 + (e->options.half_duplex ? id & 1 : 0);
        f->hop[i].flow = flow;
        link->load += m->bytes;
        link->messages++;
        link->bytes += m->bytes;
        link->taken[f->hop[i].link & 1]++;
    }
}

/* --- routing of all messages that start together --------------------------------------------------------------- */

struct choice {
    uint32_t flow;
    uint32_t first, count; /* paths */
    uint32_t taken;
};

struct goal {
    uint64_t busiest;
    double squares;
};

static int better(struct goal a, struct goal b)
{
    return a.busiest < b.busiest || (a.busiest == b.busiest && a.squares < b.squares);
}

static void load_path(struct timed_engine *e, const struct search *s, const struct path *path, uint64_t bytes, int on)
{
    for (uint32_t i = 0; i < path->count; i++) {
        struct link *link = link_of(e, s->id[path->first + i]);
        link->load += on ? bytes : 0 - bytes;
    }
}

static void weigh(struct timed_engine *e, const struct search *s, const struct path *path, struct goal *goal)
{
    for (uint32_t i = 0; i < path->count; i++) {
        uint64_t load = link_of(e, s->id[path->first + i])->load;
        if (load > goal->busiest)
            goal->busiest = load;
        goal->squares += (double)load; /* summed over the messages on a link this is the square of its load */
    }
}

static struct goal weigh_all(struct timed_engine *e, const struct search *s, const struct choice *choice, size_t count)
{
    struct goal goal = {0, 0};
    for (size_t i = 0; i < count; i++)
        weigh(e, s, &s->path[choice[i].first + choice[i].taken], &goal);
    return goal;
}

static uint64_t choice_bytes(const struct timed_engine *e, const struct choice *choice)
{
    uint64_t bytes = e->message[e->links->flow[choice->flow].message].bytes;
    return bytes ? bytes : 1;
}

static void choice_turn(struct timed_engine *e, const struct search *s, struct choice *choice, uint32_t taken)
{
    load_path(e, s, &s->path[choice->first + choice->taken], choice_bytes(e, choice), 0);
    choice->taken = taken;
    load_path(e, s, &s->path[choice->first + choice->taken], choice_bytes(e, choice), 1);
}

static void choose_exactly(struct timed_engine *e, const struct search *s, struct choice *choice, size_t count,
                           uint32_t *best)
{
    struct goal least = weigh_all(e, s, choice, count);
    memset(best, 0, count * sizeof *best);
    for (;;) {
        size_t i = 0;
        while (i < count && choice[i].taken + 1 == choice[i].count)
            choice_turn(e, s, &choice[i++], 0);
        if (i == count)
            break;
        choice_turn(e, s, &choice[i], choice[i].taken + 1);
        struct goal goal = weigh_all(e, s, choice, count);
        if (better(goal, least)) {
            least = goal;
            for (size_t j = 0; j < count; j++)
                best[j] = choice[j].taken;
        }
    }
    for (size_t i = 0; i < count; i++)
        choice_turn(e, s, &choice[i], best[i]);
}

static void choose_in_turn(struct timed_engine *e, const struct search *s, struct choice *choice, size_t count)
{
    int changed = 1;
    for (int pass = 0; changed && pass < PASSES_MAX; pass++) {
        changed = 0;
        for (size_t i = 0; i < count; i++) {
            uint32_t best = choice[i].taken, before = best;
            struct goal least = {0, 0};
            weigh(e, s, &s->path[choice[i].first + best], &least);
            for (uint32_t p = 0; p < choice[i].count; p++) {
                if (p == before)
                    continue;
                choice_turn(e, s, &choice[i], p);
                struct goal goal = {0, 0};
                weigh(e, s, &s->path[choice[i].first + p], &goal);
                if (better(goal, least)) {
                    least = goal;
                    best = p;
                }
            }
            choice_turn(e, s, &choice[i], best);
            changed |= best != before;
        }
    }
}

static void route_best(struct timed_engine *e, struct search *s, struct choice *choice, size_t count)
{
    uint64_t combinations = 1;
    uint32_t *best = core_alloc_zero(count, sizeof *best);
    if (!best) {
        out_of_memory(e);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        load_path(e, s, &s->path[choice[i].first], choice_bytes(e, &choice[i]), 1);
        if (combinations <= COMBINATIONS_MAX)
            combinations *= choice[i].count;
    }
    if (combinations > 1 && combinations <= COMBINATIONS_MAX)
        choose_exactly(e, s, choice, count, best);
    else if (combinations > 1)
        choose_in_turn(e, s, choice, count);
    for (size_t i = 0; i < count; i++)
        load_path(e, s, &s->path[choice[i].first + choice[i].taken], choice_bytes(e, &choice[i]), 0);
    free(best);
}

void timed_link_route(struct timed_engine *e)
{
    struct timed_links *l = e->links;
    size_t count = l->begun.count;
    if (count == 0)
        return;
    struct search *s = search_begin(e);
    struct choice *choice = core_alloc_zero(count, sizeof *choice);
    if (!choice) {
        out_of_memory(e);
        return;
    }
    for (size_t i = 0; i < count && !s->failed; i++) {
        const struct timed_message *m = &e->message[l->flow[l->begun.at[i]].message];
        choice[i] = (struct choice){.flow = l->begun.at[i], .first = (uint32_t)s->path_count};
        if (s->path_count > PATHS_TOTAL_MAX)
            search_fixed(e, s, (uint32_t)m->src, (uint32_t)m->dst);
        else
            search_all(e, s, (uint32_t)m->src, (uint32_t)m->dst);
        choice[i].count = (uint32_t)(s->path_count - choice[i].first);
    }
    if (s->failed) {
        out_of_memory(e);
    } else {
        if (e->options.routing == REPLAY_ROUTING_BEST)
            route_best(e, s, choice, count);
        for (size_t i = 0; i < count && e->status == CORE_OK; i++)
            flow_take(e, choice[i].flow, s, &s->path[choice[i].first + choice[i].taken]);
    }
    free(choice);
    l->begun.count = 0;
}

/* --- life of a flow ---------------------------------------------------------------------------------------------- */

void timed_link_begin(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];
    uint32_t flow = flow_new(e, id);
    if (!flow)
        return;
    m->flow = flow;
    timed_numbers_add(e, &e->links->begun, flow);
    if (e->options.half_duplex)
        timed_link_route(e); /* at once: the next that wants to start must see its links taken */
    timed_queue_push(&e->queue, e->now + timed_alpha(e, m), id, EVENT_FLOW);
}

int timed_link_free(struct timed_engine *e, uint32_t id)
{
    const struct timed_message *m = &e->message[id];
    struct search *s = search_begin(e);
    int is_free = 1;

    if (e->topology.kind == REPLAY_BUS)
        return 1; /* has no direction */
    search_fixed(e, s, (uint32_t)m->src, (uint32_t)m->dst);
    for (size_t i = 0; i < s->id_count && is_free; i++)
        is_free = !link_of(e, s->id[i])->taken[!(s->id[i] & 1)];
    return is_free;
}

void timed_link_flow(struct timed_engine *e, uint32_t id)
{
    struct timed_message *m = &e->message[id];
    struct flow *f = &e->links->flow[m->flow];

    f->left = e->byte_exact ? m->bytes * e->byte_ticks : timed_words_ticks(e, m->bytes);
    f->since = e->now;
    if (f->left == 0)
        timed_queue_push(&e->queue, e->now, m->flow, EVENT_END | (f->version << 2));
    else
        timed_numbers_add(e, &e->links->flowing, m->flow);
}

/* Ends are announced by flow, with the version they were computed for: a flow whose share has changed since, or that is
 * another message's by now, is not meant. */
uint32_t timed_link_current(const struct timed_engine *e, uint32_t flow, uint32_t what)
{
    const struct flow *f = &e->links->flow[flow];
    return f->hop && f->version << 2 == (what & ~(uint32_t)3) ? f->message : NONE;
}

uint64_t timed_link_started(const struct timed_engine *e, uint32_t id)
{
    return e->links->flow[e->message[id].flow].started;
}

static void touch(struct timed_engine *e, struct link *link, uint32_t index)
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
    touch(e, link, hop->link >> 1);
}

static void hop_off(struct timed_engine *e, struct hop *hop)
{
    struct link *link = &e->links->link[hop->link >> 1];
    if (hop->prev)
        hop->prev->next = hop->next;
    else
        link->flows = hop->next;
    if (hop->next)
        hop->next->prev = hop->prev;
    if (--link->flowing == 0)
        link->busy += e->now - link->busy_since;
    touch(e, link, hop->link >> 1);
}

/* The message has ended: its links are free again, its flow record too. */
void timed_link_ended(struct timed_engine *e, uint32_t id)
{
    struct timed_links *l = e->links;
    struct timed_message *m = &e->message[id];
    struct flow *f = &l->flow[m->flow];

    for (uint32_t i = 0; i < f->hop_count; i++) {
        struct link *link = &l->link[f->hop[i].link >> 1];
        if (f->share)
            hop_off(e, &f->hop[i]);
        link->load -= m->bytes;
        link->taken[f->hop[i].link & 1]--;
    }
    free(f->hop);
    f->hop = NULL;
    f->share = 0;
    f->version++;
    f->next_free = l->flow_free;
    l->flow_free = m->flow;
    m->flow = NONE;
}

static void reshare(struct timed_engine *e, struct flow *f)
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
    timed_queue_push(&e->queue, e->now + f->left * share, (uint32_t)(f - e->links->flow), EVENT_END | (f->version << 2));
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
            reshare(e, &l->flow[l->flowing.at[i]]);
        }
    for (size_t i = 0; i < l->dirty.count; i++) {
        struct link *link = &l->link[l->dirty.at[i]];
        link->dirty = 0;
        for (struct hop *hop = link->flows; hop; hop = hop->next) {
            struct flow *f = &l->flow[hop->flow];
            if (f->stamp != l->stamp) {
                f->stamp = l->stamp;
                reshare(e, f);
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
        return out_of_memory(e);
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
    return CORE_OK;
}
