/* Follows one-sided epochs (history.h): who posted, started and completed on which window, and
 * which locks are held. A lock counts as held once the call returned, although a library may
 * acquire it later: then the call does not block, and no rank is found waiting in it. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/history/history.h"
#include "core/spool/spool_read.h"

/* --- post, start, complete, wait -------------------------------------------------------------- */

void history_epochs_free(struct history_epochs *epochs)
{
    if (!epochs)
        return;
    free(epochs->posted);
    free(epochs->started);
    free(epochs->completed);
    free(epochs->in_post);
    free(epochs->in_start);
    free(epochs);
}

struct history_epochs *history_epochs_of(struct history *history, struct history_space *space)
{
    size_t ranks = history->rank_count + 1;
    struct history_epochs *made;

    CORE_CHECK(space->key.kind == HISTORY_SPACE_WIN);
    if (space->epochs)
        return space->epochs;
    made = calloc(1, sizeof *made);
    if (made)
        *made = (struct history_epochs){.posted = calloc(ranks, sizeof *made->posted),
                                        .started = calloc(ranks, sizeof *made->started),
                                        .completed = calloc(ranks, sizeof *made->completed),
                                        .in_post = calloc(ranks, sizeof *made->in_post),
                                        .in_start = calloc(ranks, sizeof *made->in_start)};
    if (!made || !made->posted || !made->started || !made->completed || !made->in_post ||
        !made->in_start) {
        history_epochs_free(made);
        history->unclear = true;
        return NULL;
    }
    return space->epochs = made;
}

static void group_begin(struct history *history, struct history_space *space,
                        const struct history_group *group, uint32_t *count, bool *in)
{
    memset(in, 0, history->rank_count * sizeof *in);
    for (uint32_t i = 0; group && i < group->size; i++) {
        if (group->member[i] < 0 || (uint32_t)group->member[i] >= history->rank_count) {
            space->uneven = true;
            return;
        }
        count[group->member[i]]++;
        in[group->member[i]] = true;
    }
    space->uneven |= !group;
}

static void epoch_post(struct history *history, struct history_space *space, enum event_class class,
                       const struct history_group *group)
{
    struct history_epochs *epochs = history_epochs_of(history, space);

    if (!epochs)
        return;
    switch (class) {
    case EVENT_CLASS_RMA_POST:
        group_begin(history, space, group, epochs->posted, epochs->in_post);
        break;
    case EVENT_CLASS_RMA_START:
        group_begin(history, space, group, epochs->started, epochs->in_start);
        break;
    case EVENT_CLASS_RMA_COMPLETE:
        for (uint32_t r = 0; r < history->rank_count; r++)
            epochs->completed[r] += epochs->in_start[r];
        memset(epochs->in_start, 0, history->rank_count * sizeof *epochs->in_start);
        break;
    default: /* wait */
        memset(epochs->in_post, 0, history->rank_count * sizeof *epochs->in_post);
        break;
    }
}

/* --- locks ------------------------------------------------------------------------------------ */

static void lock_take(struct history *history, struct history_rank *rank,
                      const struct history_lock *lock)
{
    if (CORE_ARRAY_PUSH(rank->lock, rank->lock_count, rank->lock_room, "locks of windows", *lock))
        history->unclear = true;
}

static void lock_leave(struct history_rank *rank, const struct history_lock *lock)
{
    for (uint32_t i = rank->lock_count; i-- > 0;)
        if (rank->lock[i].win == lock->win && rank->lock[i].target == lock->target) {
            rank->lock[i] = rank->lock[--rank->lock_count];
            return;
        }
}

static void lock_use(struct history_rank *rank, uint64_t win, int32_t target)
{
    for (uint32_t i = 0; i < rank->lock_count; i++)
        if (rank->lock[i].win == win &&
            (rank->lock[i].target == EVENT_ANY || rank->lock[i].target == target))
            rank->lock[i].op_target = target;
}

/* target: EVENT_ANY for all. */
static void lock_flush(struct history_rank *rank, uint64_t win, int32_t target)
{
    for (uint32_t i = 0; i < rank->lock_count; i++)
        if (rank->lock[i].win == win && (target == EVENT_ANY || rank->lock[i].op_target == target))
            rank->lock[i].sure_target = rank->lock[i].op_target;
}

/* --- all -------------------------------------------------------------------------------------- */

void history_epoch_post(struct history *history, struct history_rank *rank,
                        const struct spool_event *event, const int64_t *arg, uint32_t arg_count)
{
    const struct history_call *call = &rank->call[event->head.a];
    enum event_class class = (enum event_class)call->class;
    struct history_space *space = history_space_find(rank, HISTORY_SPACE_WIN, event->comm);
    const struct history_group *group = NULL;
    struct history_lock lock = {.op_target = EVENT_NONE, .sure_target = EVENT_NONE};

    CORE_CHECK(event->head.a < rank->call_count);
    if (!space)
        return; /* its other calls are not followed either */
    lock.win = space->global;
    lock.target = event->peer < 0 ? EVENT_ANY : history_space_world(space, event->peer);
    if (class == EVENT_CLASS_RMA) {
        lock_use(rank, lock.win, lock.target);
        return;
    }
    if (class == EVENT_CLASS_RMA_FLUSH) {
        if (!trait_in(call->traits, TRAIT_AT_ORIGIN))
            lock_flush(rank, lock.win, lock.target);
        return;
    }
    if (class == EVENT_CLASS_RMA_TEST) { /* whether it ended the epoch is unknown */
        space->uneven = true;
        return;
    }
    if (class != EVENT_CLASS_RMA_LOCK && class != EVENT_CLASS_RMA_UNLOCK) {
        if (call->group_arg >= 0 && (uint32_t)call->group_arg < arg_count)
            group = history_group_find(rank, (uint32_t)arg[call->group_arg]);
        epoch_post(history, space, class, group);
        return;
    }
    lock.exclusive = call->lock_arg >= 0 && (uint32_t)call->lock_arg < arg_count &&
                     arg[call->lock_arg] == EVENT_LOCK_EXCLUSIVE;
    if (event->peer == EVENT_PROC_NULL)
        return;
    if (class == EVENT_CLASS_RMA_LOCK)
        lock_take(history, rank, &lock);
    else
        lock_leave(rank, &lock);
}
