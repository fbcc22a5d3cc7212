/* xoshiro256** and splitmix64. */
#include "core/random.h"
#include "core/check.h"

static uint64_t rotate_left(uint64_t value, int shift)
{
    return value << shift | value >> (64 - shift);
}

uint64_t core_random_mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

void core_random_init(struct core_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        random->state[i] = core_random_mix(seed + (uint64_t)i * 0x9e3779b97f4a7c15u);
}

uint64_t core_random_next(struct core_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t core_random_below(struct core_random *random, uint64_t bound)
{
    CORE_CHECK(bound > 0);
    uint64_t reject_below = -bound % bound;
    uint64_t value;

    do
        value = core_random_next(random);
    while (value < reject_below);
    return value % bound;
}
