/* Runs collectives as one operation, and the locks of passive one-sided epochs.
 *
 * Under coll=synchronising a rank leaves when all members have entered. Under coll=relaxed it waits
 * only as the standard requires: for data of all ranks (all-to-all shapes; on an intercommunicator,
 * of the other group), of the root, of the ranks below it, or for nothing. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "replay/logical/run_state.h"

static uint32_t comm_count(const struct replay_run *run, uint32_t comm)
{
    CORE_CHECK_HOT(comm < run->program->comm_count);
    const struct replay_comm *c = &run->program->comm[comm];
    return c->member ? c->count : run->program->rank_count;
}

static uint32_t bucket_of(const struct replay_run *run, uint32_t comm, uint32_t number)
{
    return ((comm * 0x9E3779B1u) + number) & ((1u << run->coll_bits) - 1);
}

/* Returns NULL if no rank has entered the collective, or all have left it. */
static const struct coll_state *run_coll_find(const struct replay_run *run, uint32_t comm,
                                              uint32_t number)
{
    if (!run->coll_bucket)
        return NULL;
    for (uint32_t at = run->coll_bucket[bucket_of(run, comm, number)]; at; at = run->coll[at].next)
        if (run->coll[at].comm == comm && run->coll[at].number == number)
            return &run->coll[at];
    return NULL;
}

/* Appends to an array that counts from 1 and returns the new index; 0: out of memory. */
#define NEXT(run, array, top, room) \
    (CORE_ARRAY_ROOM(array, room, (uint64_t)(top) + 2, "a replay") ? failed(run) : ++(top))

static uint32_t failed(struct replay_run *run)
{
    run->failed = CORE_NO_MEMORY;
    return 0;
}

/* Grows the hash table. Collectives come and go, so their entries are reused, in chains with a free
 * list; core/table.h would never free one. */
static void buckets_grow(struct replay_run *run)
{
    CORE_CHECK(run->coll_bits < 31);
    uint32_t bits = run->coll_bucket ? run->coll_bits + 1 : 6;
    uint32_t *larger = calloc((size_t)1 << bits, sizeof *larger);
    if (!larger) {
        if (!run->coll_bucket)
            run->failed = core_report(CORE_NO_MEMORY, "out of memory for a replay");
        return;
    }
    uint32_t *old = run->coll_bucket, count = old ? 1u << run->coll_bits : 0;
    run->coll_bucket = larger;
    run->coll_bits = bits;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t at = old[i], next; at; at = next) {
            uint32_t bucket = bucket_of(run, run->coll[at].comm, run->coll[at].number);
            next = run->coll[at].next;
            run->coll[at].next = larger[bucket];
            larger[bucket] = at;
        }
    free(old);
}

static struct coll_state *coll_new(struct replay_run *run, const struct replay_op *op,
                                   uint32_t rank, uint32_t index)
{
    uint32_t at = run->coll_free;
    if (!run->coll_bucket || run->coll_used > 1u << run->coll_bits)
        buckets_grow(run);
    if (!run->coll_bucket)
        return NULL;
    if (at)
        run->coll_free = run->coll[at].next;
    else if (!(at = NEXT(run, run->coll, run->coll_top, run->coll_room)))
        return NULL;
    uint32_t *bucket = &run->coll_bucket[bucket_of(run, op->comm, (uint32_t)op->tag)];
    run->coll[at] = (struct coll_state){.comm = op->comm,
                                        .number = (uint32_t)op->tag,
                                        .first_rank = rank,
                                        .first_op = index,
                                        .root_rank = UINT32_MAX,
                                        .next = *bucket};
    *bucket = at;
    CORE_CHECK_HOT(run->coll_used < run->coll_top);
    run->coll_used++;
    return &run->coll[at];
}

static void coll_drop(struct replay_run *run, struct coll_state *coll)
{
    uint32_t at = (uint32_t)(coll - run->coll);
    uint32_t *place = &run->coll_bucket[bucket_of(run, coll->comm, coll->number)];
    CORE_CHECK_HOT(at > 0 && at <= run->coll_top);
    CORE_CHECK_HOT(!coll->waiter && run->coll_used > 0);
    while (*place != at) {
        CORE_CHECK_HOT(*place);
        place = &run->coll[*place].next;
    }
    *place = coll->next;
    free(coll->came);
    coll->came = NULL;
    coll->next = run->coll_free;
    run->coll_free = at;
    run->coll_used--;
}

