/* Lower bounds per collective, and from the bisection of a network: words that must pass between
 * the two halves, divided by the links between them (each direction counts on its own unless links
 * are half duplex). */
#include "model/bound.h"

#include <string.h>

enum crossing { /* words that must go from one half to the other, in the worse direction */
                CROSS_NONE,
                CROSS_VECTOR, /* n: broadcast, reduce, allreduce (both ways) */
                CROSS_HALF,   /* m floor(P/2): scatter from, gather to, a root in the larger half */
                CROSS_LARGER_HALF, /* m ceil(P/2), both ways: every rank needs every block */
                CROSS_PAIRS,       /* m floor(P/2) ceil(P/2), both ways */
                CROSS_BLOCK        /* m: scan */
};

struct bound_row {
    const char *collective;
    int rounds;            /* one rank's data must reach, or come from, all others */
    uint32_t vector_times; /* W >= vector_times * n */
    uint32_t block_times;  /* W >= block_times * m (P - 1) */
    uint32_t cut_times;    /* W >= cut_times * n (P - 1) / P */
    int combines_vector,
        combines_blocks; /* n (P - 1) or m P (P - 1) operations in all, on P ranks */
    enum crossing crossing;
    int both_ways;
};

static const struct bound_row bound_row[] = {
    {"bcast", 1, 1, 0, 0, 0, 0, CROSS_VECTOR, 0},
    {"reduce", 1, 1, 0, 0, 1, 0, CROSS_VECTOR, 0},
    {"scatter", 1, 0, 1, 0, 0, 0, CROSS_HALF, 0},
    {"gather", 1, 0, 1, 0, 0, 0, CROSS_HALF, 0},
    {"allgather", 1, 0, 1, 0, 0, 0, CROSS_LARGER_HALF, 1},
    {"reduce_scatter", 1, 0, 1, 0, 0, 1, CROSS_LARGER_HALF, 1},
    {"allreduce", 1, 0, 0, 2, 1, 0, CROSS_VECTOR, 1},
    {"barrier", 1, 0, 0, 0, 0, 0, CROSS_NONE, 0},
    {"scan", 1, 1, 0, 0, 0, 0, CROSS_BLOCK, 0},
    {"alltoall", 1, 0, 1, 0, 0, 0, CROSS_PAIRS, 1},
    {"shift", 0, 1, 0, 0, 0, 0, CROSS_NONE, 0},
};

static model_wide crossing_words(enum crossing crossing, model_wide words, model_wide P)
{
    switch (crossing) {
    case CROSS_VECTOR:
    case CROSS_BLOCK:
        return words;
    case CROSS_HALF:
        return words * (P / 2);
    case CROSS_LARGER_HALF:
        return words * (P - P / 2);
    case CROSS_PAIRS:
        return words * (P / 2) * (P - P / 2);
    default:
        return 0;
    }
}

static uint64_t rounds_bound(const struct model_case *of, const struct replay_topology *topology)
{
    uint64_t grows = 2, reach = 1, rounds = 0;
    if (of->port == REPLAY_PORT_MULTI) {
        struct replay_topology_facts facts = {.degree = of->ranks - 1};
        if (topology)
            replay_topology_facts(topology, &facts);
        grows = facts.degree + 1;
    }
    for (; reach < of->ranks; reach *= grows)
        rounds++;
    return rounds;
}

enum core_status model_bound(const char *collective, const struct model_case *of,
                             const struct replay_topology *topology, struct model_bound *out)
{
    const struct bound_row *row = NULL;
    model_wide words = of->words, P = of->ranks;
    struct model_bound bound = {0, {0, 1}, {0, 1}, {0, 1}};

    for (size_t i = 0; i < sizeof bound_row / sizeof *bound_row; i++)
        if (strcmp(bound_row[i].collective, collective) == 0)
            row = &bound_row[i];
    if (!row)
        return core_report(CORE_NOT_FOUND, "no collective '%s' in the model", collective);
    if (P < 2 || (strcmp(collective, "shift") == 0 && of->parameter % of->ranks == 0)) {
        *out = bound;
        return CORE_OK;
    }
    bound.rounds = row->rounds ? rounds_bound(of, topology) : 1;
    if (row->cut_times)
        bound.words = (struct model_ratio){row->cut_times * words * (P - 1), of->ranks};
    else
        bound.words =
            (struct model_ratio){row->vector_times * words + row->block_times * words * (P - 1), 1};
    if (of->port == REPLAY_PORT_MULTI) { /* a rank moves as many words at once as it has links */
        struct replay_topology_facts facts = {.degree = of->ranks - 1};
        if (topology)
            replay_topology_facts(topology, &facts);
        bound.words.den *= facts.degree;
    }
    if (row->combines_vector)
        bound.operations = (struct model_ratio){words * (P - 1), of->ranks};
    if (row->combines_blocks)
        bound.operations = (struct model_ratio){words * (P - 1), 1};
    if (topology && topology->kind != REPLAY_FULL) {
        struct replay_topology_facts facts;
        replay_topology_facts(topology, &facts);
        int one_way = of->half_duplex || topology->kind == REPLAY_BUS;
        bound.bisection = (struct model_ratio){crossing_words(row->crossing, words, P) *
                                                   (one_way && row->both_ways ? 2 : 1),
                                               facts.bisection};
    }
    *out = bound;
    return CORE_OK;
}

struct model_ratio model_bound_words(const struct model_bound *bound)
{
    return model_compare(bound->words, bound->bisection) >= 0 ? bound->words : bound->bisection;
}
