/* See the header. */
#include "core/search/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/fault.h"

struct shrinking {
    uint8_t *list, *removed; /* removed: room for the whole list */
    size_t entry_bytes;
    uint32_t *length;
    search_trial_fn trial;
    void *context;
};

/* Tries the list without the entries [at, at + count), and puts them back if they are needed. */
static enum core_status shrink_try(const struct shrinking *s, uint32_t at, uint32_t count,
                                   enum search_trial *out_trial)
{
    uint8_t *piece = s->list + at * s->entry_bytes;
    const size_t bytes = count * s->entry_bytes,
                 behind = (*s->length - at - count) * s->entry_bytes;
    memcpy(s->removed, piece, bytes);
    memmove(piece, piece + bytes, behind);
    *s->length -= count;
    enum core_status status = s->trial(s->context, out_trial);
    CORE_CHECK(*out_trial <= SEARCH_TRIAL_OVER);
    if (status == CORE_OK && *out_trial == SEARCH_TRIAL_SAME)
        return CORE_OK;
    memmove(piece + bytes, piece, behind);
    memcpy(piece, s->removed, bytes);
    *s->length += count;
    return status;
}

enum core_status search_shrink(void *list, size_t entry_bytes, uint32_t *length,
                               search_trial_fn trial, void *context)
{
    struct shrinking s = {list, NULL, entry_bytes, length, trial, context};
    enum core_status status = CORE_OK;
    enum search_trial found = SEARCH_TRIAL_OTHER;

    if (*length && !(s.removed = core_alloc(*length * entry_bytes)))
        return core_report(CORE_NO_MEMORY, "out of memory for shrinking a schedule");
    for (uint32_t piece = *length; piece && status == CORE_OK; piece /= 2)
        for (uint32_t at = 0; at < *length && status == CORE_OK && found != SEARCH_TRIAL_OVER;) {
            const uint32_t count = piece < *length - at ? piece : *length - at;
            status = shrink_try(&s, at, count, &found);
            if (found != SEARCH_TRIAL_SAME)
                at += count;
        }
    free(s.removed);
    return status;
}
