/* See the header. */
#include "explore/failure.h"

#include "world/rule.h"

const char *explore_failure_rule(uint32_t number)
{
    return number < WORLD_RULES ? world_rules[number].name : NULL;
}

bool explore_failure_is(const struct world_finding *finding)
{
    return world_rule_traits(finding->rule) & WORLD_RULE_FAILS;
}

bool explore_failure_is_refusal(const struct world_finding *finding)
{
    return world_rule_traits(finding->rule) & WORLD_RULE_REFUSED;
}

bool explore_failure_is_unseen(const struct world_finding *finding)
{
    return world_rule_traits(finding->rule) & WORLD_RULE_UNSEEN;
}

const struct world_finding *explore_failure_of(const struct world_outcome *outcome)
{
    for (size_t rule = 0; rule < WORLD_RULES; rule++)
        for (int i = 0; i < outcome->finding_count; i++)
            if (!strcmp(outcome->finding[i].rule, world_rules[rule].name))
                return &outcome->finding[i];
    return NULL;
}
