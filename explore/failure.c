/* See the header. */
#include "explore/failure.h"

#include <stddef.h>
#include <string.h>

/* Findings of a world that make it fail; the others are compared and are no failure. */
static const char *const failures[] = {"crash", "abort",      "deadlock",    "livelock",
                                       "error", "truncation", "exit-status", "collective-mismatch",
                                       "freed"};

const char *explore_failure_rule(uint32_t number)
{
    return number < sizeof failures / sizeof *failures ? failures[number] : NULL;
}

bool explore_failure_is(const struct world_finding *finding)
{
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        if (!strcmp(finding->rule, failures[i]))
            return true;
    return false;
}

bool explore_failure_is_refusal(const struct world_finding *finding)
{
    static const char *const refusals[] = {"error", "truncation", "collective-mismatch", "freed"};

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (!strcmp(finding->rule, refusals[i]))
            return true;
    return false;
}

const struct world_finding *explore_failure_of(const struct world_outcome *outcome)
{
    for (size_t f = 0; f < sizeof failures / sizeof *failures; f++)
        for (int i = 0; i < outcome->finding_count; i++)
            if (!strcmp(outcome->finding[i].rule, failures[f]))
                return &outcome->finding[i];
    return NULL;
}
