/* Reports the decisions of a world of order=explore (explore.h): the answer of each, the
 * alternatives, and the decisions that each depends on. For explore*.c. */
#ifndef WORLD_EXCHANGE_EXPLORE_REPORT_H
#define WORLD_EXCHANGE_EXPLORE_REPORT_H

#include "world/exchange/explore.h"

struct world_explore {
    struct world_decisions report;
    struct world_decision *decision;
    struct world_option *option;
    struct world_missed *missed;
    uint32_t *causes;
    uint32_t decision_room, option_room, missed_room, causes_room;
    const struct world_decider **turn; /* by decision; NULL: none so far */
    const char *beyond;                /* world_states_beyond; NULL: none */
};

#define EXPLORE (WORLD->explore)

const struct world_causes *world_causes_add(const struct world_causes *causes, uint32_t decision);
bool world_causes_has(const struct world_causes *causes, uint32_t decision);
/* Returns the set of one decision. */
struct world_causes world_causes_only(uint32_t decision);
/* Adds causes to a set that is not shared yet; NULL: none. */
void world_causes_gather(struct world_causes *to, const struct world_causes *more);
/* Returns a copy that lasts as long as the world. */
const struct world_causes *world_causes_keep(const struct world_causes *causes);
/* Returns the causes, and for each turn among them the conflicting turns before it, except those
 * that followed one of `without`: witnesses keep their order. The result may be in `room`. */
const struct world_causes *world_causes_ordered(const struct world_causes *causes,
                                                const struct world_causes *without,
                                                struct world_causes *room);
/* Returns the set of all decisions so far. */
const struct world_causes *world_causes_all(void);

void world_explore_turn(const struct world_decider *turn); /* a turn was decided */
void world_explore_tell(int32_t answer);                   /* reports a possible answer */
void world_explore_tell_turn(int32_t answer, uint32_t independent);
/* Records a decision; its possible answers were reported from option_first on. given: by the
 * policy. */
void world_explore_decision(struct world_decider *decider, uint32_t option_first, bool given);
enum replay_reason world_explore_reason(const struct world_decider *decider);
/* Marks the answer as seen; returns whether it was seen before. */
bool world_explore_seen(struct world_decider *decider, uint32_t answer);
void world_explore_missed(const struct world_decider *decider, int32_t answer,
                          const struct world_causes *causes, bool there);

#endif
