/* Finds two arguments that the program exchanged, once one of them is no valid handle (usage.h). A
 * handle that was converted to int on its way kept its lower half. The upper one is that of the
 * library's or the program's static memory (the linker may copy the library's objects there), or
 * the handle is in the table. */
#include "interpose/library/library.h"
#include "interpose/misuse/usage.h"

#include <string.h>

static const uintptr_t LOWER = UINT32_MAX;

/* Returns the handle of this kind that the value is, or is the lower half of; NULL: none. */
static const void *handle_of(enum recorder_object kind, const struct usage_given *given)
{
    const void *whole = (const void *)given->value;
    bool number = given->kind == OBJECT_KINDS;
    if (usage_accepted(kind, whole))
        return whole;
    if (!number || sizeof(MPI_Comm) < sizeof(void *) || given->value == 0)
        return NULL;
    uintptr_t end, near[] = {(uintptr_t)HANDLE(recorder_handle.type_byte), memory_static(&end)};
    for (unsigned i = 0; i < sizeof near / sizeof *near; i++) {
        whole = (const void *)((near[i] & ~LOWER) | (given->value & LOWER));
        if (usage_accepted(kind, whole) && usage_predefined(kind, whole))
            return whole;
    }
    return usage_object_find(kind, (uint32_t)given->value);
}

/* Tells whether the argument, which is no handle of its own kind, can be what the other one should
 * be. */
static bool fits_other(const struct usage_given *given, const struct usage_given *other)
{
    if (other->kind == OBJECT_KINDS)
        return given->value <= INT32_MAX || (intptr_t)given->value == (int32_t)given->value;
    return usage_accepted(other->kind, (const void *)given->value) &&
           !usage_accepted(other->kind, (const void *)other->value);
}

static const char *name_of(enum recorder_object kind, const void *handle, char *name)
{
    if (kind == OBJECT_OP)
        return library_op_name((MPI_Op)(uintptr_t)handle);
    *name = 0;
    if (kind == OBJECT_TYPE)
        library_type_name((MPI_Datatype)(uintptr_t)handle, name);
    return *name ? name : NULL;
}

void usage_swapped(struct lane *lane, uint64_t seq, const struct usage_given *given, unsigned count)
{
    char name[MPI_MAX_OBJECT_NAME];
    for (unsigned i = 0; i < count; i++) {
        if (given[i].kind == OBJECT_KINDS ||
            usage_accepted(given[i].kind, (const void *)given[i].value))
            continue;
        for (unsigned j = 0; j < count; j++) {
            const void *handle =
                given[j].kind == given[i].kind ? NULL : handle_of(given[i].kind, &given[j]);
            if (!handle || !fits_other(&given[i], &given[j]))
                continue;
            usage_say(lane, seq, MISUSE_SWAPPED, given[j].argument, 0,
                      .object = usage_object(given[i].kind),
                      .value = {(int32_t)given[i].value, given[j].kind == OBJECT_KINDS,
                                given[i].number, given[j].number},
                      .name[1] = given[i].argument,
                      .name[2] = name_of(given[i].kind, handle, name));
            return;
        }
    }
}
