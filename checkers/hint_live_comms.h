/* Explains that a communicator could not be made: how many there were by then, and where most of
 * them were made. */
#ifndef CHECKERS_HINT_LIVE_COMMS_H
#define CHECKERS_HINT_LIVE_COMMS_H

#include "checkers/finding.h"

/* Adds this explanation to the failure of call `seq` of the rank, if the call makes a communicator
 * and many communicators made at one place were not freed. */
enum core_status hint_live_comms_add(struct trace *trace, struct finding *finding, uint32_t rank,
                                     uint64_t seq);

#endif
