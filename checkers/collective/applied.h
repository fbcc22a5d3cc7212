/* The order in which a library combined what the ranks gave, told from the digests of what the
 * program's own operation was given and made of it: a value is known by its digest, whatever rank
 * has it. */
#ifndef CHECKERS_COLLECTIVE_APPLIED_H
#define CHECKERS_COLLECTIVE_APPLIED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace_payload.h"

enum { APPLIED_MEMBERS_MAX = 64, APPLIED_VALUES_MAX = 4096 };

struct applied_value { /* what the members, in this order, gave: combined from left to right */
    uint64_t digest;
    uint32_t count;
    uint8_t member[APPLIED_MEMBERS_MAX];
};
struct applied {
    struct applied_value *value;
    uint32_t count, room;
    struct trace_applied *step;
    uint32_t step_count, step_room;
    bool unclear; /* two ways lead to one value */
};

enum core_status applied_give(struct applied *applied, uint32_t member, uint64_t digest);
enum core_status applied_step(const struct trace_applied *step,
                              void *applied); /* trace_applied_fn */
/* Works out the values that steps made of values. */
enum core_status applied_combine(struct applied *applied);
/* NULL: how it came about is not known, or not for sure. */
const struct applied_value *applied_find(const struct applied *applied, uint64_t digest);
void applied_done(struct applied *applied);

#endif
