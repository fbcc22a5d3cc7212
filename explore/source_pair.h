/* Tries a remedy for results that depend on the order of messages: a wildcard receive names the
 * rank whose message the receive or probe before it got. A header and a body, or a probe and its
 * receive, belong together only then. */
#ifndef EXPLORE_SOURCE_PAIR_H
#define EXPLORE_SOURCE_PAIR_H

#include "explore/look.h"

struct explore_pair {
    bool is; /* in every order that was tried the remedy leaves one outcome */
    struct explore_pair_call {
        char call[sizeof(((struct world_decision *)0)->call)];
        uint64_t site;
        int32_t source; /* in a world in which the two differ */
    } first, then;
    uint32_t rank;
    uint32_t orders; /* that were tried; at least two */
};

/* Finds the pair of receives for which that works. look: one of each outcome without failure. */
enum core_status explore_pair_find(struct explore_program *program, const struct explore_look *look,
                                   uint32_t count, struct explore_pair *out_pair);

#endif
