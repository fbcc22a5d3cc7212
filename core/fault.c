/* The counter behind fault injection. It is not thread-safe: tests that inject faults run one
 * thread. */
#include "core/fault.h"

#include <stdlib.h>

int64_t core_fault_left = -1;
static bool stays;
uint64_t core_fault_places;

void core_fault_set(int64_t left, bool for_good)
{
    core_fault_left = left;
    stays = for_good;
    core_fault_places = 0;
}

bool core_fault_hit(void)
{
    core_fault_places++;
    if (core_fault_left > 0) {
        core_fault_left--;
        return false;
    }
    if (!stays)
        core_fault_left = -1;
    return true;
}

void *core_alloc(size_t bytes)
{
    return core_fault() ? NULL : malloc(bytes ? bytes : 1);
}

void *core_alloc_zero(size_t count, size_t bytes)
{
    return core_fault() ? NULL : calloc(count ? count : 1, bytes ? bytes : 1);
}

void *core_alloc_again(void *old, size_t bytes)
{
    return core_fault() ? NULL : realloc(old, bytes ? bytes : 1);
}
