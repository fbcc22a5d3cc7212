/* Orders the calls of a rank's threads under order=explore (explore_access.h): which of two calls
 * on one communicator comes first, and whether a communicator that the program created, a window or
 * a file is freed before it is used, and a buffer is attached or detached. */
#include "world/exchange/explore_access.h"

static struct world_part *queue_part(MPI_Comm comm, uint32_t queue)
{
    CORE_CHECK(comm->context % 2 == 0 && queue < DECISION_QUEUES);
    if (!comm->turns)
        comm->turns = world_zalloc(DECISION_QUEUES * sizeof(*comm->turns));
    if (!comm->turns[queue]) {
        comm->turns[queue] = world_zalloc(sizeof(struct world_part));
        comm->turns[queue]->rank = ME;
    }
    return comm->turns[queue];
}

static void thread_turn(MPI_Comm comm, enum world_turn_use use, uint32_t queue, int peer, int tag)
{
    CORE_CHECK(ME->fiber->sibling && WORLD->fiber->thread < DECISION_THREADS);
    world_access_ask(&(struct world_decider){.kind = EXPLORE_THREAD,
                                             .part = queue_part(comm, queue),
                                             .name = (int)WORLD->fiber->thread,
                                             .object = comm->object,
                                             .queue = queue,
                                             .use = use,
                                             .source = peer,
                                             .tag = tag},
                     "waits for the other threads of its rank");
}

/* Tells whether the running thread has sibling threads, whose calls may come first. */
static bool has_others(void)
{
    const struct world_fiber *fiber = WORLD->fiber;
    if (!WORLD->explore || !fiber->is_rank || !ME->fiber->sibling)
        return false;
    if (fiber->thread >= DECISION_THREADS) {
        world_explore_limited();
        return false;
    }
    return true;
}

/* Tells whether a thread may free it. A world that executes a job's trace frees nothing. */
static bool may_be_freed(const struct ompi_communicator_t *comm)
{
    CORE_CHECK(comm);
    return WORLD_PROCESSES && comm != &ME->world && comm != &ME->self;
}

static void freed_check(const struct ompi_communicator_t *comm)
{
    if (!comm->freed)
        return;
    CORE_CHECK(comm->freed_by && comm->freed_by != WORLD->fiber);
    world_found(WORLD_RULE_FREED, ME->rank,
                "rank %d calls %s with a %s that another of its threads frees", ME->rank,
                WORLD->fiber->call, comm->freed);
    world_end_job();
}

void world_turn_frees(MPI_Comm comm, const char *what)
{
    if (!has_others() || !may_be_freed(comm))
        return;
    thread_turn(comm, TURN_FREES, DECISION_QUEUE_FREES, 0, 0);
    freed_check(comm);
    CORE_CHECK(what && !comm->freed_by);
    comm->freed = what;
    comm->freed_by = WORLD->fiber;
}

void world_turn_uses(MPI_Comm comm)
{
    if (!has_others() || !may_be_freed(comm) || comm->freed_by == WORLD->fiber)
        return;
    thread_turn(comm, TURN_USES, DECISION_QUEUE_FREES, 0, 0);
    freed_check(comm);
}

void world_turn_buffer(bool changes)
{
    if (WORLD_PROCESSES && has_others())
        thread_turn(&ME->world, changes ? TURN_FREES : TURN_USES, DECISION_QUEUE_FREES, 0, 0);
}

void world_turn_thread(MPI_Comm comm, enum world_turn_use use, int peer, int tag)
{
    if (peer == MPI_PROC_NULL || !has_others())
        return;
    if (WORLD->fiber->decisions.sends > DECISION_THREAD_NUMBERS)
        world_explore_limited();
    world_turn_uses(comm);
    thread_turn(comm, use,
                use == TURN_SENDS        ? decision_queue_sends(peer)
                : use == TURN_COLLECTIVE ? DECISION_QUEUE_COLLECTIVES
                                         : DECISION_QUEUE_RECEIVES,
                peer, tag);
}
