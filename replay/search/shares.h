/* Explores in shares: the tree is cut into a fixed number of parts, which this process and its
 * helpers explore, and which a file can keep for a later process. The merged answer depends neither
 * on which process explored what, nor on the order. */
#ifndef REPLAY_SEARCH_SHARES_H
#define REPLAY_SEARCH_SHARES_H

#include "core/search/spread.h"
#include "replay/search/explore.h"

struct replay_shares {
    const struct replay_program *program;
    const struct replay_explore_options *options; /* its shard, shard_count and runs_max: of all */
    struct search_spread *spread;                 /* NULL: no helpers */
    const char *state;                            /* file that keeps finished shares; NULL: none */
};

/* Runs as a helper. context: its own struct replay_shares, with the same program and options. */
void replay_shares_help(void *context, struct search_helper *helper);

enum core_status replay_shares_explore(const struct replay_shares *shares,
                                       struct replay_exploration *out_exploration);

#endif
