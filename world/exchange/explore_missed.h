/* Answers that a decision did not have when it was made and could have had later, in worlds of
 * order=explore: messages for receives and probes, completions for calls that wait. For explore*.c.
 */
#ifndef WORLD_EXCHANGE_EXPLORE_MISSED_H
#define WORLD_EXCHANGE_EXPLORE_MISSED_H

#include "world/exchange/explore.h"

/* Reports the message to the decision of a receive or probe, if that could have it. */
void world_missed_message(const struct world_rank *rank, const struct world_message *message,
                          struct world_decider *d, const struct world_causes *causes);
/* Reports, after a receive left, the messages that are now free for later receives: those that it
 * could have taken, and those of the same sender behind the message that it got. `got`: the
 * envelope of that message; NULL: none. Tells whether there are messages that it could have taken.
 */
bool world_missed_released(const struct world_rank *rank, const struct world_decider *left,
                           const struct world_decider *got, const struct world_causes *causes);
struct world_decider world_envelope_of(const struct ompi_request_t *recv);
struct world_decider world_envelope_got(const struct world_message *message);

/* Tells whether the decision's i-th request is still the one that it asked for. */
bool world_decider_same(const struct world_decider *d, int i);
/* Tell whether a call would find the i-th request, or all requests, complete. */
bool world_decider_complete(const struct world_decider *d, int i);
bool world_decider_all_complete(const struct world_decider *d);
/* Returns the causes of the completion of the requests in `bits`. */
const struct world_causes *world_decider_causes(const struct world_decider *d, uint32_t bits);

struct world_rank *world_send_receiver(const struct ompi_request_t *send);
/* Returns the unreceived message that makes the send's completion uncertain: the send is complete
 * only if the library buffers it. NULL: completion is certain. All starts of a persistent request
 * have one number and are not distinguished. */
struct world_message *world_send_doubt(const struct ompi_request_t *send);

#endif
