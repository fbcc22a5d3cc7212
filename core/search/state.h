/* Saves a search in a file, so that a later process can resume it. The file is complete at any
 * time: a new one is written beside it and then replaces it. */
#ifndef CORE_SEARCH_STATE_H
#define CORE_SEARCH_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

struct search_state {
    const char *path;
    const char *kind;  /* one word, the first of the file: "crosswait-explore" */
    int version;       /* of the format that follows; others are refused */
    uint64_t question; /* a hash of what is searched, and with which options */
};

typedef void (*search_state_write_fn)(const void *context, FILE *file);
/* Reads the file; false if the write function cannot have written it. */
typedef bool (*search_state_read_fn)(void *context, FILE *file);

enum core_status search_state_write(const struct search_state *state, search_state_write_fn write,
                                    const void *context);
/* Reads the state. *out_resumed: the file existed and was read. Returns an error for a file of
 * another kind, version or question, and for a damaged one. */
enum core_status search_state_read(const struct search_state *state, search_state_read_fn read,
                                   void *context, bool *out_resumed);

#endif
