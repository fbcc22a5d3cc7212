/* Cancelled receives in worlds of order=explore: whether one gets its message is a choice
 * (explore.h). For explore*.c. */
#ifndef WORLD_EXCHANGE_EXPLORE_CANCEL_H
#define WORLD_EXCHANGE_EXPLORE_CANCEL_H

#include "world/exchange/explore.h"

/* Returns the answer of a receive that gets no message. */
int32_t world_explore_nobody(void);
/* Tells whether the policy gives the receive that answer. */
bool world_explore_refuses(const struct ompi_request_t *recv);
/* Notes that the rank knows that the message arrived, and so did its sender's earlier messages. */
void world_explore_hear(struct world_rank *rank, uint32_t context, int32_t world, uint32_t place);
bool world_explore_heard(const struct world_rank *rank, const struct world_message *message);

/* explore.c: make the decision of a receive; find a message that it can have by now, or NULL; keep
 * a decision, for what may come later. */
struct world_decider *world_explore_receiving(struct ompi_request_t *recv);
struct world_message *world_explore_message(const struct world_rank *rank,
                                            const struct ompi_request_t *recv);
/* Matches each receive of the running rank whose message the rank knows to be there. */
void world_explore_certain(void);
void world_explore_keep(struct world_decider *d, uint32_t option_first);

#endif
