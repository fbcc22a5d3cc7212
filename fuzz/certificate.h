/* The certificate of an exhaustive run: a number over every scenario that was looked at and every
 * schedule of each, whatever their order. It stands below the formula of what was verified, and
 * somebody who counts the same set in another way comes to the same number.
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
/* A number of the set of answers. */
uint64_t certificate_schedule(const struct world_decisions *decisions);
/* Both together; their sum over all is the certificate. */
uint64_t certificate_part(uint64_t scenario, uint64_t schedule);

/* Reads the statements of exhaustive runs and counts each set again (recheck.c). 0: all hold; 1:
 * one does not; 2: no file or no statement; 4: not all could be decided within so many seconds. */
int harness_certificate(const char *path, double seconds);

#endif