static bool is_ready(const struct replay_run *run, const struct coll_state *coll, uint32_t rank,
                     uint32_t index)
{
    const struct replay_op *op = &run->program->rank[rank].op[index];
    const struct replay_comm *comm = &run->program->comm[op->comm];
    uint32_t count = comm_count(run, op->comm);

    CORE_CHECK_HOT(coll->comm == op->comm && coll->number == (uint32_t)op->tag);
    CORE_CHECK_HOT(coll->arrived > 0 && coll->arrived_remote <= coll->arrived);
    if (coll->arrived == count)
        return true;
    if (run->policy->coll != REPLAY_RELAXED)
        return run->policy->coll != REPLAY_STRICT && (op->flags & REPLAY_FLAG_LOCAL);
    switch ((enum replay_coll_shape)op->mode) {
    case REPLAY_COLL_ALL_TO_ALL: {
        if (!comm->remote)
            return false;
        bool local = replay_comm_index(&run->program->comm[op->comm], rank) < comm->remote;
        return local ? coll->arrived_remote == count - comm->remote
                     : coll->arrived - coll->arrived_remote == comm->remote;
    }
    case REPLAY_COLL_FROM_ROOT:
        return op->peer < 0 || op->peer == (int32_t)rank || coll->root_rank == (uint32_t)op->peer;
    case REPLAY_COLL_TO_ROOT: {
        if (op->peer != (int32_t)rank || op->peer < 0)
            return true;
        if (!comm->remote)
            return false;
        bool local = replay_comm_index(&run->program->comm[op->comm], rank) < comm->remote;
        return local ? coll->arrived_remote == count - comm->remote
                     : coll->arrived - coll->arrived_remote == comm->remote;
    }
    case REPLAY_COLL_PREFIX:
        return coll->came &&
               replay_comm_index(&run->program->comm[op->comm], rank) < coll->frontier;
    }
    return false;
}

/* Checks that ranks agree on the shape and root of the collective; the checkers examine more. */
static void check_agreement(struct replay_run *run, const struct coll_state *coll, uint32_t rank,
                            uint32_t index)
{
    const struct replay_op *op = &run->program->rank[rank].op[index];
    const struct replay_op *first = &run->program->rank[coll->first_rank].op[coll->first_op];
    bool rooted = op->mode == REPLAY_COLL_FROM_ROOT || op->mode == REPLAY_COLL_TO_ROOT;

    CORE_CHECK_HOT(first->comm == op->comm && first->tag == op->tag);
    if (op->mode == first->mode &&
        (!rooted || op->peer == first->peer || op->peer < 0 || first->peer < 0))
        return;
    run_error(run, &(struct replay_error){.kind = REPLAY_ERROR_COLLECTIVE,
                                          .rank = rank,
                                          .op = index,
                                          .event = op->event,
                                          .other_rank = (int32_t)coll->first_rank,
                                          .other_op = coll->first_op,
                                          .other_event = first->event});
}

static void prefix_came(struct replay_run *run, struct coll_state *coll, uint32_t member)
{
    uint32_t count = comm_count(run, coll->comm);
    if (!coll->came && !(coll->came = calloc(count, 1))) {
        run->failed = core_report(CORE_NO_MEMORY, "out of memory for a replay");
        return;
    }
    CORE_CHECK(member < count);
    coll->came[member] = 1;
    while (coll->frontier < count && coll->came[coll->frontier])
        coll->frontier++;
    CORE_CHECK(coll->frontier <= count);
}

