/* Describes how much of all behaviours a search has run, in a word and in a sentence. */
#ifndef EXPLORE_SUMMARY_H
#define EXPLORE_SUMMARY_H

#include "checkers/orders.h"
#include "explore/search.h"

/* Returns which orders of the program the search has covered. */
struct orders explore_orders(const struct explore_search *search);
/* Returns "6 behaviours, all there are: 2 outcomes"; the caller frees it. */
char *explore_summary(const struct explore_search *search);

#endif
