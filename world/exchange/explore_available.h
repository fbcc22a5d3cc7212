/* Finds the messages that a receive or probe can have, in worlds of order=explore. For explore*.c.
 */
#ifndef WORLD_EXCHANGE_EXPLORE_AVAILABLE_H
#define WORLD_EXCHANGE_EXPLORE_AVAILABLE_H

#include "world/exchange/explore.h"

/* It is the first that fits of its sender, and no receive that was posted earlier would get it. */
bool world_available(const struct world_rank *rank, const struct world_message *message,
                     const struct world_decider *d);
/* Those that can be had, of each sender at most one, in the order in which they came: the first,
 * then the next one behind it; nothing else is asked for between. NULL: no more. */
struct world_message *world_available_first(const struct world_rank *rank,
                                            const struct world_decider *d);
struct world_message *world_available_more(const struct world_rank *rank,
                                           const struct world_decider *d,
                                           const struct world_message *message);
/* The message of that sender, a world rank; negative: of any. */
struct world_message *world_available_from(const struct world_rank *rank,
                                           const struct world_decider *d, int world);
/* One of them is known to be there. */
bool world_available_known(const struct world_rank *rank, const struct world_decider *d);

#endif
