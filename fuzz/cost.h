/* Checks whether an execution keeps the model row that its collective claims: more rounds or words
 * than the row are a finding. */
#ifndef FUZZ_COST_H
#define FUZZ_COST_H

#include "corpus/collectives/registry.h"
#include "fuzz/scenario/scenario.h"
#include "world/world.h"

void cost_check(const struct collective *collective, const struct scenario *scenario,
                const struct world_options *options, struct world_outcome *outcome);
/* Tells whether so many rounds, and bytes along the longest chain of messages, measured elsewhere,
 * exceed what the collective claims for the scenario, which is adapted to the collective; the text
 * says so. */
bool cost_exceeds(const struct collective *collective, const struct scenario *scenario,
                  uint64_t rounds, uint64_t bytes, char *text, size_t room);

#endif
