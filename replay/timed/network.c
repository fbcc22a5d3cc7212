/* Computes the networks of the model. Distances and next nodes are computed, never stored, so a
 * million ranks cost nothing. Properties come from closed forms; the unit test compares them with
 * searches on small networks. */
#include "replay/timed/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "replay/program/program.h"

static const char *const kind_name[] = {"full", "bus",           "star",    "line",
                                        "ring", "mesh",          "torus",   "hypercube",
                                        "tree", "complete-tree", "pipeline"};
_Static_assert(sizeof kind_name / sizeof *kind_name == REPLAY_TOPOLOGY_KIND_COUNT,
               "a name for each kind of network");
_Static_assert(2 * REPLAY_DIMS_MAX <= REPLAY_NEIGHBOURS_MAX, "two ways in each dimension");

const char *replay_topology_kind_name(enum replay_topology_kind kind)
{
    return kind < REPLAY_TOPOLOGY_KIND_COUNT ? kind_name[kind] : "?";
}

static uint32_t floor_log2(uint32_t value)
{
    CORE_CHECK(value > 0);
    return 31 - (uint32_t)__builtin_clz(value);
}

static uint32_t square_root(uint32_t value)
{
    uint32_t root = 0;
    while ((uint64_t)(root + 1) * (root + 1) <= value)
        root++;
    return root;
}

static uint64_t network_nearer(uint64_t value, uint64_t below, uint64_t above)
{
    return below && value - below <= above - value ? below : above;
}

static enum core_status refuse_ranks(enum replay_topology_kind kind, uint32_t ranks)
{
    if (kind == REPLAY_MESH || kind == REPLAY_TORUS) {
        uint64_t q = square_root(ranks), near = network_nearer(ranks, q * q, (q + 1) * (q + 1)),
                 side = square_root(near);
        return core_report(
            CORE_BAD_INPUT,
            "a square %s of %u ranks is impossible: %u is not a square; the nearest is %llu "
            "(%s:%llux%llu); other shapes by name, such as %s:1x%u",
            kind_name[kind], ranks, ranks, (unsigned long long)near, kind_name[kind],
            (unsigned long long)side, (unsigned long long)side, kind_name[kind], ranks);
    }
    uint64_t below = 1ull << floor_log2(ranks), above = below * 2;
    if (kind == REPLAY_COMPLETE_TREE) {
        below = (1ull << floor_log2(ranks + 1)) - 1;
        return core_report(CORE_BAD_INPUT,
                           "a complete-tree of %u ranks is impossible: it needs 2^k - 1 ranks; the "
                           "nearest is %llu",
                           ranks, (unsigned long long)network_nearer(ranks, below, below * 2 + 1));
    }
    return core_report(
        CORE_BAD_INPUT,
        "a %s of %u ranks is impossible: it needs a power of two; the nearest is %llu",
        kind_name[kind], ranks, (unsigned long long)network_nearer(ranks, below, above));
}

enum core_status replay_topology_grid(enum replay_topology_kind kind, const uint32_t *dim,
                                      uint32_t count, struct replay_topology *out)
{
    CORE_CHECK(kind == REPLAY_MESH || kind == REPLAY_TORUS);
    if (count == 0 || count > REPLAY_DIMS_MAX)
        return core_report(CORE_BAD_INPUT, "a %s of %u dimensions; from 1 to %d are possible",
                           kind_name[kind], count, REPLAY_DIMS_MAX);
    struct replay_topology made = {.kind = kind, .dim_count = count};
    uint64_t ranks = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (dim[i] == 0)
            return core_report(CORE_BAD_INPUT, "a %s with a dimension of 0 ranks; the nearest is 1",
                               kind_name[kind]);
        made.dim[i] = dim[i];
        ranks *= dim[i];
        if (ranks > REPLAY_RANKS_MAX)
            return core_report(CORE_BAD_INPUT, "a %s of more than %d ranks", kind_name[kind],
                               REPLAY_RANKS_MAX);
    }
    CORE_CHECK(ranks > 0 && ranks <= REPLAY_RANKS_MAX);
    made.ranks = made.nodes = (uint32_t)ranks;
    *out = made;
    return CORE_OK;
}

enum core_status replay_topology_make(enum replay_topology_kind kind, uint32_t ranks,
                                      struct replay_topology *out)
{
    struct replay_topology made = {
        .kind = kind, .ranks = ranks, .nodes = ranks, .dim_count = 1, .dim = {ranks}};

