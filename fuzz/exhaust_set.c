/* See exhaust_set.h: the axes of each kind of collective, and the set as a formula. */
#include "fuzz/exhaust_set.h"

#include <string.h>

#include "core/check.h"
#include "fuzz/scenario/execute.h"
#include "fuzz/scenario/field.h"
#include "fuzz/scenario/shape.h"
#include "fuzz/undecided.h"

enum {
    COUNT_MAX = 3,
    SEEDS = 4,       /* of graphs */
    SEEDS_SIZES = 2, /* the sizes of one call have their own product */
    SUM_MAX = 9,     /* of sizes */
    CALLS_MAX = 3
};

/* --- the products ----------------------------------------------------------------------------- */

static void axis_add(struct exhaust_axes *axes, const char *key, int low, int high, const char *all)
{
    CORE_CHECK(axes->count < EXHAUST_AXES_MAX && low <= high);
    axes->axis[axes->count++] = (struct exhaust_axis){key, low, 1, high - low + 1, all};
}

static void axis_add_pair(struct exhaust_axes *axes, const char *key, int a, int b)
{
    CORE_CHECK(axes->count < EXHAUST_AXES_MAX && a < b);
    axes->axis[axes->count++] = (struct exhaust_axis){key, a, b - a, 2, NULL};
}

static void axis_add_groups(struct exhaust_axes *axes, const struct collective *c, int ranks)
{
    const bool always = c->communicators == COLLECTIVE_INTER;
    if (c->communicators != COLLECTIVE_INTRA && ranks > 1)
        axis_add(axes, "first-group", always, ranks - 1, always ? "1..P-1" : "0..P-1");
}

/* Returns the largest sum of all block sizes; it depends on the ranks, which determine how many
 * sizes there are. */
static int sum_of_sizes(bool pairs, int ranks)
{
    static const int of_pairs[EXHAUST_RANKS_MAX] = {6, 6, 4, 3};
    return pairs ? of_pairs[ranks - 1] : SUM_MAX;
}

/* Adds every list of block sizes; adds no axes if there are no blocks. */
static void axes_of_sizes(const struct collective *c, int ranks, struct exhaust_axes *axes)
{
    const bool pairs = c->kind == collective_kind_alltoallv || c->kind == collective_kind_alltoallw;
    const int most = sum_of_sizes(pairs, ranks), sizes = pairs ? ranks * ranks : ranks;
    long lists = 0;
    if (!shape_has_blocks_of_sizes(c->kind) || c->kind == collective_kind_neighbor_allgatherv ||
        c->kind == collective_kind_neighbor_alltoallv ||
        c->kind == collective_kind_neighbor_alltoallw)
        return;
    for (int sum = 0; sum <= most; sum++)
        lists += shape_lists(sizes, sum);
    axis_add(axes, "count", most, most, NULL);
    if (execute_is_rooted(c->kind))
        axis_add(axes, "root", 0, ranks - 1, "0..P-1");
    if (collective_reduces(c->kind))
        axis_add_pair(axes, "op", OP_SUM_INT, OP_AFFINE_INT);
    axis_add_groups(axes, c, ranks);
    axis_add(axes, "in-place", 0, 1, NULL);
    axis_add_pair(axes, "places", PLACES_PACKED, PLACES_BELOW);
    axis_add(axes, "blocks", 1, (int)lists,
             pairs ? "{0..count}^(P*P) with sum <= count" : "{0..count}^P with sum <= count");
}

/* Adds one call with each way to make a datatype on both sides, or with each operation; adds no
 * axes if the collective moves no data. */
