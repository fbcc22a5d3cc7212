/* See array.h. */
#include "core/array.h"

#include <string.h>

#include "core/check.h"
#include "core/fault.h"

enum { ROOM_FIRST = 8 };

static enum core_status no_memory(const char *what)
{
    return core_report(CORE_NO_MEMORY, "out of memory for %s", what);
}

enum core_status core_array_grow(void *array, size_t element_bytes, uint32_t *room, uint64_t need,
                                 enum core_array_growth growth, const char *what)
{
    uint64_t larger = growth == CORE_ARRAY_EXACT ? need : *room ? *room : ROOM_FIRST;
    void *elements;

    CORE_CHECK(element_bytes > 0);
    CORE_CHECK(need > *room); /* the macros call only then */
    if (need > UINT32_MAX)
        return core_report(CORE_LIMIT, "more than %u entries for %s", UINT32_MAX, what);
    while (larger < need)
        larger *= 2; /* invariant 2 */
    if (larger > UINT32_MAX)
        larger = UINT32_MAX;
    if (larger > (uint64_t)PTRDIFF_MAX / element_bytes)
        return no_memory(what);
    memcpy(&elements, array, sizeof elements);
    CORE_CHECK(elements || *room == 0); /* invariant 1 */
    elements = core_alloc_again(elements, (size_t)larger * element_bytes);
    if (!elements)
        return no_memory(what);
    if (growth == CORE_ARRAY_DOUBLE_ZERO)
        memset((char *)elements + *room * element_bytes, 0,
               (size_t)(larger - *room) * element_bytes);
    memcpy(array, &elements, sizeof elements);
    *room = (uint32_t)larger;
    return CORE_OK;
}

void core_array_trim(void *array, size_t element_bytes, uint64_t count, uint32_t *room)
{
    void *elements, *smaller;

    CORE_CHECK(count <= *room); /* invariant 1 */
    memcpy(&elements, array, sizeof elements);
    if (count == 0 || count == *room)
        return;
    smaller = realloc(elements, (size_t)count * element_bytes);
    if (!smaller)
        return;
    memcpy(array, &smaller, sizeof smaller);
    *room = (uint32_t)count;
}

enum core_status core_array_new(void *array, size_t element_bytes, uint64_t count, const char *what)
{
    void *elements = NULL;

    CORE_CHECK(element_bytes > 0);
    if (count <= (uint64_t)PTRDIFF_MAX / element_bytes)
        elements = core_alloc_zero((size_t)count, element_bytes);
    if (!elements)
        return no_memory(what);
    memcpy(array, &elements, sizeof elements);
    return CORE_OK;
}
