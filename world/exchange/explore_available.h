/* Finds the messages that a receive or probe can have, in worlds of order=explore. For explore*.c.
 */
#ifndef WORLD_EXCHANGE_EXPLORE_AVAILABLE_H
#define WORLD_EXCHANGE_EXPLORE_AVAILABLE_H

#include "world/exchange/explore.h"

/* Tells whether the message is the first of its sender that fits, and no earlier posted receive
 * would get it. */
bool world_available(const struct world_rank *rank, const struct world_message *message,
                     const struct world_decider *d);
/* Return the messages that can be had, at most one of each sender, in the order of arrival: the
 * first, then the next after `message`. NULL: no more. Nothing else may be asked for in between. */
struct world_message *world_available_first(const struct world_rank *rank,
                                            const struct world_decider *d);
struct world_message *world_available_more(const struct world_rank *rank,
                                           const struct world_decider *d,
                                           const struct world_message *message);
/* Returns the message of that sender, a world rank; negative: of any. */
struct world_message *world_available_from(const struct world_rank *rank,
                                           const struct world_decider *d, int world);
/* Returns the link to the first posted receive that could take the message, or the list's end. */
struct ompi_request_t **world_available_receive(struct world_rank *rank,
                                                const struct world_message *message);
/* Returns the first posted receive whose source is not decided and whose message the rank knows to
 * be there; NULL: none. */
struct ompi_request_t *world_available_certain(struct world_rank *rank);
/* Tells whether the rank knows that one of them is there. */
bool world_available_known(const struct world_rank *rank, const struct world_decider *d);

#endif
