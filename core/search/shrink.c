/* See the header. */
#include "core/search/shrink.h"

#include "core/check.h"

enum core_status search_shrink(uint32_t length, search_trial_fn trial, void *context)
{
    enum core_status status = CORE_OK;
    enum search_trial found = SEARCH_TRIAL_OTHER;

    for (uint32_t piece = length; piece && status == CORE_OK; piece /= 2)
        for (uint32_t at = 0; at < length && status == CORE_OK && found != SEARCH_TRIAL_OVER;) {
            const uint32_t count = piece < length - at ? piece : length - at;
            status = trial(context, at, count, &found);
            CORE_CHECK(found <= SEARCH_TRIAL_OVER);
            if (found == SEARCH_TRIAL_SAME)
                length -= count;
            else
                at += count;
        }
    return status;
}
