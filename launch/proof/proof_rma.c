/* Finds what ranks wait for in one-sided epochs. MPI_Win_start and MPI_Win_complete wait for the
 * targets' posts, MPI_Win_wait for the origins' completions, MPI_Win_lock for the ranks that hold a
 * lock which excludes it. If the library takes locks late, MPI_Win_flush and MPI_Win_unlock wait
 * for these instead. A call that does not return is known to wait. */
#include <stddef.h>
#include <string.h>

#include "launch/proof/proof_inside.h"

static const struct history_space *space_at(const struct proof_prover *prover, int32_t rank,
                                            const struct history_space *space)
{
    return history_space_global(&prover->history.rank[rank], HISTORY_SPACE_WIN, space->global);
}

static struct need need_of_epochs(enum ending_need kind, const struct history_space *space)
{
    return proof_need_reasoned(proof_need(NEED_CERTAIN, kind, space), ENDING_BASIS_EPOCHS, 0, 0);
}

/* Tells whether a rank is inside a call of this class on the window: the call may already have had
 * its effect. */
static bool is_inside(const struct history_rank *rank, const struct history_space *space,
                      enum event_class class)
{
    for (uint32_t i = 0; i < rank->open_count; i++) {
        const struct history_call *call = history_open_call(rank, &rank->open[i]);

        if (call && call->class == class && rank->open[i].event.comm == space->key.id)
            return true;
    }
    return false;
}

static void need_post(struct proof_prover *prover, int32_t me, int32_t target,
                      const struct history_space *space, uint32_t number)
{
    const struct history_space *other = space_at(prover, target, space);
    uint32_t posted = other && other->epochs ? other->epochs->posted[me] : 0;

    if ((other && (other->uneven ||
                   is_inside(&prover->history.rank[target], other, EVENT_CLASS_RMA_POST))) ||
        posted >= number) {
        proof_need_add(prover, proof_need_unknown());
        return;
    }
    proof_peer_add(prover, target);
    proof_need_add(prover, need_of_epochs(ENDING_NEED_POST, space));
}

static void needs_of_start(struct proof_prover *prover, int32_t me,
                           const struct history_space *space, const struct history_open *open)
{
    const struct history_call *call = history_open_call(&prover->history.rank[me], open);
    const struct history_group *group = NULL;

    if (call->group_arg >= 0 && (uint32_t)call->group_arg < open->arg_count)
        group = history_group_find(&prover->history.rank[me], (uint32_t)open->arg[call->group_arg]);
    for (uint32_t i = 0; group && i < group->size; i++) {
        int32_t target = group->member[i];

        if (target < 0 || (uint32_t)target >= prover->history.rank_count)
            proof_need_add(prover, proof_need_unknown());
        else
            need_post(prover, me, target, space,
                      (space->epochs ? space->epochs->started[target] : 0) + 1);
    }
}

static void need_complete(struct proof_prover *prover, int32_t me, int32_t origin,
                          const struct history_space *space)
{
    const struct history_space *other = space_at(prover, origin, space);
    uint32_t completed = other && other->epochs ? other->epochs->completed[me] : 0;

    if ((other && (other->uneven || prover->history.rank[origin].lanes > 1 ||
                   is_inside(&prover->history.rank[origin], other, EVENT_CLASS_RMA_COMPLETE))) ||
        completed >= space->epochs->posted[origin]) {
        proof_need_add(prover, proof_need_unknown());
        return;
    }
    proof_peer_add(prover, origin);
    proof_need_add(prover, need_of_epochs(ENDING_NEED_COMPLETE, space));
}

/* Adds the need of a lock: any rank with a lock that excludes this one may release it, and the
 * target may have to help. */