static void run_coll_release(struct replay_run *run, struct coll_state *coll)
{
    uint32_t *place = &coll->waiter;
    while (*place) {
        CORE_CHECK_HOT(*place <= run->coll_waiter_top);
        struct coll_waiter *waiter = &run->coll_waiter[*place];
        const struct replay_op *op = &run->program->rank[waiter->rank].op[waiter->op];
        if (!is_ready(run, coll, waiter->rank, waiter->op)) {
            place = &waiter->next;
            continue;
        }
        uint32_t at = *place;
        *place = waiter->next;
        waiter->next = run->coll_waiter_free;
        run->coll_waiter_free = at;
        CORE_CHECK_HOT(op->kind == REPLAY_COLL || op->kind == REPLAY_ICOLL);
        if (op->kind == REPLAY_ICOLL)
            run_request_done(run, waiter->rank, op->request);
        else
            run_blocking_done(run, waiter->rank, waiter->op);
    }
}

bool run_coll_enter(struct replay_run *run, uint32_t rank, uint32_t index)
{
    const struct replay_op *op = &run->program->rank[rank].op[index];
    const struct replay_comm *comm = &run->program->comm[op->comm];
    struct coll_state *coll = (struct coll_state *)run_coll_find(run, op->comm, (uint32_t)op->tag);
    uint32_t count = comm_count(run, op->comm);

    if (!coll && !(coll = coll_new(run, op, rank, index)))
        return false;
    coll->arrived++;
    bool relaxed = run->policy->coll == REPLAY_RELAXED;
    if (relaxed && (comm->remote || op->mode == REPLAY_COLL_PREFIX)) {
        uint32_t member = replay_comm_index(&run->program->comm[op->comm], rank);
        coll->arrived_remote += comm->remote && member >= comm->remote;
        if (op->mode == REPLAY_COLL_PREFIX && member != UINT32_MAX)
            prefix_came(run, coll, member);
    }
    if (op->peer == (int32_t)rank)
        coll->root_rank = rank;
    check_agreement(run, coll, rank, index);
    if (coll->arrived == count || (relaxed && coll->waiter))
        run_coll_release(run, coll);
    bool ready = is_ready(run, coll, rank, index);
    if (!ready) {
        uint32_t at = run->coll_waiter_free;
        if (at)
            run->coll_waiter_free = run->coll_waiter[at].next;
        else if (!(at = NEXT(run, run->coll_waiter, run->coll_waiter_top, run->coll_waiter_room)))
            return false;
        run->coll_waiter[at] =
            (struct coll_waiter){.rank = rank, .op = index, .next = coll->waiter};
        coll->waiter = at;
    }
    CORE_CHECK_HOT(coll->arrived != count || !coll->waiter || run->failed != CORE_OK);
    if (coll->arrived == count && !coll->waiter)
        coll_drop(run, coll);
    return ready;
}

/* --- locks ------------------------------------------------------------------------------------ */

static struct lock_state *lock_find(struct replay_run *run, uint32_t comm, uint32_t target)
{
    for (uint32_t i = 1; i <= run->lock_count; i++)
        if (run->lock[i].comm == comm && run->lock[i].target == target)
            return &run->lock[i];
    uint32_t at = NEXT(run, run->lock, run->lock_count, run->lock_room);
    if (!at)
        return NULL;
    run->lock[at] = (struct lock_state){.comm = comm, .target = target};
    return &run->lock[at];
}

static uint32_t lock_waiter_new(struct replay_run *run, uint32_t rank, uint32_t op, uint32_t next)
{
    uint32_t at = run->lock_waiter_free;
    if (at)
        run->lock_waiter_free = run->lock_waiter[at].next;
    else if (!(at = NEXT(run, run->lock_waiter, run->lock_waiter_top, run->lock_waiter_room)))
        return 0;
    run->lock_waiter[at] = (struct lock_waiter){.rank = rank, .op = op, .next = next};
    return at;
}

static void hold_lock(struct replay_run *run, struct lock_state *lock, uint32_t rank, uint32_t op,
                      bool exclusive)
{
    CORE_CHECK(!lock->holder || (!exclusive && !lock->exclusive)); /* all shared, or a single one */
    lock->holder = lock_waiter_new(run, rank, op, lock->holder);
    lock->exclusive = exclusive;
}

/* Tells whether the lock can be taken. A lock of all targets counts as a shared lock without a
 * target: it and an exclusive lock of any target exclude each other. */
