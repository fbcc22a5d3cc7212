/* The order in which a library combined what the ranks gave, told from the digests of what the
 * program's own operation was given and made of it: a value is known by its digest, whatever rank
 * has it. */
#ifndef CHECKERS_COLLECTIVE_REDUCE_ORDER_H
#define CHECKERS_COLLECTIVE_REDUCE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace_payload.h"

enum { REDUCE_ORDER_MEMBERS_MAX = 64, REDUCE_ORDER_VALUES_MAX = 4096 };

struct reduce_order_value { /* what the members, in this order, gave: combined from left to right */
    uint64_t digest;
    uint32_t count;
    uint8_t member[REDUCE_ORDER_MEMBERS_MAX];
};
struct reduce_order {
    struct reduce_order_value *value;
    uint32_t count, room;
    struct trace_applied *step;
    uint32_t step_count, step_room;
    bool unclear; /* two ways lead to one value */
};

enum core_status reduce_order_give(struct reduce_order *applied, uint32_t member, uint64_t digest);
enum core_status reduce_order_step(const struct trace_applied *step,
                                   void *applied); /* trace_applied_fn */
/* Works out the values that steps made of values. */
enum core_status reduce_order_combine(struct reduce_order *applied);
/* NULL: how it came about is not known, or not for sure. */
const struct reduce_order_value *reduce_order_find(const struct reduce_order *applied,
                                                   uint64_t digest);
void reduce_order_done(struct reduce_order *applied);

#endif
