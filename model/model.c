/* Assembles the model's table from its families (row_X.c) and evaluates it. The unit test measures
 * every row on the timed clock. */
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/text.h"
#include "model/row.h"

uint32_t model_clg(uint32_t ranks)
{
    uint32_t clg = 0;
    while ((1ull << clg) < ranks)
        clg++;
    return clg;
}

uint32_t model_side(uint32_t ranks)
{
    uint32_t q = 0;
    while (q * q < ranks)
        q++;
    return q;
}

int model_is_power(uint32_t ranks)
{
    return (ranks & (ranks - 1)) == 0;
}

/* --- the table -------------------------------------------------------------------------------- */

/* A new row goes into its family's file; a new collective adds a line here. */
static const struct model_family *const family[] = {
    &model_family_bcast,     &model_family_reduce,    &model_family_scatter,
    &model_family_gather,    &model_family_allgather, &model_family_reduce_scatter,
    &model_family_allreduce, &model_family_barrier,   &model_family_scan,
    &model_family_alltoall,  &model_family_shift,
};
enum { FAMILIES = sizeof family / sizeof *family, ROWS_MAX = 128 };

const struct model_row *model_row_at(size_t index)
{
    for (size_t f = 0; f < FAMILIES; f++) {
        if (index < family[f]->row_count)
            return &family[f]->row[index];
        index -= family[f]->row_count;
    }
    return NULL;
}

const struct model_row *model_row_find(const char *id)
{
    const struct model_row *row;
    for (size_t i = 0; (row = model_row_at(i)); i++)
        if (strcmp(row->id, id) == 0)
            return row;
    return NULL;
}

/* Tells whether the row is of the collective that an id "COLLECTIVE.NAME" names. */
static bool is_of(const struct model_row *row, const char *id)
{
    size_t bytes = strcspn(id, ".");

    return strncmp(row->collective, id, bytes) == 0 && !row->collective[bytes];
}

/* Reports that there is no such row, and which ones of its collective there are. */
static void row_unknown(const char *id, const char *near)
{
    const struct model_row *row;
    char *rows = NULL;
    size_t bytes;
    FILE *file = near ? NULL : open_memstream(&rows, &bytes);

    for (size_t i = 0; file && (row = model_row_at(i)); i++)
        if (is_of(row, id))
            fprintf(file, "%s%s", ftell(file) ? ", " : "; there are: ", row->id);
    bool listed = core_text_close(file, &rows) && *rows;
    core_report(CORE_NOT_FOUND, "no row '%s' in the model%s%s%s%s", id,
                near ? ", did you mean '" : "", near ? near : "", near ? "'" : "",
                listed ? rows : "; 'crosswait model' lists them");
    free(rows);
}

const struct model_row *model_row_asked(const char *id)
{
    const struct model_row *row = model_row_find(id), *other;
    const char *name[ROWS_MAX];
    int names = 0, ours = 0;

    if (row)
        return row;
    for (size_t i = 0; (other = model_row_at(i)); i++)
        ours += is_of(other, id);
    for (size_t i = 0; (other = model_row_at(i)); i++) {
        CORE_CHECK(names < ROWS_MAX);
        if (!ours || is_of(other, id))
            name[names++] = other->id;
    }
    row_unknown(id, core_text_nearest(id, name, names));
    return NULL;
}

const struct model_family *model_family_find(const char *collective)
{
    for (size_t f = 0; f < FAMILIES; f++)
        if (strcmp(family[f]->collective, collective) == 0)
            return family[f];
    return NULL;
}

enum core_status model_row_cost(const struct model_row *of_row, const struct model_case *of,
                                struct model_cost *out)
{
    struct model_generate_request request = {.id = of_row->id,
                                             .ranks = of->ranks,
                                             .root = of->root,
                                             .parameter = of->parameter,
                                             .words = of->words,
                                             .word_bytes = 1};
    if (request.words > (1ull << 40))
        return core_report(CORE_LIMIT, "%s of %llu words: at most 2^40", of_row->id,
                           (unsigned long long)of->words);
    request.words = 0; /* the generator's limit on bytes is not the formula's */
    enum core_status status = model_generate_check(&request);
    if (status != CORE_OK)
        return status;
    struct model_cost cost = {0};
    CORE_CHECK(of_row->cost && of_row->build); /* invariant 1 of README.md */
    of_row->cost(of, &cost);
    *out = cost;
    return CORE_OK;
}

/* Makes a mesh of s^dim ranks as the generator of bcast.mesh cuts it; dim is the smallest divisor
 * of lg P above 1. */