    if (ranks == 0 || ranks > REPLAY_RANKS_MAX)
        return core_report(CORE_BAD_INPUT, "a %s of %u ranks; from 1 to %d are possible",
                           kind_name[kind], ranks, REPLAY_RANKS_MAX);
    switch (kind) {
    case REPLAY_MESH:
    case REPLAY_TORUS:
        made.dim_count = 2;
        made.dim[0] = made.dim[1] = square_root(ranks);
        if (made.dim[0] * made.dim[1] != ranks)
            return refuse_ranks(kind, ranks);
        break;
    case REPLAY_HYPERCUBE:
    case REPLAY_TREE:
        if (ranks & (ranks - 1))
            return refuse_ranks(kind, ranks);
        if (kind == REPLAY_TREE)
            made.nodes = 2 * ranks; /* node 0 is unused */
        break;
    case REPLAY_COMPLETE_TREE:
        if (ranks & (ranks + 1))
            return refuse_ranks(kind, ranks);
        made.nodes = ranks + 1;
        break;
    default:
        CORE_CHECK(kind < REPLAY_TOPOLOGY_KIND_COUNT);
        break;
    }
    *out = made;
    return CORE_OK;
}

static enum core_status parse_dims(const char *text, const char *sizes, uint32_t *dim,
                                   uint32_t *out_count)
{
    uint32_t count = 0;
    for (const char *at = sizes;; at++) {
        char *end;
        if (*at < '0' || *at > '9')
            return core_report(
                CORE_BAD_INPUT,
                "cannot read the sizes of topology '%s'; write for instance mesh:4x4", text);
        unsigned long value = strtoul(at, &end, 10);
        if (value > REPLAY_RANKS_MAX || count == REPLAY_DIMS_MAX)
            return core_report(CORE_BAD_INPUT,
                               "topology '%s' is too large: at most %d ranks and %d dimensions",
                               text, REPLAY_RANKS_MAX, REPLAY_DIMS_MAX);
        dim[count++] = (uint32_t)value;
        at = end;
        if (*at == 0)
            break;
        if (*at != 'x')
            return core_report(
                CORE_BAD_INPUT,
                "cannot read the sizes of topology '%s'; write for instance mesh:4x4", text);
    }
    *out_count = count;
    return CORE_OK;
}

enum core_status replay_topology_parse(const char *text, uint32_t ranks,
                                       struct replay_topology *out)
{
    size_t length = strcspn(text, ":");
    uint32_t dim[REPLAY_DIMS_MAX], count = 0;
    int kind = 0;
    enum core_status status;

    while (kind < REPLAY_TOPOLOGY_KIND_COUNT &&
           (strlen(kind_name[kind]) != length || strncmp(kind_name[kind], text, length) != 0))
        kind++;
    if (kind == REPLAY_TOPOLOGY_KIND_COUNT)
        return core_report(
            CORE_BAD_INPUT,
            "unknown topology '%s'; known are full, bus, star, line, ring, mesh:AxB, torus:AxBxC, "
            "hypercube, tree, complete-tree, pipeline",
            text);
    if (text[length] == ':') {
        status = parse_dims(text, text + length + 1, dim, &count);
        if (status != CORE_OK)
            return status;
    }
    struct replay_topology made;
    if (count && (kind == REPLAY_MESH || kind == REPLAY_TORUS)) {
        status = replay_topology_grid((enum replay_topology_kind)kind, dim, count, &made);
    } else if (count > 1) {
        return core_report(CORE_BAD_INPUT, "topology '%s' has one size, its number of ranks", text);
    } else if (count == 0 && ranks == 0) {
        return core_report(CORE_BAD_INPUT, "topology '%s' lacks its number of ranks; write %s:%s",
                           text, kind_name[kind],
                           kind == REPLAY_MESH || kind == REPLAY_TORUS ? "4x4" : "8");
    } else {
        status =
            replay_topology_make((enum replay_topology_kind)kind, count ? dim[0] : ranks, &made);
    }
    if (status != CORE_OK)
        return status;
    if (ranks && made.ranks != ranks)
        return core_report(CORE_BAD_INPUT, "topology '%s' has %u ranks, not %u", text, made.ranks,
                           ranks);
    *out = made;
    return CORE_OK;
}

