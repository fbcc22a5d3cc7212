/* Tells which findings of a world make it fail; the others are compared and are no failure. */
#ifndef EXPLORE_FAILURE_H
#define EXPLORE_FAILURE_H

#include <stdbool.h>

#include "world/world.h"

bool explore_failure_is(const struct world_finding *finding);
/* The first of the outcome, those that end a job before others; or NULL. */
const struct world_finding *explore_failure_of(const struct world_outcome *outcome);

#endif
