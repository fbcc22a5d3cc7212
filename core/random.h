/* The only random generator: xoshiro256** seeded through splitmix64 (Blackman and Vigna, public
 * domain algorithms). Same seed, same numbers, on any machine. */
#ifndef CORE_RANDOM_H
#define CORE_RANDOM_H

#include <stdint.h>

struct core_random {
    uint64_t state[4];
};

void core_random_init(struct core_random *random, uint64_t seed);
uint64_t core_random_next(struct core_random *random);
/* Returns a uniform number in [0, bound), without modulo bias. bound > 0. */
uint64_t core_random_below(struct core_random *random, uint64_t bound);
/* Makes one splitmix64 step: a 64-bit mixer for hashes and derived seeds. */
uint64_t core_random_mix(uint64_t value);

#endif
