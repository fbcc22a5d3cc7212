/* Synchronisation of windows: fences, post-start-complete-wait, locks. A rank that cannot continue
 * waits on the part that it needs and checks again when anything there has changed. MPI_Win_start
 * and MPI_Win_lock wait for the other side, as MPI allows. */
#include "world/exchange/rma.h"

#include "world/exchange/explore_access.h"

static void rma_sync_await(struct world_part *part, const char *what)
{
    struct world_fiber *fiber = WORLD->fiber;
    CORE_CHECK(fiber->is_rank);
    struct world_waiting *made = world_alloc(sizeof *made);
    *made = (struct world_waiting){NULL, fiber};
    struct world_waiting **link = &part->waiting;
    while (*link)
        link = &(*link)->next;
    *link = made;
    fiber->why = world_text("waits for %s of rank %d's window", what, part->rank->rank);
    world_fiber_block();
    fiber->why = NULL;
}

/* Checks the window before an epoch begins. */
static int rma_sync_use(MPI_Win win)
{
    int code = world_win_check(win);
    if (!code)
        world_turn_uses(&win->comm);
    return code;
}

static void rma_sync_changed(struct world_part *part)
{
    struct world_waiting *waiting = part->waiting;
    part->waiting = NULL;
    for (; waiting; waiting = waiting->next)
        world_fiber_ready(waiting->fiber);
}

/* Lets others run first after a call that brought nothing new, and detects a program that only
 * polls. */
static void let_others(bool news)
{
    if (news)
        world_fiber_yield();
    else
        world_poll_failed();
}

/* --- fences ----------------------------------------------------------------------------------- */

static bool passive_part(MPI_Win win)
{
    bool held = false;
    for (int i = 0; i < win->comm.size; i++)
        held |= win->held[i] != 0;
    return held;
}

static bool rma_sync_passive(MPI_Win win)
{
    return win->held_all || passive_part(win);
}

int MPI_Win_fence(int assert, MPI_Win win)
{
    ENTER("MPI_Win_fence");
    world_rma_event(-1, 0);
    int code = world_win_check(win);
    if (code)
        return code;
    if (rma_sync_passive(win) || win->in_start || win->part[win->comm.rank]->exposed)
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "another epoch is open");
    if ((assert &MPI_MODE_NOPRECEDE) && win->pending)
        return WIN_ERROR(win, MPI_ERR_ASSERT, "MPI_MODE_NOPRECEDE, and %s precedes",
                         win->pending->call);
    world_rma_complete(win, -1);
    CORE_CHECK(!win->pending); /* no operation crosses a fence */
    world_meet(&win->comm, NULL);
    win->fenced = !(assert &MPI_MODE_NOSUCCEED);
    return MPI_SUCCESS;
}

/* --- post, start, complete, wait -------------------------------------------------------------- */

/* Sets mark[i] for each member of the window in the group; returns -1 if a rank of the group is no
 * member. */
static int rma_sync_members(MPI_Win win, MPI_Group group, uint8_t *mark)
{
    for (int g = 0; g < group->size; g++) {
        int i = 0;
        while (i < win->comm.size && win->comm.member[i] != group->member[g])
            i++;
        if (i == win->comm.size)
            return -1;
        mark[i] = 1;
    }
    return group->size;
}

/* Makes the request that MPI_Win_test tests: the end of the exposure epoch. */
static struct ompi_request_t *epoch_new(MPI_Win win)
{
    struct ompi_request_t *epoch = world_zalloc(sizeof *epoch);
    CORE_CHECK(WORLD->explore);
    epoch->kind = REQUEST_EPOCH;
    epoch->owner = ME;
    epoch->active = true;
    epoch->comm = &win->comm;
    epoch->peer = MPI_PROC_NULL;
    epoch->serial = ++WORLD->serial;
    epoch->number = ++ME->epoch_count;
    epoch->complete = epoch->seen = !win->part[win->comm.rank]->missing;
    return epoch;
}

