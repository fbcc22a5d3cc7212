/* How much work was done, for tests: steps of the loops that grow with what was recorded, counted
 * where they are made. A test holds them to linear growth (tests/checkers/growth.sh), which it
 * could not do with seconds. */
#ifndef CORE_WORK_H
#define CORE_WORK_H

#include <stdint.h>

extern uint64_t core_work_steps;

static inline void core_work(uint64_t steps)
{
    core_work_steps += steps;
}

#endif