static void axes_of_types(const struct collective *c, int ranks, struct exhaust_axes *axes)
{
    if (c->kind == collective_kind_barrier || c->kind == collective_kind_custom)
        return;
    axis_add(axes, "count", 0, COUNT_MAX, NULL);
    if (execute_is_rooted(c->kind))
        axis_add(axes, "root", 0, ranks - 1, "0..P-1");
    if (collective_reduces(c->kind)) {
        axis_add(axes, "op", 0, OP_AFFINE_BEFORE, NULL);
    } else {
        axis_add(axes, "type", 0, EXHAUST_TYPES, NULL);
        axis_add(axes, "type-send", 0, EXHAUST_TYPES, NULL);
    }
    if (c->communicators != COLLECTIVE_INTER)
        axis_add(axes, "in-place", 0, 1, NULL);
    axis_add_groups(axes, c, ranks);
    if (c->kind == collective_kind_shift || c->kind == collective_kind_bcast_k)
        axis_add(axes, "parameter", 0, 2 * ranks - 1, "0..2P-1");
    if (shape_is_neighbour(c->kind))
        axis_add(axes, "graph", 0, 1, NULL);
}

static void axes_of_calls(const struct collective *c, int ranks, struct exhaust_axes *axes)
{
    const bool data = c->kind != collective_kind_barrier,
               sized = shape_has_blocks_of_sizes(c->kind);
    if (data)
        axis_add(axes, "count", 0, COUNT_MAX, NULL);
    if (execute_is_rooted(c->kind)) {
        axis_add(axes, "root", 0, ranks - 1, "0..P-1");
        axis_add(axes, "root-step", 0, ranks - 1, "0..P-1");
        axis_add(axes, "root-bend", 0, ranks - 1, "0..P-1");
    }
    if (collective_reduces(c->kind)) {
        axis_add_pair(axes, "op", OP_SUM_INT, OP_AFFINE_INT);
    } else if (data) {
        axis_add_pair(axes, "type", TYPE_INT, TYPE_STRIDED);
        axis_add_pair(axes, "type-send", TYPE_INT, TYPE_STRIDED);
    }
    if (data && c->communicators != COLLECTIVE_INTER)
        axis_add(axes, "in-place", 0, 1, NULL);
    axis_add_groups(axes, c, ranks);
    if (sized || (c->communicators != COLLECTIVE_INTRA &&
                  (c->kind == collective_kind_allgather || c->kind == collective_kind_alltoall)))
        axis_add(axes, "sizes", 0, SCENARIO_SIZES - 1, NULL);
    if (sized) {
        axis_add(axes, "sizes-seed", 0, SEEDS_SIZES - 1, NULL);
        axis_add_pair(axes, "places", PLACES_PACKED, PLACES_BELOW);
    }
    if (c->kind == collective_kind_shift || c->kind == collective_kind_bcast_k)
        axis_add(axes, "parameter", 0, 2 * ranks - 1, "0..2P-1");
    if (shape_is_neighbour(c->kind)) {
        axis_add(axes, "dims", 1, 2, NULL);
        axis_add(axes, "periods", 0, 3, NULL);
        axis_add(axes, "graph", 0, 1, NULL);
        if (!sized)
            axis_add(axes, "sizes-seed", 0, SEEDS - 1, NULL);
    }
    if (!data)
        axis_add(axes, "slow", -1, ranks - 1, "-1..P-1");
    if (c->form == COLLECTIVE_NONBLOCKING || c->form == COLLECTIVE_STATE) {
        axis_add(axes, "flight", 1, 2, NULL);
        axis_add(axes, "tested", 0, 1, NULL);
    }
    axis_add_pair(axes, "communicator", COMM_WORLD, COMM_BACKWARDS);
    axis_add(axes, "calls", 1, CALLS_MAX, NULL);
    if (data)
        axis_add(axes, "late", 0, 1, NULL);
}