int MPI_Win_post(MPI_Group group, int assert, MPI_Win win)
{
    ENTER("MPI_Win_post");
    world_rma_event(-1, 0);
    (void)assert;
    int code = rma_sync_use(win);
    if (code)
        return code;
    struct world_part *mine = win->part[win->comm.rank];
    uint8_t *mark = world_zalloc((size_t)win->comm.size);
    if (!handle_good(group, HANDLE_GROUP) || rma_sync_members(win, group, mark) < 0)
        return WIN_ERROR(win, MPI_ERR_GROUP, "the group is null, freed or not of the window");
    if (mine->exposed)
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "an exposure epoch is open already");
    win->fenced = false;
    CORE_CHECK(mine->missing == 0); /* the previous exposure epoch has ended */
    mine->exposed = true;
    mine->missing = group->size;
    mine->posted_causes = WORLD->fiber->causes;
    mine->completed_causes = NULL;
    if (UNLIKELY(WORLD->explore != NULL))
        mine->epoch = epoch_new(win);
    for (int i = 0; i < win->comm.size; i++) {
        mine->posted[i] |= mark[i];
        if (mark[i])
            world_gate_give(GATE_POSTED, mine->object, ME->rank, i);
    }
    rma_sync_changed(mine);
    return MPI_SUCCESS;
}

int MPI_Win_start(MPI_Group group, int assert, MPI_Win win)
{
    ENTER("MPI_Win_start");
    world_rma_event(-1, 0);
    (void)assert;
    int code = rma_sync_use(win);
    if (code)
        return code;
    uint8_t *mark = world_zalloc((size_t)win->comm.size);
    if (!handle_good(group, HANDLE_GROUP) || rma_sync_members(win, group, mark) < 0)
        return WIN_ERROR(win, MPI_ERR_GROUP, "the group is null, freed or not of the window");
    if (win->in_start || rma_sync_passive(win))
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "another access epoch is open");
    for (int i = 0; i < win->comm.size; i++) {
        struct world_part *part = win->part[i];
        while (mark[i] && !part->posted[win->comm.rank])
            rma_sync_await(part, "the post");
        CORE_CHECK(!mark[i] || part->exposed);
        if (mark[i]) {
            part->posted[win->comm.rank] = 0;
            world_gate_need(GATE_POSTED, part->object, part->rank->rank, win->comm.rank);
            WORLD->fiber->causes = world_causes_join(WORLD->fiber->causes, part->posted_causes);
        }
    }
    memcpy(win->started, mark, (size_t)win->comm.size);
    win->fenced = false;
    win->in_start = true;
    return MPI_SUCCESS;
}

int MPI_Win_complete(MPI_Win win)
{
    ENTER("MPI_Win_complete");
    world_rma_event(-1, 0);
    int code = world_win_check(win);
    if (code)
        return code;
    if (!win->in_start)
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "no epoch was started");
    world_rma_complete(win, -1);
    CORE_CHECK(!win->pending);
    for (int i = 0; i < win->comm.size; i++)
        if (win->started[i]) {
            CORE_CHECK(win->part[i]->missing > 0 && win->part[i]->exposed);
            win->part[i]->missing--;
            world_gate_give(GATE_COMPLETED, win->part[i]->object, win->part[i]->rank->rank, 0);
            win->part[i]->completed_causes =
                world_causes_join(win->part[i]->completed_causes, WORLD->fiber->causes);
            if (win->part[i]->epoch && !win->part[i]->missing) {
                win->part[i]->epoch->done_causes = win->part[i]->completed_causes;
                world_request_complete(win->part[i]->epoch);
            }
            rma_sync_changed(win->part[i]);
        }
    memset(win->started, 0, (size_t)win->comm.size);
    win->in_start = false;
    return MPI_SUCCESS;
}

static int rma_sync_exposed(MPI_Win win, struct world_part **out_mine)
{
    int code = world_win_check(win);
    if (code)
        return code;
    *out_mine = win->part[win->comm.rank];
    if (!(*out_mine)->exposed)
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "no exposure epoch is open");
    return MPI_SUCCESS;
}

