/* What the call table (interpose/calls.table) says of calls, for tests that write spools. */
#ifndef TESTS_UNIT_MEANING_H
#define TESTS_UNIT_MEANING_H

#include <stddef.h>
#include <string.h>

#include "call_meanings.h"

/* What the table says of a call; of a name that it has not, what it says of the first call of the
 * class. NULL if there is none. */
static inline const struct call_meaning *meaning_of(const char *name, unsigned class)
{
    const struct call_meaning *like = NULL;

    for (size_t i = 0; i < sizeof call_meanings / sizeof *call_meanings; i++) {
        if (strcmp(call_meanings[i].name, name) == 0)
            return &call_meanings[i];
        if (!like && call_meanings[i].class == class)
            like = &call_meanings[i];
    }
    return like;
}

#endif
