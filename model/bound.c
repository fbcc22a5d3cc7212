/* Computes lower bounds per collective, and from the bisection of a network: the words that must
 * cross between the two halves, divided by the links between them (per direction, unless links are
 * half duplex). */
#include "model/bound.h"

#include <string.h>

#include "model/row.h"

static model_wide crossing_words(enum model_crossing crossing, model_wide words, model_wide P)
{
    switch (crossing) {
    case MODEL_CROSS_VECTOR:
    case MODEL_CROSS_BLOCK:
        return words;
    case MODEL_CROSS_HALF:
        return words * (P / 2);
    case MODEL_CROSS_LARGER_HALF:
        return words * (P - P / 2);
    case MODEL_CROSS_PAIRS:
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
    const struct model_family *family = model_family_find(collective);
    model_wide words = of->words, P = of->ranks;
    struct model_bound bound = {0, {0, 1}, {0, 1}, {0, 1}};

    if (!family)
        return core_report(CORE_NOT_FOUND, "no collective '%s' in the model", collective);
    if (P < 2 || (strcmp(collective, "shift") == 0 && of->parameter % of->ranks == 0)) {
        *out = bound;
        return CORE_OK;
    }
    bound.rounds = family->bound.rounds ? rounds_bound(of, topology) : 1;
    if (family->bound.cut_times)
        bound.words = (struct model_ratio){family->bound.cut_times * words * (P - 1), of->ranks};
    else
        bound.words = (struct model_ratio){
            family->bound.vector_times * words + family->bound.block_times * words * (P - 1), 1};
    if (of->port == REPLAY_PORT_MULTI) { /* a rank moves as many words at once as it has links */
        struct replay_topology_facts facts = {.degree = of->ranks - 1};
        if (topology)
            replay_topology_facts(topology, &facts);
        bound.words.den *= facts.degree;
    }
    if (family->bound.combines_vector)
        bound.operations = (struct model_ratio){words * (P - 1), of->ranks};
    if (family->bound.combines_blocks)
        bound.operations = (struct model_ratio){words * (P - 1), 1};
    if (topology && topology->kind != REPLAY_FULL) {
        struct replay_topology_facts facts;
        replay_topology_facts(topology, &facts);
        int one_way = of->half_duplex || topology->kind == REPLAY_BUS;
        bound.bisection = (struct model_ratio){crossing_words(family->bound.crossing, words, P) *
                                                   (one_way && family->bound.both_ways ? 2 : 1),
                                               facts.bisection};
    }
    *out = bound;
    return CORE_OK;
}

struct model_ratio model_bound_words(const struct model_bound *bound)
{
    return model_compare(bound->words, bound->bisection) >= 0 ? bound->words : bound->bisection;
}
