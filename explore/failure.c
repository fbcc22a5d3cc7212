/* See the header. */
#include "explore/failure.h"

bool explore_failure_is(const struct world_finding *finding)
{
    return world_rule_is(finding->rule, WORLD_FAILS);
}

const struct world_finding *explore_failure_of(const struct world_outcome *outcome)
{
    const struct world_finding *worst = NULL;
    for (int i = 0; i < outcome->finding_count; i++) {
        const struct world_finding *finding = &outcome->finding[i];
        if (explore_failure_is(finding) && (!worst || finding->rule < worst->rule))
            worst = finding;
    }
    return worst;
}
