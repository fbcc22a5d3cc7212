/* Tells which findings of a world make it fail; the others are compared and are no failure. */
#ifndef EXPLORE_FAILURE_H
#define EXPLORE_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "world/world.h"

bool explore_failure_is(const struct world_finding *finding);
/* It is a call that MPI refused. */
bool explore_failure_is_refusal(const struct world_finding *finding);
/* A job on the real library comes to its end in spite of it. */
bool explore_failure_is_unseen(const struct world_finding *finding);
/* The first of the outcome, those that end a job before others; or NULL. */
const struct world_finding *explore_failure_of(const struct world_outcome *outcome);
/* The rule of a failure by its number; NULL: there are no more. */
const char *explore_failure_rule(uint32_t number);

#endif
