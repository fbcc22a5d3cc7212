/* Lowers collectives, and other calls that are collective too. */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "replay/program/lower_state.h"

static enum replay_coll_shape shape_of(uint64_t traits)
{
    if (trait_in(traits, TRAIT_NEIGHBOR)) /* needs at most its neighbours; relaxed: no rank */
        return REPLAY_COLL_FROM_ROOT;
    return trait_in(traits, TRAIT_FROM_ROOT) ? REPLAY_COLL_FROM_ROOT
           : trait_in(traits, TRAIT_TO_ROOT) ? REPLAY_COLL_TO_ROOT
           : trait_in(traits, TRAIT_PREFIX)  ? REPLAY_COLL_PREFIX
                                             : REPLAY_COLL_ALL_TO_ALL;
}

static enum core_status next_number(struct lower *lower, uint32_t comm, int32_t *out_number)
{
    CORE_CHECK(comm < lower->program->comm_count);
    enum core_status status =
        CORE_ARRAY_ROOM_ZERO(lower->number, lower->number_room, comm + 1, A_LOWERING);
    if (status == CORE_OK)
        *out_number = (int32_t)lower->number[comm]++;
    return status;
}

enum core_status lower_place(struct lower *lower, const struct trace_event *event, bool of_window,
                             int32_t id, struct replay_op *op, bool *out_skip)
{
    int32_t comm = -1, *slot;
    *out_skip = true;
    if (id >= 0) {
        enum core_status status = CORE_OK;
        slot = &lower->comm[id];
        if (of_window && event->win >= 0)
            status = lower_window_slot(lower, event->win, &slot);
        if (status == CORE_OK)
            status = lower_comm(lower, slot, id, &comm);
        if (status != CORE_OK)
            return status;
    }
    CORE_CHECK(comm < (int32_t)lower->program->comm_count);
    if (comm < 0) {
        lower_unsupported(lower, event);
        lower->stop |= event->pending;
        return CORE_OK;
    }
    const struct replay_comm *members = &lower->program->comm[comm];
    if (members->member && members->count == 1 && op->kind == REPLAY_COLL)
        return CORE_OK;
    op->comm = (uint32_t)comm;
    *out_skip = false;
    return op->kind == REPLAY_COLL || op->kind == REPLAY_ICOLL
               ? next_number(lower, op->comm, &op->tag)
               : CORE_OK;
}

static int32_t root_of(struct lower *lower, const struct trace_event *event)
{
    if (event->root == EVENT_NONE || event->root == EVENT_PROC_NULL)
        return REPLAY_PROC_NULL;
    if (event->root == EVENT_ROOT)
        return (int32_t)lower->rank;
    int32_t root = trace_comm_world(lower->trace, event->comm, (int32_t)lower->rank, event->root);
    return root >= 0 ? root : REPLAY_PROC_NULL;
}

enum core_status lower_collective(struct lower *lower, const struct trace_event *event)
{
    struct replay_op op = {.kind = REPLAY_COLL,
                           .mode = REPLAY_COLL_ALL_TO_ALL,
                           .peer = REPLAY_PROC_NULL,
                           .bytes = event->bytes,
                           .request = REPLAY_NO_REQUEST};
    int32_t id = event->comm;
    bool skip, of_window = false;

    if (event->traits & (TRAIT_BIT(MAKES_REQUEST) | TRAIT_BIT(PERSISTENT)))
        op.kind = REPLAY_ICOLL;
    if (verb_is_coll(event->verb)) {
        op.mode = (uint8_t)shape_of(event->traits);
        if (!trait_in(event->traits, TRAIT_NEIGHBOR))
            op.peer = root_of(lower, event);
    } else if (trait_in(event->traits, TRAIT_OVER_MADE)) {
        id = event->pending || !event->request || event->request >= lower->trace->comm_count
                 ? -1
                 : (int32_t)event->request;
    } else if (trait_in(event->traits, TRAIT_WINDOW)) {
        of_window = !trait_in(event->traits, TRAIT_MAKES_WIN);
    } else if (!trait_in(event->traits, TRAIT_MAKES_COMM)) {
        /* file calls, and those that free a communicator, need no data of other ranks */
        if (!event->pending && trait_in(event->traits, TRAIT_EXPECTED_LOCAL)) {
            op.flags |= REPLAY_FLAG_LOCAL;
            lower->notes->local++;
        }
        op.mode = REPLAY_COLL_FROM_ROOT;
        of_window = event->verb != VERB_OPEN_FILE; /* a file has collectives of its own */
    }
    enum core_status status = lower_place(lower, event, of_window, id, &op, &skip);
    if (status != CORE_OK || skip)
        return status;
    CORE_CHECK(op.tag >= 0); /* lower_place numbered it */
    if (trait_in(event->traits, TRAIT_PERSISTENT)) {
        CORE_CHECK(lower->number[op.comm] > 0);
        lower->number[op.comm]--; /* starts count, creation does not */
        op.tag = -1;
        return lower_persistent(lower, event, &op);
    }
    return op.kind == REPLAY_ICOLL ? lower_start(lower, event, op, event->request)
                                   : lower_add(lower, event, op);
}

/* Begins the collective without waiting for it. */
enum core_status lower_collective_refused(struct lower *lower, const struct trace_event *event)
{
    struct replay_op op = {.kind = REPLAY_ICOLL,
                           .mode = (uint8_t)shape_of(event->traits),
                           .peer = trait_in(event->traits, TRAIT_NEIGHBOR) ? REPLAY_PROC_NULL
                                                                           : root_of(lower, event)};
    bool skip;

    if (trait_in(event->traits, TRAIT_OVER_MADE))
        return CORE_OK;
    enum core_status status = lower_place(lower, event, false, event->comm, &op, &skip);
    return status != CORE_OK || skip ? status : lower_start(lower, event, op, 0);
}
