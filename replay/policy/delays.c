/* Computes how long messages and calls take under delay=, where time passes: live and in process.
 *
 *   uniform, exponential   each message its own, by that distribution
 *   heavy                  most messages next to nothing, few a long time: 8 times the mean, halved
 *                          up to 15 times
 *   slow-link:A-B          the messages from A to B a millisecond
 *   slow-rank:R            R a millisecond before each call
 *   speeds                 each rank its own time before each call, uniform
 *   swarm                  each link and each rank its own: three of four none, the others from one
 *                          to 128 microseconds */
#include "core/random.h"
#include "replay/policy/policy.h"

enum { SLOW_NS = 1000000, SWARM_NS = 1000 };

/* Returns -ln(x) for x in (0, 1], to about nine digits. The preloaded library does not link libm,
 * as the application may have its own. */
static double minus_log(double x)
{
    double sum = 0;
    for (; x < 0.70710678; x *= 2)
        sum += 0.69314718055994531;
    double z = (1 - x) / (1 + x), square = z * z;
    return sum +
           2 * z *
               (1 + square * (1 / 3.0 + square * (1 / 5.0 + square * (1 / 7.0 + square / 9.0))));
}

static uint64_t delays_exponential(uint64_t hash, uint64_t mean)
{
    double x = (double)(hash >> 11) * 0x1p-53; /* in [0, 1) */
    return (uint64_t)(minus_log(1 - x) * (double)mean);
}

uint64_t replay_policy_delay(const struct replay_policy *policy, uint64_t unit_ns, int source,
                             int dest, uint64_t number)
{
    uint64_t mean =
        (policy->delay_ns < REPLAY_DELAY_NS_MAX ? policy->delay_ns : REPLAY_DELAY_NS_MAX) / unit_ns;
    uint64_t link = policy->seed << 48 ^ policy->seed >> 16 ^ (uint64_t)source << 24 ^
                    (uint64_t)(dest + 1),
             message = link ^ number << 56 ^ number << 36, delay = 0;
    bool call = dest < 0;

    switch (policy->delay) {
    case REPLAY_DELAY_UNIFORM:
        delay = call || !mean ? 0 : core_random_mix(message) % (2 * mean);
        break;
    case REPLAY_DELAY_EXPONENTIAL:
        delay = call ? 0 : delays_exponential(core_random_mix(message), mean);
        break;
    case REPLAY_DELAY_HEAVY:
        delay = call ? 0 : 8 * mean >> core_random_mix(message) % 16;
        break;
    case REPLAY_DELAY_SLOW_LINK:
        if ((uint32_t)source == policy->link_from && dest >= 0 && (uint32_t)dest == policy->link_to)
            delay = SLOW_NS / unit_ns;
        break;
    case REPLAY_DELAY_SLOW_RANK:
        delay = call && (uint64_t)source == policy->delay_ns ? SLOW_NS / unit_ns : 0;
        break;
    case REPLAY_DELAY_SPEEDS:
        delay = !call || !mean ? 0 : core_random_mix(link) % (2 * mean);
        break;
    case REPLAY_DELAY_SWARM: {
        uint64_t state = core_random_mix(link);
        if (state % 4 == 0) /* second number of that sequence */
            delay = (SWARM_NS << core_random_mix(link + 0x9e3779b97f4a7c15u) % 8) / unit_ns;
        break;
    }
    case REPLAY_DELAY_NONE:
    case REPLAY_DELAY_RECORDED:
        break;
    }
    return delay < REPLAY_DELAY_NS_MAX / unit_ns ? delay : REPLAY_DELAY_NS_MAX / unit_ns;
}
