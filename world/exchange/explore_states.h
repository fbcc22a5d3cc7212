/* The search by states (ranks/states.c), which continues a world from its states instead of from
 * its start: lists the decisions that are possible now, and takes one. No policy gives answers
 * there: the search takes each possible answer of each decision in turn, so a decision's missed
 * answers are not reported. */
#ifndef WORLD_EXCHANGE_EXPLORE_STATES_H
#define WORLD_EXCHANGE_EXPLORE_STATES_H

#include "world/exchange/explore.h"

struct world_branch {
    struct world_decider *decider;
    int32_t answer;
};

/* Returns why states cannot be compared; NULL if nothing prevents it so far. */
const char *world_states_why(void);
/* Gives one answer that is no choice. False: there is none. */
bool world_states_settle(void);
/* Lists each answer to each decision that is possible now, at most `room`; returns their number. */
uint32_t world_states_branches(struct world_branch *out_branch, uint32_t room);
void world_states_take(const struct world_branch *branch);
/* Lets a repeated poll find nothing, as nothing can be decided. False: no rank polls. */
bool world_states_fail(void);
/* Tells whether the rank knows that the message is there. */
bool world_states_heard(const struct world_rank *rank, const struct world_message *message);

/* Delivers a copy of a message that no rank has sent in this world. */
void world_states_arrive(const struct world_message *like, struct world_rank *dest);
void world_states_settle_receives(struct world_rank *rank); /* explore.c */

#endif
