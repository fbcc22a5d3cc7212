/* Finds the links that a message crosses.
 *
 * Routing `best` routes the messages that start at one instant together. It tries every combination
 * of their shortest paths if there are few; otherwise each message in turn takes its best path
 * given the others', until none changes. Better means fewer bytes over the busiest link, which
 * determines when the set ends; then a smaller sum of squares. */
#include "replay/timed/timed_link.h"

#include <string.h>

#include "core/array.h"
#include "core/check.h"

enum { COMBINATIONS_MAX = 4096, PASSES_MAX = 8, PATHS_TOTAL_MAX = 1 << 16 };

/* --- paths ------------------------------------------------------------------------------------ */

static struct search *search_begin(struct timed_engine *e)
{
    struct search *s = &e->links->search;
    s->id_count = s->path_count = 0;
    s->failed = 0;
    return s;
}

static void search_add_id(struct search *s, uint64_t id)
{
    if (CORE_ARRAY_PUSH(s->id, s->id_count, s->id_room, "routes", id))
        s->failed = 1;
}

static void search_add_path(struct search *s, size_t first)
{
    if (CORE_ARRAY_PUSH(s->path, s->path_count, s->path_room, "routes",
                        (struct path){(uint32_t)first, (uint32_t)(s->id_count - first)}))
        s->failed = 1;
}

static const struct replay_timed_route *timed_route_forced(const struct timed_engine *e,
                                                           uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < e->options.route_count; i++)
        if (e->options.route[i].from == from && e->options.route[i].to == to)
            return &e->options.route[i];
    return NULL;
}

static void search_fixed(struct timed_engine *e, struct search *s, uint32_t from, uint32_t to)
{
    const struct replay_topology *t = &e->topology;
    const struct replay_timed_route *route = timed_route_forced(e, from, to);
    uint32_t here = replay_topology_node(t, from), there = replay_topology_node(t, to);
    uint32_t next[REPLAY_NEIGHBOURS_MAX];
    size_t first = s->id_count;

    if (route)
        for (uint32_t i = 0; i + 1 < route->count; i++)
            search_add_id(s, replay_topology_link(t, route->node[i], route->node[i + 1]));
    else
        for (; here != there; here = next[0]) {
            replay_topology_next(t, here, there, next);
            CORE_CHECK_HOT(replay_topology_distance(t, next[0], there) + 1 ==
                           replay_topology_distance(t, here, there));
            search_add_id(s, replay_topology_link(t, here, next[0]));
        }
    search_add_path(s, first);
}

/* Walks depth first over next nodes, the path of fixed routing first, for at most `most` paths.
 * node[] holds the walk so far. */