static void exposure_end(struct world_part *mine)
{
    CORE_CHECK(mine->exposed && !mine->missing);
    mine->exposed = false;
    world_gate_need(GATE_COMPLETED, mine->object, ME->rank, 0);
    WORLD->fiber->causes = world_causes_join(WORLD->fiber->causes, mine->completed_causes);
}

int MPI_Win_wait(MPI_Win win)
{
    ENTER("MPI_Win_wait");
    world_rma_event(-1, 0);
    struct world_part *mine;
    int code = rma_sync_exposed(win, &mine);
    if (code)
        return code;
    while (mine->missing)
        rma_sync_await(mine, "the users");
    exposure_end(mine);
    return MPI_SUCCESS;
}

int MPI_Win_test(MPI_Win win, int *flag)
{
    ENTER("MPI_Win_test");
    struct world_part *mine;
    int code = rma_sync_exposed(win, &mine);
    if (code)
        return code;
    *flag = UNLIKELY(WORLD->explore != NULL)
                ? world_explore_wait(EXPLORE_ALL, 1, &mine->epoch, true) != 0
                : !mine->missing;
    CORE_CHECK(!*flag || !mine->missing);
    if (*flag)
        exposure_end(mine);
    else
        world_poll_failed();
    return MPI_SUCCESS;
}

/* --- locks ------------------------------------------------------------------------------------ */

static void need_unlocked(const struct world_part *part, bool exclusive)
{
    world_gate_need(GATE_EXCLUSIVE, part->object, part->rank->rank, 0);
    if (exclusive)
        world_gate_need(GATE_SHARED, part->object, part->rank->rank, 0);
}

int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
{
    ENTER("MPI_Win_lock");
    int code = rma_sync_use(win);
    if (code)
        return code;
    if (lock_type != MPI_LOCK_SHARED && lock_type != MPI_LOCK_EXCLUSIVE)
        return WIN_ERROR(win, MPI_ERR_LOCKTYPE, "lock type %d", lock_type);
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    if (rank < 0 || rank >= win->comm.size)
        return WIN_ERROR(win, MPI_ERR_RANK, "rank %d of %d", rank, win->comm.size);
    world_rma_event(win->comm.member[rank], 0);
    if (win->held[rank] || win->held_all || win->in_start)
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "another access epoch is open");
    win->fenced = false;
    struct world_part *part = win->part[rank];
    if (assert & MPI_MODE_NOCHECK) {
        win->held[rank] = RMA_NO_CHECK;
        return MPI_SUCCESS;
    }
    bool exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
    if (UNLIKELY(WORLD->explore != NULL))
        world_access_lock(part, exclusive);
    while (part->holders < 0 || (exclusive && part->holders))
        rma_sync_await(part, "the lock");
    CORE_CHECK(exclusive ? part->holders == 0 : part->holders >= 0); /* rma.h invariant 3 */
    part->holders += exclusive ? -1 : 1;
    need_unlocked(part, exclusive);
    win->held[rank] = exclusive ? RMA_EXCLUSIVE : RMA_SHARED;
    return MPI_SUCCESS;
}

static void rma_sync_release(MPI_Win win, int rank)
{
    struct world_part *part = win->part[rank];
    CORE_CHECK(win->held[rank] == RMA_NO_CHECK ||
               (win->held[rank] == RMA_EXCLUSIVE ? part->holders == -1
                                                 : part->holders > 0)); /* rma.h invariant 3 */
    bool exclusive = win->held[rank] == RMA_EXCLUSIVE;
    if (win->held[rank] != RMA_NO_CHECK) {
        part->holders += exclusive ? 1 : -1;
        world_gate_give(exclusive ? GATE_EXCLUSIVE : GATE_SHARED, part->object, part->rank->rank,
                        0);
    }
    if (UNLIKELY(WORLD->explore != NULL) && win->held[rank] != RMA_NO_CHECK)
        world_access_unlocked(part, exclusive);
    win->held[rank] = 0;
    rma_sync_changed(part);
}