static bool lock_is_free(const struct replay_run *run, const struct lock_state *lock,
                         bool exclusive)
{
    if (lock->holder && (exclusive || lock->exclusive))
        return false;
    for (uint32_t i = 1; i <= run->lock_count && (exclusive || lock->target == RUN_LOCK_ALL); i++) {
        const struct lock_state *other = &run->lock[i];
        if (other->comm == lock->comm && other->holder &&
            (lock->target == RUN_LOCK_ALL ? other->exclusive : other->target == RUN_LOCK_ALL))
            return false;
    }
    return true;
}

bool run_lock_enter(struct replay_run *run, uint32_t rank, uint32_t index)
{
    const struct replay_op *op = &run->program->rank[rank].op[index];
    bool exclusive = op->mode == REPLAY_LOCK_EXCLUSIVE;
    if (run->policy->coll == REPLAY_RELAXED || op->peer == REPLAY_PROC_NULL)
        return true;
    struct lock_state *lock = lock_find(run, op->comm, (uint32_t)op->peer);
    if (!lock)
        return false;
    CORE_CHECK(lock->comm == op->comm && lock->target == (uint32_t)op->peer);
    if (lock_is_free(run, lock, exclusive) && !lock->waiter) {
        hold_lock(run, lock, rank, index, exclusive);
        return true;
    }
    uint32_t at = lock_waiter_new(run, rank, index, 0);
    if (lock->waiter)
        run->lock_waiter[lock->waiter_last].next = at;
    else
        lock->waiter = at;
    lock->waiter_last = at;
    return false;
}

/* Gives the lock to as many waiting ranks as possible, in the order in which they came. */
static void grant_lock(struct replay_run *run, struct lock_state *lock)
{
    while (lock->waiter) {
        CORE_CHECK(lock->waiter <= run->lock_waiter_top && lock->waiter_last);
        uint32_t at = lock->waiter, rank = run->lock_waiter[at].rank, op = run->lock_waiter[at].op;
        bool exclusive = run->program->rank[rank].op[op].mode == REPLAY_LOCK_EXCLUSIVE;
        if (!lock_is_free(run, lock, exclusive))
            return;
        lock->waiter = run->lock_waiter[at].next;
        run->lock_waiter[at].next = run->lock_waiter_free;
        run->lock_waiter_free = at;
        hold_lock(run, lock, rank, op, exclusive);
        run_blocking_done(run, rank, op);
    }
}

void run_lock_leave(struct replay_run *run, uint32_t rank, const struct replay_op *op)
{
    if (run->policy->coll == REPLAY_RELAXED || op->peer == REPLAY_PROC_NULL)
        return;
    struct lock_state *lock = lock_find(run, op->comm, (uint32_t)op->peer);
    if (!lock)
        return;
    for (uint32_t *place = &lock->holder; *place; place = &run->lock_waiter[*place].next)
        if (run->lock_waiter[*place].rank == rank) {
            uint32_t at = *place;
            *place = run->lock_waiter[at].next;
            run->lock_waiter[at].next = run->lock_waiter_free;
            run->lock_waiter_free = at;
            break;
        }
    grant_lock(run, lock);
    for (uint32_t i = 1; i <= run->lock_count; i++) /* a lock of all targets affects each */
        if (run->lock[i].comm == op->comm && (op->peer < 0 || run->lock[i].target == RUN_LOCK_ALL))
            grant_lock(run, &run->lock[i]);
}

void run_coll_reset(struct replay_run *run)
{
    CORE_CHECK(run->coll_used <= run->coll_top);
    for (uint32_t i = 1; i <= run->coll_top && run->coll_used; i++)
        free(run->coll[i].came);
    if (run->coll_bucket && run->coll_used)
        memset(run->coll_bucket, 0, sizeof *run->coll_bucket << run->coll_bits);
    run->coll_top = run->coll_free = run->coll_used = 0;
    run->coll_waiter_top = run->coll_waiter_free = 0;
    run->lock_count = run->lock_waiter_top = run->lock_waiter_free = 0;
}

void run_coll_done(struct replay_run *run)
{
    run_coll_reset(run);
    free(run->coll);
    free(run->coll_bucket);
    free(run->coll_waiter);
    free(run->lock);
    free(run->lock_waiter);
}
