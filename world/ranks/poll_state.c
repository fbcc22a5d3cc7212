/* Detects that a polling rank's observable state has not changed since its last poll: the memory
 * that it can write, with the stack above the call and the callee-saved registers, and the memory
 * of windows. This library's own memory does not count, nor memory of the world, nor what waiting
 * leaves behind: errno, and the processor on which the thread runs (rseq). */
#include "world/ranks/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<sys/rseq.h>) /* glibc 2.35 and later register it */
#include <sys/rseq.h>
#pragma weak __rseq_offset /* a wheel's library also runs with an older glibc */
#endif
#include <unistd.h>
#include <unwind.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MAPS_BYTES = 1 << 16, KEPT_REGISTERS = 6 };
static const size_t memory_most = (size_t)256 << 20;

extern const char __ehdr_start[], etext[], end[];

_Static_assert(sizeof((struct rank_frame *)NULL)->kept == KEPT_REGISTERS * sizeof(uintptr_t),
               "each has its place");

/* Finds the program's frame: the first one outside of this library. */
static _Unwind_Reason_Code frame_find(struct _Unwind_Context *context, void *out)
{
    static const int name[KEPT_REGISTERS] = {3, 6, 12, 13, 14, 15}; /* of x86-64: rbx, rbp, r12.. */
    struct rank_frame *frame = out;
    const char *at = (const char *)_Unwind_GetIP(context);
    if (at >= __ehdr_start && at < etext)
        return _URC_NO_REASON;
    frame->sp = _Unwind_GetCFA(context);
    for (int i = 0; i < KEPT_REGISTERS; i++)
        frame->kept[i] = _Unwind_GetGR(context, name[i]);
    return _URC_END_OF_STACK;
}

bool rank_frame_find(struct rank_frame *out_frame)
{
    *out_frame = (struct rank_frame){0};
    _Unwind_Backtrace(frame_find, out_frame);
    return out_frame->sp != 0;
}

size_t rank_maps_read(char *text, size_t room)
{
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    size_t bytes = 0;
    for (ssize_t got = 1; file >= 0 && got > 0 && bytes < room; bytes += (size_t)got)
        if ((got = read(file, text + bytes, room - bytes)) < 0)
            got = 0;
    if (file >= 0)
        close(file);
    CORE_CHECK(bytes <= room);
    return bytes < room ? bytes : 0; /* all or nothing */
}

bool rank_map_is_stack(const char *line, const char *line_end)
{
    static const char name[] = "[stack]";
    CORE_CHECK(line <= line_end);
    return memmem(line, (size_t)(line_end - line), name, sizeof name - 1) != NULL;
}

void rank_left_out(struct rank_range out_range[RANK_LEFT_OUT])
{
    out_range[0] =
        (struct rank_range){(uintptr_t)__ehdr_start, ((uintptr_t)end + 4095) / 4096 * 4096};
    out_range[1] = (struct rank_range){(uintptr_t)&errno, (uintptr_t)(&errno + 1)};
    out_range[2] = (struct rank_range){0};
#if __has_include(<sys/rseq.h>)
    if (&__rseq_offset) {
        uintptr_t rseq = (uintptr_t)__builtin_thread_pointer() + (uintptr_t)__rseq_offset;
        out_range[2] = (struct rank_range){rseq, rseq + sizeof(struct rseq)};
    }
#endif
    CORE_CHECK(out_range[0].from < out_range[0].to);
}

/* Hashes the parts of [from, to) that are not omitted. */
static bool poll_state_take(XXH3_state_t *state, uintptr_t from, uintptr_t to, size_t *hashed_bytes)
{
    struct rank_range out[RANK_LEFT_OUT];
    rank_left_out(out);
    CORE_CHECK(from < to);
    for (int i = 0; i < RANK_LEFT_OUT; i++)
        if (from < out[i].to && to > out[i].from)
            return (from >= out[i].from ||
                    poll_state_take(state, from, out[i].from, hashed_bytes)) &&
                   (to <= out[i].to || poll_state_take(state, out[i].to, to, hashed_bytes));
    *hashed_bytes += to - from;
    if (*hashed_bytes > memory_most)
        return false;
    XXH3_64bits_update(state, (const void *)from, to - from);
    return true;
}

uint64_t world_process_state(void)
{
    static char text[MAPS_BYTES] RANK_SCRATCH;
    static XXH3_state_t state;
    struct rank_frame frame;
    size_t bytes = rank_maps_read(text, sizeof text - 1), hashed_bytes = 0;
    if (!rank_frame_find(&frame) || !bytes)
        return 0;
    text[bytes] = 0;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, &frame, sizeof frame);
    for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *next;
        uintptr_t from = strtoull(line, &next, 16), to = strtoull(next + 1, &next, 16);
        if (strncmp(next, " rw", 3) != 0 || next[4] != 'p')
            continue;
        if (frame.sp >= from && frame.sp < to) {
            if (!rank_map_is_stack(line, line + strcspn(line, "\n")))
                return 0; /* memory below may be the program's */
            from = frame.sp;
        }
        if (!poll_state_take(&state, from, to, &hashed_bytes))
            return 0;
    }
    for (const struct world_heap *kept = WORLD->heap; kept; kept = kept->next)
        XXH3_64bits_update(&state, kept->block, kept->bytes);
    uint64_t made = XXH3_64bits_digest(&state);
    return made ? made : 1;
}