static void need_lock(struct proof_prover *prover, int32_t me, const struct history_space *space,
                      const struct history_open *open)
{
    const struct history_call *call = history_open_call(&prover->history.rank[me], open);
    int32_t target =
        open->event.peer < 0 ? EVENT_ANY : history_space_world(space, open->event.peer);
    bool exclusive = call->lock_arg >= 0 && (uint32_t)call->lock_arg < open->arg_count &&
                     open->arg[call->lock_arg] == 1;
    bool held = false;

    for (uint32_t r = 0; r < prover->history.rank_count; r++) {
        const struct history_rank *other = &prover->history.rank[r];
        bool holds = false;

        for (uint32_t i = 0; i < other->lock_count; i++)
            holds |= other->lock[i].win == space->global &&
                     (exclusive || other->lock[i].exclusive) &&
                     (target == EVENT_ANY || other->lock[i].target == EVENT_ANY ||
                      other->lock[i].target == target);
        if (holds && other->lanes > 1)
            target = EVENT_NONE; /* another thread may have released it */
        held |= holds;
        if ((holds || (int32_t)r == target) && (int32_t)r != me)
            proof_peer_add(prover, (int32_t)r);
    }
    proof_need_add(prover, held && target != EVENT_NONE ? need_of_epochs(ENDING_NEED_LOCK, space)
                                                        : proof_need_unknown());
}

/* Adds the needs of accesses under a lock that another rank certainly holds: the library has
 * returned from MPI_Win_lock and requests the lock only now. */
static void needs_of_flush(struct proof_prover *prover, int32_t me,
                           const struct history_space *space, const struct history_open *open)
{
    const struct history_rank *rank = &prover->history.rank[me];
    int32_t target =
        open->event.peer < 0 ? EVENT_ANY : history_space_world(space, open->event.peer);

    if (trait_in(history_open_call(rank, open)->traits, TRAIT_AT_ORIGIN))
        return;
    for (uint32_t l = 0; l < rank->lock_count; l++) {
        const struct history_lock *mine = &rank->lock[l];
        bool held = false;

        if (mine->win != space->global || mine->op_target < 0 ||
            mine->sure_target == mine->op_target ||
            (target != EVENT_ANY && mine->op_target != target))
            continue;
        for (uint32_t r = 0; r < prover->history.rank_count; r++) {
            const struct history_rank *other = &prover->history.rank[r];

            for (uint32_t i = 0; i < other->lock_count && (int32_t)r != me && other->lanes == 1;
                 i++)
                if (other->lock[i].win == mine->win &&
                    (mine->exclusive || other->lock[i].exclusive) &&
                    other->lock[i].sure_target == mine->op_target) {
                    proof_peer_add(prover, (int32_t)r);
                    held = true;
                }
        }
        if (held && mine->op_target != me)
            proof_peer_add(prover, mine->op_target);
        if (held)
            proof_need_add(prover, need_of_epochs(ENDING_NEED_LOCK, space));
    }
}

void proof_rma_needs(struct proof_prover *prover, int32_t me, const struct history_space *space,
                     const struct history_open *open, enum event_class class)
{
    const struct history_epochs *epochs = space->epochs;

    if (space->uneven || prover->history.rank[me].lanes >
                             1) { /* the order in which threads began and ended epochs is unknown */
        proof_need_add(prover, proof_need_unknown());
        return;
    }
    if (class == EVENT_CLASS_RMA_START)
        needs_of_start(prover, me, space, open);
    else if (class == EVENT_CLASS_RMA_LOCK)
        need_lock(prover, me, space, open);
    else if (class == EVENT_CLASS_RMA_FLUSH || class == EVENT_CLASS_RMA_UNLOCK)
        needs_of_flush(prover, me, space, open);
    for (uint32_t r = 0; epochs && r < prover->history.rank_count; r++) {
        if (class == EVENT_CLASS_RMA_COMPLETE && epochs->in_start[r])
            need_post(prover, me, (int32_t)r, space, epochs->started[r]);
        else if (class == EVENT_CLASS_RMA_WAIT && epochs->in_post[r])
            need_complete(prover, me, (int32_t)r, space);
    }
    if (!prover->needs.count)
        proof_need_add(prover, proof_need_unknown());
}
