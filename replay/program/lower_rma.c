/* Lowers one-sided epochs. Locks are separate operations. Post, start, complete and wait become
 * messages in the window's context whose sends never wait: post tells every origin that it may
 * start, complete tells every target that it is done. Start waits for the posts, and wait for the
 * completions, as a library may; so does a test that found the epoch complete. Fences are
 * collectives (lower_coll.c). */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "replay/program/lower_state.h"

enum { TAG_POSTED = 1, TAG_COMPLETED = 2 };

enum core_status lower_window_slot(struct lower *lower, int32_t win, int32_t **out_slot)
{
    struct lower_window *window;
    uint32_t before = lower->window.count;
    enum core_status status = core_table_put(&lower->window, &win, A_LOWERING, &window);

    if (status != CORE_OK)
        return status;
    if (lower->window.count > before)
        window->comm = -1;
    CORE_CHECK(window->comm < (int32_t)lower->program->comm_count);
    *out_slot = &window->comm;
    return CORE_OK;
}

static enum core_status lower_lock(struct lower *lower, const struct trace_event *event,
                                   enum replay_op_kind kind)
{
    struct replay_op op = {
        .kind = (uint8_t)kind, .mode = REPLAY_LOCK_SHARED, .request = REPLAY_NO_REQUEST};
    bool skip;

    CORE_CHECK(kind == REPLAY_LOCK || kind == REPLAY_UNLOCK);
    if (event->peer == EVENT_NONE) /* lock_all, unlock_all */
        op.peer = REPLAY_ANY;
    else if ((op.peer = trace_comm_world(lower->trace, event->comm, (int32_t)lower->rank,
                                         event->peer)) < 0)
        return CORE_OK;
    enum core_status status = lower_place(lower, event, true, event->comm, &op, &skip);
    if (status != CORE_OK || skip)
        return status;
    if (kind == REPLAY_LOCK && op.peer >= 0) {
        int64_t type = EVENT_LOCK_SHARED;
        status = trace_arg_first(lower->trace, event, "lock_type", &type);
        if (status != CORE_OK)
            return status;
        if (type == EVENT_LOCK_EXCLUSIVE)
            op.mode = REPLAY_LOCK_EXCLUSIVE;
    }
    return lower_add(lower, event, op);
}

/* --- post, start, complete, wait -------------------------------------------------------------- */

void lower_epochs_done(struct lower *lower)
{
    for (uint32_t i = 0; i < lower->epoch_count; i++) {
        free(lower->epoch[i].target);
        free(lower->epoch[i].origin);
    }
    lower->epoch_count = 0;
}

/* Finds the epoch of a window; valid until the next call. */
static enum core_status epoch_of(struct lower *lower, int32_t win, struct lower_epoch **out_epoch)
{
    uint32_t at = 0;
    enum core_status status = CORE_OK;

    while (at < lower->epoch_count && lower->epoch[at].win != win)
        at++;
    if (at == lower->epoch_count)
        status = CORE_ARRAY_PUSH(lower->epoch, lower->epoch_count, lower->epoch_room, A_LOWERING,
                                 (struct lower_epoch){.win = win});
    CORE_CHECK(status != CORE_OK || at < lower->epoch_count);
    *out_epoch = &lower->epoch[at];
    return status;
}

/* Returns a member of a group from group_of. */
static int32_t member_at(const struct lower *lower, const int64_t *member, uint32_t index)
{
    CORE_CHECK(member[index] >= 0 && member[index] < (int64_t)lower->program->rank_count);
    return (int32_t)member[index];
}

/* Loads the members of the group that the call names. */
static enum core_status group_of(struct lower *lower, const struct trace_event *event,
                                 int64_t **out_member, uint32_t *out_count)
{
    int64_t group = 0;
    enum core_status status = trace_arg_first(lower->trace, event, "group", &group);
    if (status != CORE_OK)
        return status;
    *out_member = NULL;
    *out_count = 0;
    if (group)
        status = trace_group_get(lower->trace, group, out_member, out_count);
    for (uint32_t i = 0; i < *out_count; i++)
        if ((*out_member)[i] < 0 || (*out_member)[i] >= (int64_t)lower->trace->rank_count)
            *out_count = 0;
    return status;
}

