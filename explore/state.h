/* Inside of the search: saves and loads it. Only search.c and state.c include this. */
#ifndef EXPLORE_STATE_H
#define EXPLORE_STATE_H

#include "explore/ahead.h"

/* Loads the search from options->state; a missing file is a new search. */
enum core_status explore_state_read(struct explore_search *search, bool *out_resumed);
/* Replaces the file in one step, so that a kill during the write loses nothing. */
enum core_status explore_state_write(const struct explore_search *search);

#endif
