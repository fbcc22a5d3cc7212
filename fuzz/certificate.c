/* See certificate.h. */
#include "fuzz/certificate.h"

#include "core/random.h"
#include "fuzz/harness.h"

uint64_t certificate_scenario(const struct collective *collective, const struct scenario *scenario)
{
    static char text[SCENARIO_TEXT_MAX];
    uint64_t hash = 1;
    harness_print(collective, scenario, text, sizeof text);
    for (const char *at = text; *at; at++)
        hash = core_random_mix(hash ^ (uint8_t)*at);
    return hash;
}

uint64_t certificate_schedule(const struct world_decisions *decisions)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < decisions->decision_count; i++) {
        const struct world_decision *d = &decisions->decision[i];
        const uint64_t name = (uint64_t)(uint32_t)d->rank << 32 | d->number;
        sum += core_random_mix(core_random_mix(name) ^ (uint32_t)d->answer);
    }
    return sum;
}

uint64_t certificate_part(uint64_t scenario, uint64_t schedule)
{
    return core_random_mix(scenario ^ core_random_mix(schedule));
}
