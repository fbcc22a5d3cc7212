/* A world that goes on from its states (ranks/states.c) instead of from its start: which decisions
 * are possible now, and taking one of them. Nobody waits for a policy there: whoever searches
 * through the states takes each possible answer of each decision in turn, so nothing is told of
 * what a decision could have been had it been put off. */
#ifndef WORLD_EXCHANGE_EXPLORE_STATES_H
#define WORLD_EXCHANGE_EXPLORE_STATES_H

#include "world/exchange/explore.h"

struct world_branch {
    struct world_decider *decider;
    int32_t answer;
};

/* NULL: nothing has been met that keeps equal states from being told. */
const char *world_states_why(void);
/* Answers what is no choice. False: there is nothing. */
bool world_states_settle(void);
/* Each answer to each decision that is possible now, `room` at most; returns how many there are. */
uint32_t world_states_branches(struct world_branch *out_branch, uint32_t room);
void world_states_take(const struct world_branch *branch);
/* Nothing can be decided: a poll made again finds nothing. False: nobody polls. */
bool world_states_fail(void);
/* Whether the rank knows that the message is there. */
bool world_states_heard(const struct world_rank *rank, const struct world_message *message);

/* A message that nobody has sent in this world arrives: a copy of it. */
void world_states_arrive(const struct world_message *like, struct world_rank *dest);
void world_states_settle_receives(struct world_rank *rank); /* explore.c */

#endif