void exhaust_set_products(const struct collective *c, int ranks,
                          struct exhaust_axes out[EXHAUST_PRODUCTS])
{
    const bool pairs = c->kind == collective_kind_alltoallv || c->kind == collective_kind_alltoallw;
    memset(out, 0, EXHAUST_PRODUCTS * sizeof *out);
    axes_of_calls(c, ranks, &out[0]);
    axes_of_types(c, ranks, &out[1]);
    axes_of_sizes(c, ranks, &out[pairs && ranks > 2 ? ranks : 2]);
    for (int i = 0; i < EXHAUST_PRODUCTS; i++) {
        if (out[i].count && undecided_waiting())
            axis_add_pair(&out[i], "waiting", 1, 2);
        if (out[i].count && undecided_tags())
            axis_add(&out[i], "low-tags", 0, 1, NULL);
    }
}

/* --- their scenarios -------------------------------------------------------------------------- */

bool exhaust_set_next(const struct exhaust_axes *axes, int at[EXHAUST_AXES_MAX])
{
    int i = axes->count;
    while (i > 0 && ++at[i - 1] == axes->axis[i - 1].count)
        at[--i] = 0;
    return i > 0;
}

/* Tells whether some field has no effect, so that another scenario is the same. */
static bool is_idle(const struct collective *c, const struct scenario *s)
{
    const bool sizes = shape_has_blocks_of_sizes(c->kind) &&
                       (s->sizes != SIZES_EVEN || s->places != PLACES_PACKED);
    return (s->sizes_seed && !s->graph && !sizes) || (s->root_step && s->calls == 1) ||
           (s->root_bend && s->calls < 3);
}

bool exhaust_set_make(const struct collective *c, int ranks, const struct exhaust_axes *axes,
                      const int at[EXHAUST_AXES_MAX], struct scenario *s)
{
    static uint8_t wanted[SCENARIO_BYTES_MAX], adapted[SCENARIO_BYTES_MAX];
    scenario_default(s);
    s->ranks = ranks;
    for (int i = 0; i < axes->count; i++)
        scenario_set(s, axes->axis[i].key, axes->axis[i].low + at[i] * axes->axis[i].step);
    if (collective_reduces(c->kind))
        s->type = s->type_send = scenario_op_type(s->op);
    if (is_idle(c, s) || scenario_type_large(s->type) || scenario_type_large(s->type_send))
        return false;
    size_t size = scenario_encode(s, wanted);
    return execute_adapt(c, s) && s->ranks == ranks && size == scenario_encode(s, adapted) &&
           !memcmp(wanted, adapted, size) && scenario_allowed(s);
}

static bool product_has(const struct exhaust_axes *axes, const struct scenario *s)
{
    static struct scenario rest, plain;
    static uint8_t of_rest[SCENARIO_BYTES_MAX], of_plain[SCENARIO_BYTES_MAX];
    bool has_op = false;
    scenario_default(&plain);
    rest = *s;
    plain.ranks = rest.ranks;
    for (int i = 0; i < axes->count; i++) {
        const struct exhaust_axis *a = &axes->axis[i];
        const int from = scenario_get(s, a->key) - a->low;
        if (from < 0 || from % a->step || from / a->step >= a->count)
            return false;
        scenario_set(&rest, a->key, scenario_get(&plain, a->key));
        has_op |= !strcmp(a->key, "op");
    }
    if (!axes->count)
        return false;
    if (has_op) /* the operation has its own type */
        rest.type = rest.type_send = plain.type;
    size_t size = scenario_encode(&rest, of_rest);
    return size == scenario_encode(&plain, of_plain) && !memcmp(of_rest, of_plain, size);
}

bool exhaust_set_has(const struct exhaust_axes *product, int products, const struct scenario *s)
{
    for (int i = 0; i < products; i++)
        if (product_has(&product[i], s))
            return true;
    return false;
}

/* --- the formula ------------------------------------------------------------------------------ */

static struct exhaust_taken_key *taken_key(struct exhaust_taken *t, const struct exhaust_axis *axis)
{
    int i = 0;
    while (i < t->count && t->key[i].key != axis->key && strcmp(t->key[i].key, axis->key))
        i++;
    CORE_CHECK(i < EXHAUST_AXES_MAX);
    if (i == t->count)
        t->key[t->count++] = (struct exhaust_taken_key){.key = axis->key, .all = axis->all};
    return &t->key[i];
}