int MPI_Win_unlock(int rank, MPI_Win win)
{
    ENTER("MPI_Win_unlock");
    int code = world_win_check(win);
    if (code || rank == MPI_PROC_NULL)
        return code;
    if (rank < 0 || rank >= win->comm.size)
        return WIN_ERROR(win, MPI_ERR_RANK, "rank %d of %d", rank, win->comm.size);
    world_rma_event(win->comm.member[rank], 0);
    if (!win->held[rank] || win->held_all)
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "rank %d is not locked", rank);
    bool news = world_rma_complete(win, rank);
    rma_sync_release(win, rank);
    let_others(news);
    return MPI_SUCCESS;
}

/* Takes all locks at once, so that no rank holds one while it waits for another. */
int MPI_Win_lock_all(int assert, MPI_Win win)
{
    ENTER("MPI_Win_lock_all");
    world_rma_event(-1, 0);
    int code = rma_sync_use(win);
    if (code)
        return code;
    if (rma_sync_passive(win) || win->in_start)
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "another access epoch is open");
    win->fenced = false;
    bool check = !(assert &MPI_MODE_NOCHECK);
    if (UNLIKELY(WORLD->explore != NULL) && check)
        world_access_lock_all(win);
    for (int i = 0; check && i < win->comm.size; i++)
        if (win->part[i]->holders < 0) {
            rma_sync_await(win->part[i], "the lock");
            i = -1;
        }
    for (int i = 0; i < win->comm.size; i++) {
        CORE_CHECK(!check || win->part[i]->holders >= 0); /* rma.h invariant 3 */
        win->part[i]->holders += check;
        if (check)
            need_unlocked(win->part[i], false);
        win->held[i] = check ? RMA_SHARED : RMA_NO_CHECK;
    }
    win->held_all = true;
    return MPI_SUCCESS;
}

int MPI_Win_unlock_all(MPI_Win win)
{
    ENTER("MPI_Win_unlock_all");
    world_rma_event(-1, 0);
    int code = world_win_check(win);
    if (code)
        return code;
    if (!win->held_all)
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "MPI_Win_lock_all was not called");
    bool news = world_rma_complete(win, -1);
    for (int i = 0; i < win->comm.size; i++)
        rma_sync_release(win, i);
    CORE_CHECK(!win->pending && !passive_part(win));
    win->held_all = false;
    let_others(news);
    return MPI_SUCCESS;
}

enum { ALL = -1000 };

static int rma_sync_flush(const char *call, MPI_Win win, int rank, bool local)
{
    ENTER(call);
    int code = world_win_check(win);
    if (code || rank == MPI_PROC_NULL)
        return code;
    if (rank != ALL && (rank < 0 || rank >= win->comm.size))
        return WIN_ERROR(win, MPI_ERR_RANK, "rank %d of %d", rank, win->comm.size);
    if (rank == ALL ? !rma_sync_passive(win) : !win->held[rank])
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "nothing is locked");
    world_rma_event(rank == ALL ? -1 : win->comm.member[rank], 0);
    int target = rank == ALL ? -1 : rank;
    let_others(local ? world_rma_complete_local(win, target) : world_rma_complete(win, target));
    return MPI_SUCCESS;
}

int MPI_Win_flush(int rank, MPI_Win win)
{
    return rma_sync_flush("MPI_Win_flush", win, rank, false);
}

int MPI_Win_flush_local(int rank, MPI_Win win)
{
    return rma_sync_flush("MPI_Win_flush_local", win, rank, true);
}

int MPI_Win_flush_all(MPI_Win win)
{
    return rma_sync_flush("MPI_Win_flush_all", win, ALL, false);
}

int MPI_Win_flush_local_all(MPI_Win win)
{
    return rma_sync_flush("MPI_Win_flush_local_all", win, ALL, true);
}

int MPI_Win_sync(MPI_Win win)
{
    ENTER("MPI_Win_sync");
    world_rma_event(-1, 0);
    int code = world_win_check(win);
    if (code)
        return code;
    if (UNLIKELY(WORLD->explore != NULL) && world_access_look(win))
        return MPI_SUCCESS;
    world_poll_failed(); /* the program may watch memory between calls */
    return MPI_SUCCESS;
}
