/* Handles passive-target locks on the timed clock: grants them in the order of requests, shared
 * ones together. A lock costs nothing but the wait. */
#include "core/array.h"
#include "replay/timed/timed_state.h"

struct lock { /* a target in a window */
    uint32_t comm;
    int32_t target;
    uint32_t shared;     /* number of holders */
    int exclusive;       /* held exclusively */
    uint32_t head, tail; /* list of waiting ranks */
};

struct wait {
    uint32_t rank, next;
    int exclusive;
};

struct timed_locks {
    struct lock *lock;
    struct wait *wait;
    uint32_t lock_count, lock_room, wait_count, wait_room;
};

void timed_lock_done(struct timed_engine *e)
{
    if (!e->locks)
        return;
    free(e->locks->lock);
    free(e->locks->wait);
    free(e->locks);
}

static int no_memory(struct timed_engine *e)
{
    if (e->status == CORE_OK)
        e->status = core_report(CORE_NO_MEMORY, "out of memory for locks");
    return 0;
}

static int timed_lock_room(struct timed_engine *e)
{
    struct timed_locks *l = e->locks;
    if (!l) {
        l = e->locks = core_alloc_zero(1, sizeof *l);
        if (!l)
            return no_memory(e);
        l->wait_count = 1;
    }
    if (timed_failed(e, CORE_ARRAY_ROOM(l->lock, l->lock_room, l->lock_count + 1, "locks")) ||
        timed_failed(e, CORE_ARRAY_ROOM(l->wait, l->wait_room, l->wait_count + 1, "locks")))
        return 0;
    return 1;
}

/* Finds or adds a lock by linear search: windows and targets are few. */
static struct lock *lock_find(struct timed_engine *e, const struct replay_op *op)
{
    if (!timed_lock_room(e))
        return NULL;
    struct timed_locks *l = e->locks;
    for (uint32_t i = 0; i < l->lock_count; i++)
        if (l->lock[i].comm == op->comm && l->lock[i].target == op->peer)
            return &l->lock[i];
    l->lock[l->lock_count] = (struct lock){.comm = op->comm, .target = op->peer};
    return &l->lock[l->lock_count++];
}

static int timed_lock_grant(struct lock *lock, int exclusive)
{
    CORE_CHECK(!lock->exclusive || !lock->shared);
    if (lock->exclusive || (exclusive && lock->shared))
        return 0;
    if (exclusive)
        lock->exclusive = 1;
    else
        lock->shared++;
    return 1;
}

int timed_lock_take(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    int exclusive = op->mode == REPLAY_LOCK_EXCLUSIVE;
    struct lock *lock = lock_find(e, op);
    struct timed_rank *r = &e->rank[rank];

    if (!lock || op->peer < 0 || (!lock->head && timed_lock_grant(lock, exclusive)))
        return 0;
    CORE_CHECK(e->locks->wait_count < e->locks->wait_room); /* lock_find made room */
    CORE_CHECK(!(r->flags & (RANK_BLOCKED | RANK_ENDED)));  /* timed_state.h invariant 2 */
    uint32_t made = e->locks->wait_count++;
    e->locks->wait[made] = (struct wait){.rank = rank, .exclusive = exclusive};
    if (lock->head)
        e->locks->wait[lock->tail].next = made;
    else
        lock->head = made;
    lock->tail = made;
    r->pending = 1;
    r->flags |= RANK_BLOCKED;
    r->blocked_at = e->now;
    return 1;
}

void timed_lock_release(struct timed_engine *e, uint32_t rank, const struct replay_op *op)
{
    struct lock *lock = lock_find(e, op);
    if (!lock || op->peer < 0)
        return;
    if (lock->exclusive)
        lock->exclusive = 0;
    else if (lock->shared)
        lock->shared--;
    while (lock->head && timed_lock_grant(lock, e->locks->wait[lock->head].exclusive)) {
        uint32_t next = e->locks->wait[lock->head].rank;
        lock->head = e->locks->wait[lock->head].next;
        timed_column_add(e, COLUMN_LATE_SENDER, next,
                         e->now - e->rank[next].blocked_at); /* another rank holds it up */
        timed_rank_complete(e, next, WHOLE_OP, e->cause ? e->cause[rank].rank : 0, NULL, e->now);
    }
}
