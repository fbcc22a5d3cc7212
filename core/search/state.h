/* Keeps in a file what a search has done so far, so that a later process goes on from there. The
 * file is whole at any time: it is written beside, and then takes the place of the one before. */
#ifndef CORE_SEARCH_STATE_H
#define CORE_SEARCH_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

struct search_state {
    const char *path;
    const char *kind;  /* one word, the first of the file: "crosswait-explore" */
    int version;       /* of what follows; another one is refused */
    uint64_t question; /* a hash of what is searched, and under which options */
};

typedef void (*search_state_write_fn)(const void *context, FILE *file);
/* False: this is not what the other function wrote. */
typedef bool (*search_state_read_fn)(void *context, FILE *file);

enum core_status search_state_write(const struct search_state *state, search_state_write_fn write,
                                    const void *context);
/* *out_resumed: there was such a file, and it was read. A file of something else, of another
 * version or question, or a damaged one is a status. */
enum core_status search_state_read(const struct search_state *state, search_state_read_fn read,
                                   void *context, bool *out_resumed);

#endif
