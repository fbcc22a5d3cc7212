/* Handles policies as values: copies, names, and random draws. */
#include "replay/policy/policy.h"

#include <string.h>

#include "core/array.h"
#include "core/check.h"

void replay_policy_init(struct replay_policy *policy)
{
    *policy = (struct replay_policy){.seed = 1};
}

void replay_policy_done(struct replay_policy *policy)
{
    if (!policy)
        return;
    free(policy->send.name);
    free(policy->forced.name);
    *policy = (struct replay_policy){0};
}

static enum core_status copy_names(const struct replay_names *names, struct replay_names *out_names)
{
    struct replay_names made = {0};

    enum core_status status = CORE_ARRAY_ROOM(made.name, made.room, names->count, "a policy");
    if (status != CORE_OK)
        return status;
    if (names->count)
        memcpy(made.name, names->name, names->count * sizeof *made.name);
    made.count = names->count;
    *out_names = made;
    return CORE_OK;
}

enum core_status replay_policy_copy(const struct replay_policy *policy,
                                    struct replay_policy *out_policy)
{
    struct replay_policy made = *policy;

    made.send = made.forced = (struct replay_names){0};
    enum core_status status = copy_names(&policy->send, &made.send);
    if (status == CORE_OK)
        status = copy_names(&policy->forced, &made.forced);
    if (status != CORE_OK) {
        replay_policy_done(&made);
        return status;
    }
    *out_policy = made;
    return CORE_OK;
}

/* --- names ------------------------------------------------------------------------------------ */

static int policy_compare(const struct replay_name *a, const struct replay_name *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->by_number != b->by_number)
        return a->by_number ? 1 : -1;
    return a->id < b->id ? -1 : a->id > b->id;
}

enum core_status replay_policy_add(struct replay_names *names, const struct replay_name *name)
{
    uint32_t at = names->count;

    while (at && policy_compare(&names->name[at - 1], name) > 0)
        at--;
    if (at && policy_compare(&names->name[at - 1], name) == 0) {
        names->name[at - 1] = *name;
        return CORE_OK;
    }
    if (names->count == REPLAY_POLICY_LIST_MAX)
        return core_report(CORE_LIMIT, "a policy names more than %d calls", REPLAY_POLICY_LIST_MAX);
    enum core_status status =
        CORE_ARRAY_ROOM(names->name, names->room, names->count + 1, "a policy");
    if (status != CORE_OK)
        return status;
    memmove(names->name + at + 1, names->name + at, (names->count - at) * sizeof *names->name);
    names->name[at] = *name;
    names->count++;
    CORE_CHECK(at == 0 || policy_compare(&names->name[at - 1], name) < 0); /* invariant 1 */
    return CORE_OK;
}

enum core_status replay_policy_add_send(struct replay_policy *policy, uint32_t rank, uint64_t id)
{
    return replay_policy_add(&policy->send, &(struct replay_name){.rank = rank, .id = id});
}

enum core_status replay_policy_add_forced(struct replay_policy *policy, uint32_t rank, uint64_t id,
                                          int32_t source)
{
    return replay_policy_add(&policy->forced,
                             &(struct replay_name){.rank = rank, .id = id, .source = source});
}

const struct replay_name *replay_policy_find(const struct replay_names *names, uint32_t rank,
                                             bool by_number, uint64_t id)
{
    const struct replay_name wanted = {.rank = rank, .by_number = by_number, .id = id};

    uint32_t low =
        CORE_ARRAY_FIND(at, 0, names->count, policy_compare(&names->name[at], &wanted) < 0);
    return low < names->count && policy_compare(&names->name[low], &wanted) == 0 ? &names->name[low]
                                                                                 : NULL;
}

/* --- what it decides -------------------------------------------------------------------------- */

bool replay_policy_names_send(const struct replay_policy *policy, const struct replay_send *send)
{
    return replay_policy_find(&policy->send, send->rank, false, send->event) ||
           (send->number && replay_policy_find(&policy->send, send->rank, true, send->number));
}

static uint32_t greatest_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool replay_policy_draw(uint64_t percent, struct replay_choice *choice)
{
    CORE_CHECK(percent <= 100);
    uint32_t part = greatest_divisor(100, (uint32_t)percent);
    return replay_choice_take(choice, 100 / part, REPLAY_REASON_BUFFER) >=
           (100 - (uint32_t)percent) / part;
}
