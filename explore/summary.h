/* How much of what there is a search has run, in a word and in a sentence. */
#ifndef EXPLORE_SUMMARY_H
#define EXPLORE_SUMMARY_H

#include "checkers/orders.h"
#include "explore/search.h"

/* The orders of the program that the search has looked at. */
struct orders explore_orders(const struct explore_search *search);
/* "6 behaviours, all there are: 2 outcomes"; free() it. */
char *explore_summary(const struct explore_search *search);

#endif
