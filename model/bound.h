/* Computes lower bounds: what no algorithm for a collective can beat, on any network or on a given
 * one. Words as in model.h. */
#ifndef MODEL_BOUND_H
#define MODEL_BOUND_H

#include "model/model.h"

struct model_bound {
    uint64_t rounds;          /* ceil(log2 P); with degree d ports at once, ceil(log_{d+1} P) */
    struct model_ratio words; /* on any network */
    struct model_ratio
        bisection; /* words that must cross between the halves; 0 on the full network */
    struct model_ratio operations;
};

/* Computes the bounds. collective: bcast, reduce, scatter, gather, allgather, reduce_scatter,
 * allreduce, barrier, scan, alltoall, shift. Uses ranks, words, parameter (shift's distance), port
 * and half_duplex of *of. topology NULL: full. CORE_NOT_FOUND for another collective. */
enum core_status model_bound(const char *collective, const struct model_case *of,
                             const struct replay_topology *topology, struct model_bound *out);
/* Returns the larger of the two bounds on words. */
struct model_ratio model_bound_words(const struct model_bound *bound);

#endif