const char *replay_topology_text(const struct replay_topology *topology, char text[REPLAY_TEXT_MAX])
{
    int used = snprintf(text, REPLAY_TEXT_MAX, "%s", kind_name[topology->kind]);
    if (topology->kind != REPLAY_MESH && topology->kind != REPLAY_TORUS) {
        snprintf(text + used, REPLAY_TEXT_MAX - (size_t)used, ":%u", topology->ranks);
        return text;
    }
    for (uint32_t i = 0; i < topology->dim_count; i++)
        used += snprintf(text + used, REPLAY_TEXT_MAX - (size_t)used, "%c%u", i ? 'x' : ':',
                         topology->dim[i]);
    CORE_CHECK(used < REPLAY_TEXT_MAX); /* nothing was cut off */
    return text;
}

/* Computes the bisection of a product of paths (arrays) or cycles (tori): it cuts one dimension in
 * the middle; while the dimension is odd, the middle slice must itself be cut, and so on. It tries
 * all orders of dimensions, by size and cost class: dimensions of equal size are the same, so few
 * orders differ. After Aroca and Fernandez Anta, "Bisection (band)width of product networks". */
static uint64_t cut_grid(const struct replay_topology *t, uint32_t used, uint64_t rest)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < t->dim_count; i++) {
        uint32_t size = t->dim[i];
        int seen = 0;
        if (size == 1 || (used & (1u << i)))
            continue;
        for (uint32_t j = 0; j < i; j++)
            seen |= t->dim[j] == size && !(used & (1u << j));
        if (seen)
            continue;
        uint64_t slice = rest / size, lines = t->kind == REPLAY_TORUS && size > 2 ? 2 : 1,
                 cost = slice * lines;
        if (size % 2) {
            uint64_t inner = cut_grid(t, used | (1u << i), slice);
            cost += inner == UINT64_MAX ? 0 : inner;
        }
        if (cost < best)
            best = cost;
    }
    return best;
}

static void grid_facts(const struct replay_topology *t, struct replay_topology_facts *facts)
{
    int torus = t->kind == REPLAY_TORUS || t->kind == REPLAY_RING;
    struct replay_topology grid = *t;

    grid.kind = torus ? REPLAY_TORUS : REPLAY_MESH;
    for (uint32_t i = 0; i < t->dim_count; i++) {
        uint64_t size = t->dim[i];
        if (size == 1)
            continue;
        int wraps = torus && size > 2;
        facts->diameter += torus ? size / 2 : size - 1;
        facts->degree += size > 2 ? 2 : 1;
        facts->connectivity += wraps ? 2 : 1;
        facts->links += t->ranks / size * (wraps ? size : size - 1);
    }
    facts->bisection = cut_grid(&grid, 0, t->ranks);
    CORE_CHECK(facts->bisection <= facts->links);
}

void replay_topology_facts(const struct replay_topology *t, struct replay_topology_facts *out)
{
    uint64_t P = t->ranks, lg = floor_log2(t->ranks);
    struct replay_topology_facts facts = {0};

    if (P == 1) {
        *out = facts;
        return;
    }
    switch (t->kind) {
    case REPLAY_FULL:
        facts =
            (struct replay_topology_facts){1, P - 1, P * (P - 1) / 2, P - 1, (P / 2) * (P - P / 2)};
        break;
    case REPLAY_BUS:
        facts = (struct replay_topology_facts){1, 1, 1, 1, 1};
        break;
    case REPLAY_STAR:
        facts = (struct replay_topology_facts){P > 2 ? 2 : 1, P - 1, P - 1, 1, P / 2};
        break;
    case REPLAY_HYPERCUBE:
        facts = (struct replay_topology_facts){lg, lg, P / 2 * lg, lg, P / 2};
        break;
    case REPLAY_TREE:
        facts = (struct replay_topology_facts){2 * lg, P > 2 ? 3 : 2, 2 * (P - 1), 1, 1};
        break;
    case REPLAY_COMPLETE_TREE: /* halves of P = 2^k - 1: one subtree of the root, against the root
                                  and the other */
        facts = (struct replay_topology_facts){2 * lg, P > 3 ? 3 : 2, P - 1, 1, 1};
        break;
    default:
        grid_facts(t, &facts);
        break;
    }
    *out = facts;
}

uint32_t replay_topology_node(const struct replay_topology *t, uint32_t rank)
{
    CORE_CHECK(rank < t->ranks);
    return t->kind == REPLAY_TREE            ? t->ranks + rank
           : t->kind == REPLAY_COMPLETE_TREE ? rank + 1
                                             : rank;
}

