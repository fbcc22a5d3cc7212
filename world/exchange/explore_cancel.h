/* Receives that are cancelled, in worlds of order=explore: whether one gets its message is a choice
 * (explore.h). For explore*.c. */
#ifndef WORLD_EXCHANGE_EXPLORE_CANCEL_H
#define WORLD_EXCHANGE_EXPLORE_CANCEL_H

#include "world/exchange/explore.h"

/* The answer of a receive that gets no message. */
int32_t world_explore_nobody(void);
/* The policy says so of it. */
bool world_explore_refuses(const struct ompi_request_t *recv);
/* The rank knows that the message is there, or was; and so is what the same rank sent before it. */
void world_explore_hear(struct world_rank *rank, uint32_t context, int32_t world, uint32_t place);
bool world_explore_heard(const struct world_rank *rank, const struct world_message *message);

/* explore.c: the decision of a receive; a message that it can have by now, or NULL; what is decided
 * is kept, for what may come later. */
struct world_decider *world_explore_receiving(struct ompi_request_t *recv);
struct world_message *world_explore_message(const struct world_rank *rank,
                                            const struct ompi_request_t *recv);
/* Each receive of the running rank that can have one that is known to be there has its own. */
void world_explore_certain(void);
void world_explore_keep(struct world_decider *d, uint32_t option_first);

#endif
