/* Finds the order in which a library combined the ranks' contributions, from digests of the
 * operands and results of the program's own operation. Equal digests are taken for the same value.
 */
#ifndef CHECKERS_COLLECTIVE_REDUCE_ORDER_H
#define CHECKERS_COLLECTIVE_REDUCE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace_payload.h"

enum { REDUCE_ORDER_MEMBERS_MAX = 64, REDUCE_ORDER_VALUES_MAX = 4096 };

struct reduce_order_value { /* the contributions of the members, in this order, combined from left
                               to right */
    uint64_t digest;
    uint32_t count;
    uint8_t member[REDUCE_ORDER_MEMBERS_MAX];
};
struct reduce_order {
    struct reduce_order_value *value;
    uint32_t count, room;
    struct trace_applied *step;
    uint32_t step_count, step_room;
    bool unclear; /* two ways lead to one value, or there were too many steps */
};

enum core_status reduce_order_give(struct reduce_order *applied, uint32_t member, uint64_t digest);
enum core_status reduce_order_step(const struct trace_applied *step,
                                   void *applied); /* trace_applied_fn */
/* Computes which values the recorded steps made of known values, until nothing new comes out. */
enum core_status reduce_order_combine(struct reduce_order *applied);
/* Returns how a value was combined; NULL: unknown or ambiguous. */
const struct reduce_order_value *reduce_order_find(const struct reduce_order *applied,
                                                   uint64_t digest);
void reduce_order_done(struct reduce_order *applied);

#endif
