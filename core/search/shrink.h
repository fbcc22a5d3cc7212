/* Shortens a list while an execution with it still ends the same way: delta debugging (Zeller and
 * Hildebrandt, 2002), which removes pieces of the whole length, of half of it, and so on down to
 * one. It shrinks schedules of the engine and of worlds. */
#ifndef CORE_SEARCH_SHRINK_H
#define CORE_SEARCH_SHRINK_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

enum search_trial {
    SEARCH_TRIAL_SAME,  /* same end: the list stays shorter */
    SEARCH_TRIAL_OTHER, /* another end, or unknown */
    SEARCH_TRIAL_OVER   /* not executed; no further trial is allowed */
};

/* Executes with the list as it is now. */
typedef enum core_status (*search_trial_fn)(void *context, enum search_trial *out_trial);

/* Shortens the list in place: *length entries of entry_bytes each. */
enum core_status search_shrink(void *list, size_t entry_bytes, uint32_t *length,
                               search_trial_fn trial, void *context);

#endif