static enum core_status lower_rma_tell(struct lower *lower, const struct trace_event *event,
                                       struct replay_op op, const int64_t *member, uint32_t count)
{
    enum core_status status = CORE_OK;
    op.kind = REPLAY_ISEND;
    op.mode = REPLAY_TOKEN;
    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        op.peer = member_at(lower, member, i);
        status = lower_start(lower, event, op, 0);
    }
    return status;
}

static enum core_status lower_rma_await(struct lower *lower, const struct trace_event *event,
                                        struct replay_op op, const int64_t *member, uint32_t count)
{
    struct replay_rank *rank = &lower->program->rank[lower->rank];
    int32_t *request, set;
    enum core_status status = CORE_ARRAY_NEW(request, count, A_LOWERING);
    if (status != CORE_OK)
        return status;
    uint16_t wait_flags = op.flags;
    op.flags = 0;
    op.kind = REPLAY_IRECV;
    op.matched = REPLAY_ANY;
    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        request[i] = rank->request_count;
        op.peer = member_at(lower, member, i);
        status = lower_start(lower, event, op, 0);
    }
    if (status == CORE_OK && count)
        status = replay_program_set(lower->program, lower->rank, request, count, -1, &set);
    if (status == CORE_OK && count)
        status = lower_add(
            lower, event,
            (struct replay_op){.kind = REPLAY_WAIT_ALL, .flags = wait_flags, .request = set});
    free(request);
    return status;
}

enum core_status lower_rma(struct lower *lower, const struct trace_event *event)
{
    struct replay_op op = {.kind = REPLAY_ISEND, .request = REPLAY_NO_REQUEST};
    int64_t *member;
    uint32_t count;
    bool skip;

    if (event->verb == VERB_LOCK || event->verb == VERB_UNLOCK)
        return lower_lock(lower, event, event->verb == VERB_LOCK ? REPLAY_LOCK : REPLAY_UNLOCK);
    if (event->win < 0) {
        lower_unsupported(lower, event);
        lower->stop = true;
        return CORE_OK;
    }
    struct lower_epoch *epoch;
    enum core_status status = epoch_of(lower, event->win, &epoch);
    if (status == CORE_OK)
        status = lower_place(lower, event, true, event->comm, &op, &skip);
    if (status != CORE_OK || skip)
        return status;
    bool posts = event->verb == VERB_POST;
    if (posts || event->verb == VERB_START_EPOCH) {
        status = group_of(lower, event, &member, &count);
        if (status != CORE_OK)
            return status;
        free(posts ? epoch->origin : epoch->target);
        *(posts ? &epoch->origin : &epoch->target) = member;
        *(posts ? &epoch->origin_count : &epoch->target_count) = count;
        op.tag = TAG_POSTED;
        return posts ? lower_rma_tell(lower, event, op, member, count)
                     : lower_rma_await(lower, event, op, member, count);
    }
    op.tag = TAG_COMPLETED;
    if (event->verb == VERB_COMPLETE_EPOCH)
        return lower_rma_tell(lower, event, op, epoch->target, epoch->target_count);
    if (event->verb == VERB_TEST_EPOCH) {
        op.flags = REPLAY_FLAG_TEST;
        lower->notes->tests++;
    }
    CORE_CHECK(event->verb == VERB_TEST_EPOCH || event->verb == VERB_WAIT_EPOCH);
    return lower_rma_await(lower, event, op, epoch->origin, epoch->origin_count);
}

enum core_status lower_rma_test(struct lower *lower, const struct trace_event *event)
{
    int64_t ended = 0;
    enum core_status status = trace_arg_first(lower->trace, event, "flag", &ended);
    if (status != CORE_OK)
        return status;
    if (!ended || event->pending) {
        lower->notes->polls += event->repeat;
        return lower_poll_keep(lower->now, event);
    }
    lower_poll_forget(lower->now);
    return lower_rma(lower, event);
}
