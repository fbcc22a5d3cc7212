/* The certificate of an exhaustive run: a number over all its scenarios and all schedules of each,
 * independent of their order. It is printed below the formula of what was verified; a count of the
 * same set by another method gives the same number.
 *
 * A schedule is the set of all answers to its decisions, with every send buffered: each answer by
 * rank, number and value (world/exchange/explore.h). A scenario is its text. */
#ifndef FUZZ_CERTIFICATE_H
#define FUZZ_CERTIFICATE_H

#include <stdint.h>

#include "corpus/collectives/registry.h"
#include "fuzz/scenario/scenario.h"
#include "world/world.h"

uint64_t certificate_scenario(const struct collective *collective, const struct scenario *scenario);
/* Returns a number of the set of answers. */
uint64_t certificate_schedule(const struct world_decisions *decisions);
/* Combines both; the certificate is the sum over all schedules of all scenarios. */
uint64_t certificate_part(uint64_t scenario, uint64_t schedule);

/* Reads the statements of exhaustive runs and counts each set again (recheck.c). Returns 0 if all
 * hold, 1 if one does not, 2 if there is no file or statement, 4 if some were not decided within so
 * many seconds. */
int harness_certificate(const char *path, double seconds);

#endif
