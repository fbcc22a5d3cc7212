/* See explore_cancel.h. */
#include "world/exchange/explore_cancel.h"

#include "world/exchange/explore_report.h"
#include "world/exchange/match.h"

struct world_heard { /* the last message of a sender that the rank knows of */
    struct world_heard *next;
    uint32_t context;
    int32_t world;
    uint32_t place;
};

/* --- what a rank knows of --------------------------------------------------------------------- */

static struct world_heard *heard_of(const struct world_rank *rank, uint32_t context, int32_t world)
{
    struct world_heard *heard = rank->heard;
    while (heard && (heard->context != context || heard->world != world))
        heard = heard->next;
    return heard;
}

void world_explore_hear(struct world_rank *rank, uint32_t context, int32_t world, uint32_t place)
{
    struct world_heard *heard = heard_of(rank, context, world);
    if (!heard) {
        heard = world_alloc(sizeof *heard);
        *heard = (struct world_heard){rank->heard, context, world, place};
        rank->heard = heard;
    }
    if (place > heard->place)
        heard->place = place;
}

static bool is_heard(const struct world_rank *rank, uint32_t context, int32_t world, uint32_t place)
{
    const struct world_heard *heard = heard_of(rank, context, world);
    CORE_CHECK(world >= 0 && world < WORLD->rank_count);
    return heard && heard->place >= place;
}

bool world_explore_heard(const struct world_rank *rank, const struct world_message *message)
{
    return is_heard(rank, message->context, message->world, message->place);
}

/* --- receives that get nothing ---------------------------------------------------------------- */

int32_t world_explore_nobody(void)
{
    return WORLD->rank_count;
}

/* Tells whether the receive's cancellation can be decided by name. */
static bool has_cancel(const struct ompi_request_t *recv)
{
    return recv->number && !recv->persistent && recv->peer != MPI_PROC_NULL;
}

bool world_explore_refuses(const struct ompi_request_t *recv)
{
    const struct replay_names *names = &WORLD->options->policy.forced;
    if (!names->count || !has_cancel(recv))
        return false;
    const struct replay_name *name = replay_policy_find(
        names, (uint32_t)recv->owner->rank, false,
        recv->decider ? recv->decider->number : decision_of_cancel(recv->number));
    return name && name->source == world_explore_nobody();
}

bool world_explore_refused(void)
{
    bool refused = false;
    for (int i = 0; EXPLORE && i < WORLD->rank_count; i++)
        for (const struct ompi_request_t *recv = WORLD->rank[i].posted; recv; recv = recv->next)
            refused |= recv->refuses && !recv->cancelling &&
                       world_explore_message(&WORLD->rank[i], recv) != NULL;
    if (refused)
        EXPLORE->report.cut = true;
    return refused;
}

static void number_cancel(struct ompi_request_t *recv)
{
    recv->decider = world_explore_receiving(recv);
    recv->decider->number = decision_of_cancel(recv->number);
    recv->decider->call = WORLD->fiber->call;
}

/* Notes that the receive had its message when it was to be cancelled. */
static void got_it(const struct ompi_request_t *recv)
{
    CORE_CHECK(recv->owner == ME && recv->complete && !recv->cancelled);
    world_explore_hear(ME, recv->context, recv->got_world, recv->got_place);
    world_explore_certain();
}

/* Reports, for a cancelled receive that has its message, that the message could have come later. */
static void cancelled_late(struct ompi_request_t *recv)
{
    const struct ompi_communicator_t *comm = recv->comm;
    const struct world_causes *causes = WORLD->fiber->causes;
    struct world_decider *d = recv->decider;
    bool known = recv->seen || recv->certain ||
                 is_heard(recv->owner, recv->context, recv->got_world, recv->got_place);
    got_it(recv);
    if (known)
        return;
    if (d && d->decided >= EXPLORE_TRACKED)
        world_explore_limited();
    else if (d && !world_causes_has(causes, d->decided) &&
             !world_explore_seen(d, (uint32_t)world_explore_nobody()))
        world_explore_missed(d, world_explore_nobody(), causes, false);
    if (d)
        return;
    number_cancel(recv);
    d = recv->decider;
    uint32_t first = EXPLORE->report.option_count;
    d->answer = (comm->remote_size ? comm->remote : comm->member)[recv->peer];
    bool given = replay_policy_find(&WORLD->options->policy.forced, (uint32_t)ME->rank, false,
                                    d->number) != NULL;
    world_explore_tell(d->answer);
    world_explore_decision(d, first, given);
    world_explore_keep(d, first);
    world_explore_missed(d, world_explore_nobody(), causes, false);
    EXPLORE->missed[EXPLORE->report.missed_count - 1].before = recv->got_before;
}

bool world_explore_cancel(struct ompi_request_t *recv)
{
    CORE_CHECK(recv->owner == ME && recv->active);
    world_states_beyond("it cancels receives");
    if (!has_cancel(recv)) {
        world_explore_limited();
        if (!recv->complete && recv->decider && world_explore_message(ME, recv))
            world_explore_wait(EXPLORE_ALL, 1, &recv, false); /* takes what is there */
        if (recv->complete && !recv->cancelled && recv->peer != MPI_PROC_NULL)
            got_it(recv);
        return !recv->complete && world_recv_unpost(recv);
    }
    if (recv->complete) {
        if (!recv->cancelled)
            cancelled_late(recv);
        return false;
    }
    if (!recv->decider)
        number_cancel(recv);
    const struct world_message *message = world_explore_message(ME, recv);
    if (message && world_explore_heard(ME, message))
        recv->certain = true;
    recv->cancelling = true;
    recv->refuses &= !recv->certain;
    recv->decider->fiber = WORLD->fiber;
    WORLD->fiber->why = "cancels a receive";
    world_fiber_block();
    WORLD->fiber->why = NULL;
    CORE_CHECK(recv->complete || recv->cancelled);
    WORLD->fiber->causes =
        world_causes_join(WORLD->fiber->causes, world_causes_add(NULL, recv->decider->decided));
    if (recv->cancelled)
        world_explore_certain();
    else
        got_it(recv);
    return recv->cancelled;
}
