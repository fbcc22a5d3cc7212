/* See fortran_array.h. Open MPI's Fortran interface converts the requests into an array of its own,
 * and needs the program's array again after the call: until then a register that calls preserve, or
 * a word of its frame, holds the array's address. */
#include "interpose/misuse/fortran_array.h"

#include <unwind.h>

#include "interpose/entry/body.h"
#include "program/memory.h"

enum {
    FRAME_WORDS = 64, /* of the interface's frame */
    COMPARED_MAX = 64 /* requests */
};

struct sought {
    uintptr_t frame; /* stack pointer of the interface at the call */
    int32_t handle[COMPARED_MAX];
    bool known[COMPARED_MAX];
    int count; /* of the whole array */
    const void *found;
};

static bool is_array(const struct sought *s, uintptr_t at)
{
    const int32_t *handle = (const int32_t *)at;
    uintptr_t frame_end = s->frame + FRAME_WORDS * sizeof(uintptr_t);

    if (!at || at % sizeof *handle || (at < frame_end && at + sizeof *handle > s->frame) ||
        !memory_readable(handle, (uint64_t)s->count * sizeof *handle))
        return false;
    for (int i = 0; i < s->count && i < COMPARED_MAX; i++)
        if (s->known[i] && handle[i] != s->handle[i])
            return false;
    return true;
}

static _Unwind_Reason_Code look_in_registers(struct _Unwind_Context *context, void *argument)
{
    struct sought *s = argument;
    uintptr_t frame = _Unwind_GetCFA(context);

    if (frame < s->frame)
        return _URC_NO_REASON; /* a frame of the recorder */
#if defined(__x86_64__)
    static const int kept[] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 to r15 */
    for (unsigned i = 0; frame == s->frame && !s->found && i < sizeof kept / sizeof *kept; i++)
        if (is_array(s, _Unwind_GetGR(context, kept[i])))
            s->found = (const void *)_Unwind_GetGR(context, kept[i]);
#endif
    return _URC_END_OF_STACK;
}

const void *fortran_array_find(void **cfa, const MPI_Request *request, int count)
{
    struct sought s = {.frame = (uintptr_t)cfa, .count = count};
    const uintptr_t *word = (const uintptr_t *)cfa;
    int known = 0;

    if (sizeof *request == sizeof(int32_t) || !memory_readable(request, (uint64_t)count * 8) ||
        !memory_readable(word, FRAME_WORDS * sizeof *word))
        return NULL;
    for (int i = 0; i < count && i < COMPARED_MAX; i++) {
        s.known[i] = recorder_request_find(request[i], &request[i]).id != 0;
        s.handle[i] = s.known[i] ? OWN(Request_c2f)(request[i]) : 0;
        known += s.known[i];
    }
    if (known < 2) /* invariant 1 */
        return NULL;
    _Unwind_Backtrace(look_in_registers, &s);
    for (int i = 0; i < FRAME_WORDS && !s.found; i++)
        if (is_array(&s, word[i]))
            s.found = (const void *)word[i];
    return s.found;
}