static void search_walk(struct timed_engine *e, struct search *s, uint32_t *node, size_t depth,
                        uint32_t there, size_t *left)
{
    uint32_t next[REPLAY_NEIGHBOURS_MAX];
    uint32_t count = replay_topology_next(&e->topology, node[depth], there, next);

    CORE_CHECK(*left > 0);
    CORE_CHECK(count <= REPLAY_NEIGHBOURS_MAX);
    CORE_CHECK_HOT(depth + replay_topology_distance(&e->topology, node[depth], there) ==
                   replay_topology_distance(&e->topology, node[0], there)); /* room in node[] */
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
    uint32_t here = replay_topology_node(&e->topology, from),
             there = replay_topology_node(&e->topology, to);
    size_t distance = replay_topology_distance(&e->topology, here, there), left = REPLAY_PATHS_MAX;

    if (timed_route_forced(e, from, to) || e->options.routing == REPLAY_ROUTING_FIXED ||
        distance > 1000) {
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

const struct search *timed_route_fixed(struct timed_engine *e, uint32_t from, uint32_t to)
{
    struct search *s = search_begin(e);
    search_fixed(e, s, from, to);
    if (s->failed)
        timed_link_no_memory(e);
    return s;
}

/* --- routing of all messages that start together ---------------------------------------------- */

struct choice {
    uint32_t flow;
    uint32_t first, count; /* paths */
    uint32_t taken;
};

struct goal {
    uint64_t busiest;
    double squares;
};

static int timed_route_better(struct goal a, struct goal b)
{
    return a.busiest < b.busiest || (a.busiest == b.busiest && a.squares < b.squares);
}

static void load_path(struct timed_engine *e, const struct search *s, const struct path *path,
                      uint64_t bytes, int on)
{
    for (uint32_t i = 0; i < path->count; i++) {
        struct link *link = timed_link_of(e, s->id[path->first + i]);
        CORE_CHECK_HOT(on || link->load >= bytes);
        link->load += on ? bytes : 0 - bytes;
    }
}

static void timed_route_weigh(struct timed_engine *e, const struct search *s,
                              const struct path *path, struct goal *goal)
{
    for (uint32_t i = 0; i < path->count; i++) {
        uint64_t load = timed_link_of(e, s->id[path->first + i])->load;
        if (load > goal->busiest)
            goal->busiest = load;
        goal->squares +=
            (double)load; /* summed over the messages on a link this is the square of its load */
    }
}

static struct goal weigh_all(struct timed_engine *e, const struct search *s,
                             const struct choice *choice, size_t count)
{
    struct goal goal = {0, 0};
    for (size_t i = 0; i < count; i++)
        timed_route_weigh(e, s, &s->path[choice[i].first + choice[i].taken], &goal);
    return goal;
}

static uint64_t choice_bytes(const struct timed_engine *e, const struct choice *choice)
{
    uint64_t bytes = e->message[e->links->flow[choice->flow].message].bytes;
    return bytes ? bytes : 1;
}

static void choice_turn(struct timed_engine *e, const struct search *s, struct choice *choice,
                        uint32_t taken)
{
    CORE_CHECK(taken < choice->count);
    load_path(e, s, &s->path[choice->first + choice->taken], choice_bytes(e, choice), 0);
    choice->taken = taken;
    load_path(e, s, &s->path[choice->first + choice->taken], choice_bytes(e, choice), 1);
}

static void choose_exactly(struct timed_engine *e, const struct search *s, struct choice *choice,
                           size_t count, uint32_t *best)
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
        if (timed_route_better(goal, least)) {
            least = goal;
            for (size_t j = 0; j < count; j++)
                best[j] = choice[j].taken;
        }
    }
    for (size_t i = 0; i < count; i++)
        choice_turn(e, s, &choice[i], best[i]);
}

static void choose_in_turn(struct timed_engine *e, const struct search *s, struct choice *choice,
                           size_t count)
{
    int changed = 1;
    for (int pass = 0; changed && pass < PASSES_MAX; pass++) {
        changed = 0;
        for (size_t i = 0; i < count; i++) {
            uint32_t best = choice[i].taken, before = best;
            struct goal least = {0, 0};
            timed_route_weigh(e, s, &s->path[choice[i].first + best], &least);
            for (uint32_t p = 0; p < choice[i].count; p++) {
                if (p == before)
                    continue;
                choice_turn(e, s, &choice[i], p);
                struct goal goal = {0, 0};
                timed_route_weigh(e, s, &s->path[choice[i].first + p], &goal);
                if (timed_route_better(goal, least)) {
                    least = goal;
                    best = p;
                }
            }
            choice_turn(e, s, &choice[i], best);
            changed |= best != before;
        }
    }
}

static void route_best(struct timed_engine *e, struct search *s, struct choice *choice,
                       size_t count)
{
    uint64_t combinations = 1;
    uint32_t *best = core_alloc_zero(count, sizeof *best);
    if (!best) {
        timed_link_no_memory(e);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        CORE_CHECK(choice[i].count > 0 && choice[i].taken == 0);
        load_path(e, s, &s->path[choice[i].first], choice_bytes(e, &choice[i]), 1);
        if (combinations <= COMBINATIONS_MAX)
            combinations *= choice[i].count;
    }
    if (combinations > 1 && combinations <= COMBINATIONS_MAX)
        choose_exactly(e, s, choice, count, best);
    else if (combinations > 1)
        choose_in_turn(e, s, choice, count);
    for (size_t i = 0; i < count; i++)
        load_path(e, s, &s->path[choice[i].first + choice[i].taken], choice_bytes(e, &choice[i]),
                  0);
    free(best);
}

static void timed_route_take(struct timed_engine *e, const struct search *s,
                             const struct choice *choice)
{
    CORE_CHECK(choice->taken < choice->count);
    const struct path *path = &s->path[choice->first + choice->taken];
    CORE_CHECK(path->first + path->count <= s->id_count);
    timed_link_take(e, choice->flow, s->id + path->first, path->count);
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
        timed_link_no_memory(e);
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
        timed_link_no_memory(e);
    } else {
        if (e->options.routing == REPLAY_ROUTING_BEST)
            route_best(e, s, choice, count);
        for (size_t i = 0; i < count && e->status == CORE_OK; i++)
            timed_route_take(e, s, &choice[i]);
    }
    free(choice);
    l->begun.count = 0;
}
