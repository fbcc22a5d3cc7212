/* Runs trials of a scenario, each in a child process, so that whatever it does to itself (a
 * sanitizer's report, an endless loop) is only a result. */
#ifndef FUZZ_TRIAL_H
#define FUZZ_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "corpus/collectives/registry.h"
#include "fuzz/scenario/scenario.h"
#include "world/rule.h"

/* trials: number spent; one that computes for long, or never ends, counts as several. trial_ms:
 * milliseconds of computing that a trial may take; set before the first. */
extern int trials, trial_ms;

/* Returns the rule of the first finding, WORLD_RULE_NONE if there is none. Looking for leaks is
 * slow. */
enum world_rule trial_run(const struct collective *collective, const struct scenario *scenario,
                          bool look_for_leaks, uint64_t *out_messages);

#endif