void exhaust_set_note(struct exhaust_taken *taken, int ranks, const struct exhaust_axes *axes,
                      const int at[EXHAUST_AXES_MAX])
{
    taken->ranks |= (uint8_t)(1u << (ranks - 1));
    for (int i = 0; i < axes->count; i++) {
        struct exhaust_taken_key *key = taken_key(taken, &axes->axis[i]);
        const int value = axes->axis[i].low + at[i] * axes->axis[i].step;
        CORE_CHECK(value >= -1 && value + 1 < EXHAUST_VALUES_MAX);
        key->at_ranks[value + 1] |= (uint8_t)(1u << (ranks - 1));
        key->count[ranks - 1] = axes->axis[i].count;
    }
}

/* Tells whether every number of ranks had all values of the axis. */
static bool has_all(const struct exhaust_taken_key *key)
{
    int had[EXHAUST_RANKS_MAX] = {0};
    for (int v = 0; v < EXHAUST_VALUES_MAX; v++)
        for (int p = 0; p < EXHAUST_RANKS_MAX; p++)
            had[p] += key->at_ranks[v] >> p & 1;
    return !memcmp(had, key->count, sizeof had);
}

/* Tells whether all numbers of ranks had the same values. */
static bool is_same(const struct exhaust_taken *t, const struct exhaust_taken_key *key)
{
    for (int v = 0; v < EXHAUST_VALUES_MAX; v++)
        if (key->at_ranks[v] && key->at_ranks[v] != t->ranks)
            return false;
    return true;
}

static void print_values(const uint8_t *value, int values, int first, const char *const *names,
                         FILE *out)
{
    int count = 0, low = -1, high = -1, said = 0;
    for (int v = 0; v < values; v++) {
        if (!value[v])
            continue;
        low = count++ ? low : v;
        high = v;
    }
    if (count == 1)
        fputs(" = ", out);
    else
        fputs(names || high - low + 1 != count ? " in {" : " in ", out);
    if (!names && count > 1 && high - low + 1 == count) {
        fprintf(out, "%d..%d", low + first, high + first);
        return;
    }
    for (int v = low; v <= high; v++) {
        if (!value[v])
            continue;
        fputs(said++ ? ", " : "", out);
        if (names)
            fputs(names[v + first], out);
        else
            fprintf(out, "%d", v + first);
    }
    fputs(count == 1 ? "" : "}", out);
}

static void print_product(const struct exhaust_taken *t, FILE *out)
{
    uint8_t ranks[EXHAUST_RANKS_MAX];
    for (int p = 0; p < EXHAUST_RANKS_MAX; p++)
        ranks[p] = t->ranks >> p & 1;
    fputs(t->ranks & (t->ranks - 1) ? "  for all P" : "  for P", out);
    print_values(ranks, EXHAUST_RANKS_MAX, 1, NULL, out);
    for (int i = 0; i < t->count; i++) {
        const struct exhaust_taken_key *key = &t->key[i];
        int field = 0;
        while (strcmp(scenario_field_row[field].key, key->key))
            CORE_CHECK(++field < FIELDS);
        fprintf(out, ", %s", key->key);
        if (key->all && has_all(key))
            fprintf(out, " in %s", key->all);
        else
            print_values(key->at_ranks, EXHAUST_VALUES_MAX, -1, scenario_field_row[field].names,
                         out);
        if (key->all && !has_all(key) && !is_same(t, key))
            fprintf(out, " and in %s", key->all);
    }
    fputc('\n', out);
}

void exhaust_set_print(const struct exhaust_taken taken[EXHAUST_PRODUCTS], FILE *out)
{
    for (int i = 0; i < EXHAUST_PRODUCTS; i++)
        if (taken[i].ranks)
            print_product(&taken[i], out);
    fputs("  each with one set of values for the elements\n", out);
}
