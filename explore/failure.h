/* Tells which findings of a world make it fail; the others are compared and are no failure. */
#ifndef EXPLORE_FAILURE_H
#define EXPLORE_FAILURE_H

#include <stdbool.h>

#include "world/world.h"

bool explore_failure_is(const struct world_finding *finding);
/* Returns the outcome's first failure, preferring findings that end a job; NULL if there is none.
 */
const struct world_finding *explore_failure_of(const struct world_outcome *outcome);

#endif