uint64_t replay_topology_link(const struct replay_topology *t, uint32_t from, uint32_t to)
{
    if (t->kind == REPLAY_BUS)
        return 0;
    CORE_CHECK_HOT(from < t->nodes && to < t->nodes);
    uint64_t low = from < to ? from : to, high = from < to ? to : from;
    return (low * t->nodes + high) * 2 + (from > to);
}

/* Returns the signed number of steps in one dimension; *out_tie: both directions are equally long.
 */
static int64_t dimension_way(int torus, uint32_t size, uint32_t from, uint32_t to, int *out_tie)
{
    CORE_CHECK_HOT(from < size && to < size);
    int64_t way = (int64_t)to - from;
    *out_tie = 0;
    if (!torus)
        return way;
    if (way < 0)
        way += size;
    if (2 * way == size)
        *out_tie = size > 2;
    return 2 * way > (int64_t)size ? way - (int64_t)size : way;
}

static uint32_t grid_next(const struct replay_topology *t, uint32_t from, uint32_t to,
                          uint32_t *next)
{
    int torus = t->kind == REPLAY_TORUS || t->kind == REPLAY_RING;
    uint32_t count = 0, stride = 1;

    for (uint32_t i = t->dim_count; i-- > 0; stride *= t->dim[i]) {
        uint32_t size = t->dim[i], here = from / stride % size, there = to / stride % size;
        int tie;
        int64_t way = dimension_way(torus, size, here, there, &tie);
        if (way == 0)
            continue;
        uint32_t up = here + 1 == size ? from - here * stride : from + stride;
        uint32_t down = here == 0 ? from + (size - 1) * stride : from - stride;
        next[count++] = way > 0 ? up : down;
        if (tie)
            next[count++] = way > 0 ? down : up;
    }
    return count;
}

uint32_t replay_topology_next(const struct replay_topology *t, uint32_t from, uint32_t to,
                              uint32_t next[REPLAY_NEIGHBOURS_MAX])
{
    uint32_t count = 0;

    CORE_CHECK_HOT(from < t->nodes && to < t->nodes);
    if (from == to)
        return 0;
    switch (t->kind) {
    case REPLAY_FULL:
    case REPLAY_BUS:
        next[0] = to;
        return 1;
    case REPLAY_STAR:
        next[0] = from == 0 ? to : 0;
        return 1;
    case REPLAY_HYPERCUBE:
        for (uint32_t differ = from ^ to; differ; differ &= differ - 1)
            next[count++] = from ^ (differ & -differ);
        return count;
    case REPLAY_TREE:
    case REPLAY_COMPLETE_TREE: {
        uint32_t below =
            to; /* the ancestor of `to` one level below `from`, if from is an ancestor */
        while (below > 1 && below / 2 > from)
            below /= 2;
        next[0] = below > 1 && below / 2 == from ? below : from / 2;
        return 1;
    }
    default:
        return grid_next(t, from, to, next);
    }
}

uint64_t replay_topology_distance(const struct replay_topology *t, uint32_t from, uint32_t to)
{
    uint64_t distance = 0;

    switch (t->kind) {
    case REPLAY_FULL:
    case REPLAY_BUS:
        return from != to;
    case REPLAY_STAR:
        return from == to ? 0 : from == 0 || to == 0 ? 1 : 2;
    case REPLAY_HYPERCUBE:
        return (uint64_t)__builtin_popcount(from ^ to);
    case REPLAY_TREE:
    case REPLAY_COMPLETE_TREE:
        for (; from != to; distance++)
            if (from > to)
                from /= 2;
            else
                to /= 2;
        return distance;
    default: {
        uint32_t stride = 1;
        int torus = t->kind == REPLAY_TORUS || t->kind == REPLAY_RING, tie;
        for (uint32_t i = t->dim_count; i-- > 0; stride *= t->dim[i])
            distance += (uint64_t)llabs(dimension_way(torus, t->dim[i], from / stride % t->dim[i],
                                                      to / stride % t->dim[i], &tie));
        return distance;
    }
    }
}

size_t replay_topology_route(const struct replay_topology *t, uint32_t from, uint32_t to,
                             uint64_t *link, size_t room)
{
    uint32_t here = replay_topology_node(t, from), there = replay_topology_node(t, to);
    uint32_t next[REPLAY_NEIGHBOURS_MAX];
    size_t count = 0;

    for (; here != there; here = next[0], count++) {
        CORE_CHECK(replay_topology_next(t, here, there, next) > 0);
        if (count < room)
            link[count] = replay_topology_link(t, here, next[0]);
    }
    return count;
}
