/* Shortens a list while an execution with it still ends the same way: delta debugging (Zeller and
 * Hildebrandt, 2002), which removes pieces of the whole length, of half of it, and so on down to
 * one. It shrinks schedules of the engine and of worlds. */
#ifndef CORE_SEARCH_SHRINK_H
#define CORE_SEARCH_SHRINK_H

#include <stdint.h>

#include "core/status.h"

enum search_trial {
    SEARCH_TRIAL_SAME,  /* same end: the callback has shortened its list */
    SEARCH_TRIAL_OTHER, /* another end, or unknown: the list is unchanged */
    SEARCH_TRIAL_OVER   /* the list is unchanged; no further trial is allowed */
};

/* Executes without the entries [at, at + count) of the list; count is at least 1. */
typedef enum core_status (*search_trial_fn)(void *context, uint32_t at, uint32_t count,
                                            enum search_trial *out_trial);

/* Shortens a list of `length` entries; does nothing for length 0. */
enum core_status search_shrink(uint32_t length, search_trial_fn trial, void *context);

#endif
