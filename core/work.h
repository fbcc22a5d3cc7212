/* Counts work for tests: steps of the loops that grow with the length of the record. A test holds
 * the count to linear growth (tests/checkers/growth.sh), which seconds could not show. */
#ifndef CORE_WORK_H
#define CORE_WORK_H

#include <stdint.h>

extern uint64_t core_work_steps;

static inline void core_work(uint64_t steps)
{
    core_work_steps += steps;
}

#endif