static enum core_status power_mesh(uint32_t ranks, struct replay_topology *out)
{
    uint32_t lg = model_clg(ranks), dim = 2, size[REPLAY_DIMS_MAX];
    while (dim < lg && lg % dim)
        dim++;
    if (dim > lg)
        dim = lg ? lg : 1;
    for (uint32_t i = 0; i < dim; i++)
        size[i] = 1u << lg / dim;
    return replay_topology_grid(REPLAY_MESH, size, dim, out);
}

enum core_status model_row_topology(const struct model_row *of, uint32_t ranks,
                                    struct replay_topology *out)
{
    if (of->holds_on == REPLAY_MESH && of->domain == MODEL_DOMAIN_POWER)
        return power_mesh(ranks, out);
    if (of->holds_on == REPLAY_HYPERCUBE && !model_is_power(ranks))
        return replay_topology_make(REPLAY_FULL, ranks, out);
    return replay_topology_make(of->holds_on, ranks, out);
}

/* --- comparing -------------------------------------------------------------------------------- */

/* model invariant 4 */
_Static_assert(_Generic((struct model_ratio){0}.num, model_wide : 1, default : 0) &&
                   _Generic((struct model_ratio){0}.den, uint64_t : 1, default : 0),
               "a cost is a ratio of integers");

double model_value(struct model_ratio ratio)
{
    return (double)ratio.num / (double)ratio.den;
}

int model_compare(struct model_ratio a, struct model_ratio b)
{
    model_wide x = a.num * b.den, y = b.num * a.den;
    return x < y ? -1 : x > y;
}

static int model_keeps_bound(struct model_ratio formula, model_wide most,
                             enum model_relation relation, uint64_t measured)
{
    if (relation == MODEL_AT_MOST)
        return measured <= most;
    return formula.num == (model_wide)measured * formula.den;
}

int model_keeps(const struct model_cost *cost, uint64_t rounds, uint64_t words, uint64_t operations)
{
    return model_keeps_bound((struct model_ratio){cost->rounds, 1}, cost->rounds,
                             cost->rounds_relation, rounds) &&
           model_keeps_bound(cost->words, cost->words_most, cost->words_relation, words) &&
           model_keeps_bound(cost->operations, cost->operations_most, cost->operations_relation,
                             operations);
}

/* Returns 2 for an exact match, 1 for one within the rounding of blocks, 0 for none. */
static int model_matches(const struct model_row *of, const struct model_query *query,
                         uint32_t parameter)
{
    struct model_case one = {
        .ranks = query->ranks, .root = query->root, .parameter = parameter, .words = query->words};
    struct model_cost cost = {0};
    model_wide unit = query->unit ? query->unit : 1;

    of->cost(&one, &cost);
    if (cost.rounds_relation != MODEL_EQUAL || cost.rounds != query->rounds)
        return 0;
    if (cost.words.num == (model_wide)query->measured_words * cost.words.den)
        return 2;
    if (cost.words.den == 1)
        return 0;
    /* Compares a vector cut in P blocks of whole units: no block differs by a unit or more from its
     * even share. */
    model_wide slack = unit * cost.words.den * cost.rounds,
               measured = (model_wide)query->measured_words * cost.words.den;
    return measured + slack >= cost.words.num && measured <= cost.words.num + slack;
}

static int in_domain(const struct model_row *of, const struct model_query *query,
                     uint32_t parameter)
{
    if (of->parameter == MODEL_PARAMETER_DISTANCE && parameter >= query->ranks)
        return 0;
    return model_domain_holds(of->domain, query->ranks) && (query->root == 0 || of->root_any);
}

size_t model_match(const struct model_query *query, struct model_match *match, size_t room)
{
    size_t count = 0;
    const struct model_family *of = model_family_find(query->collective);
    for (size_t i = 0; of && i < of->row_count; i++) {
        const struct model_row *row = &of->row[i];
        uint32_t first = query->parameter, last = query->parameter;
        if (row->parameter == MODEL_PARAMETER_ARITY && query->parameter < 2)
            first = 3, last = 64; /* k = 2 is the binomial tree, k = P the linear row */
        for (uint32_t parameter = first; parameter <= last; parameter++) {
            int quality = first != last && parameter >= query->ranks ? 0
                          : in_domain(row, query, parameter) ? model_matches(row, query, parameter)
                                                             : 0;
            if (!quality)
                continue;
            if (count < room)
                match[count] = (struct model_match){row, parameter, quality == 2};
            count++;
        }
    }
    return count;
}
