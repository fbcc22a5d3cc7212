/* See work.h. */
#include "core/work.h"

uint64_t core_work_steps;
