/* Inside of the search: how it is kept in a file. Nobody else includes this. */
#ifndef EXPLORE_STATE_H
#define EXPLORE_STATE_H

#include "explore/ahead.h"

/* Goes on from options->state; a file that is not there is the beginning. */
enum core_status explore_state_read(struct explore_search *search, bool *out_resumed);
/* Replaces it whole, so that nothing is lost when we are killed meanwhile. */
enum core_status explore_state_write(const struct explore_search *search);

#endif
