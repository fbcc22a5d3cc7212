/* Makes a list shorter while an execution with it still ends as before: delta debugging (Zeller and
 * Hildebrandt, 2002) by pieces of the whole length, of half of it, and so on down to one. Schedules
 * of the engine and of worlds are shrunk so. */
#ifndef CORE_SEARCH_SHRINK_H
#define CORE_SEARCH_SHRINK_H

#include <stdint.h>

#include "core/status.h"

enum search_trial {
    SEARCH_TRIAL_SAME,  /* it ends as before: the callback has shortened its list */
    SEARCH_TRIAL_OTHER, /* it does not, or nobody can say: the list is as it was */
    SEARCH_TRIAL_OVER   /* the list is as it was; no trial is to follow */
};

/* Executes without the entries [at, at + count) of the list; count is at least 1. */
typedef enum core_status (*search_trial_fn)(void *context, uint32_t at, uint32_t count,
                                            enum search_trial *out_trial);

/* `length` of the list at first; 0: there is nothing to do. */
enum core_status search_shrink(uint32_t length, search_trial_fn trial, void *context);

#endif
