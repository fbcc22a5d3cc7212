/* Keeps values and steps in lists: a collective that is sampled has few. */
#include "checkers/collective/reduce_order.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"

#define APPLIED "applications of an operation"

static struct reduce_order_value *reduce_order_lookup(const struct reduce_order *applied,
                                                      uint64_t digest)
{
    for (uint32_t i = 0; i < applied->count; i++)
        if (applied->value[i].digest == digest)
            return &applied->value[i];
    return NULL;
}

static enum core_status value_add(struct reduce_order *applied,
                                  const struct reduce_order_value *value)
{
    const struct reduce_order_value *known = reduce_order_lookup(applied, value->digest);

    CORE_CHECK(value->count > 0);
    CORE_CHECK(value->count <= REDUCE_ORDER_MEMBERS_MAX);
    if (known) {
        applied->unclear |=
            known->count != value->count || memcmp(known->member, value->member, value->count) != 0;
        return CORE_OK;
    }
    return CORE_ARRAY_PUSH(applied->value, applied->count, applied->room, APPLIED, *value);
}

_Static_assert(REDUCE_ORDER_MEMBERS_MAX <= UINT8_MAX + 1, "a member is kept in a byte");

enum core_status reduce_order_give(struct reduce_order *applied, uint32_t member, uint64_t digest)
{
    struct reduce_order_value value = {.digest = digest, .count = 1, .member = {(uint8_t)member}};

    CORE_CHECK(member < REDUCE_ORDER_MEMBERS_MAX);
    return value_add(applied, &value);
}

enum core_status reduce_order_step(const struct trace_applied *step, void *context)
{
    struct reduce_order *applied = context;

    CORE_CHECK(applied->step_count <= REDUCE_ORDER_VALUES_MAX);
    if (applied->step_count == REDUCE_ORDER_VALUES_MAX) {
        applied->unclear = true;
        return CORE_OK;
    }
    return CORE_ARRAY_PUSH(applied->step, applied->step_count, applied->step_room, APPLIED, *step);
}

enum core_status reduce_order_combine(struct reduce_order *applied)
{
    enum core_status status = CORE_OK;
    bool more = true;

    while (more && status == CORE_OK && !applied->unclear) {
        more = false;
        for (uint32_t i = 0; i < applied->step_count && status == CORE_OK; i++) {
            const struct trace_applied *step = &applied->step[i];
            const struct reduce_order_value *in = reduce_order_lookup(applied, step->in),
                                            *inout = reduce_order_lookup(applied, step->inout);
            if (!in || !inout || in->count + inout->count > REDUCE_ORDER_MEMBERS_MAX)
                continue;
            struct reduce_order_value made = {.digest = step->out,
                                              .count = in->count + inout->count};
            uint32_t before = applied->count;
            memcpy(made.member, in->member, in->count);
            memcpy(made.member + in->count, inout->member, inout->count);
            status = value_add(applied, &made);
            CORE_CHECK(applied->count <= before + 1); /* at most one new value per step */
            more |= applied->count > before;
        }
    }
    return status;
}

const struct reduce_order_value *reduce_order_find(const struct reduce_order *applied,
                                                   uint64_t digest)
{
    return applied->unclear ? NULL : reduce_order_lookup(applied, digest);
}

void reduce_order_done(struct reduce_order *applied)
{
    free(applied->value);
    free(applied->step);
    *applied = (struct reduce_order){.count = 0};
}
