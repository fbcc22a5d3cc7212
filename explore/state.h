/* Inside of the search: what waits to be run, and how a search is kept in a file. Nobody else
 * includes this. */
#ifndef EXPLORE_STATE_H
#define EXPLORE_STATE_H

#include "explore/search.h"

struct explore_item {
    struct explore_list list;
    uint32_t changes; /* answers that are not those that came by themselves */
    uint64_t hash;
};

enum core_status explore_list_copy(const struct explore_list *from, uint32_t count,
                                   struct explore_list *out_list);

/* Goes on from options->state; a file that is not there is the beginning. */
enum core_status explore_state_read(struct explore_search *search, bool *out_resumed);
/* Replaces it whole, so that nothing is lost when we are killed meanwhile. */
enum core_status explore_state_write(const struct explore_search *search);

#endif
