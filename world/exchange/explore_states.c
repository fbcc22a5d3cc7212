/* See the header. */
#include "world/exchange/explore_states.h"

#include "world/exchange/explore_cancel.h"
#include "world/exchange/explore_report.h"

void world_states_beyond(const char *why)
{
    if (UNLIKELY(WORLD->searcher != NULL) && EXPLORE && !EXPLORE->beyond)
        EXPLORE->beyond = why;
}

const char *world_states_why(void)
{
    CORE_CHECK(WORLD->searcher && EXPLORE);
    if (!EXPLORE->beyond && EXPLORE->told.limited)
        return "a call has more answers than are told apart";
    if (!EXPLORE->beyond && EXPLORE->told.overtaking)
        return "messages may overtake each other";
    return EXPLORE->beyond;
}

void world_states_got(struct ompi_request_t *recv, const struct world_message *message)
{
    const uint64_t place = recv->order - recv->owner->order_before;
    CORE_CHECK(WORLD->searcher && message->packed); /* match.c invariant 2 */
    if (recv->masked && message->bytes < recv->count * recv->type->size)
        world_states_beyond(WORLD_STATES_SHORTER);
    if (recv->context % 2 || recv->checked)
        recv->owner->gained += core_random_mix(
            core_random_mix((uint64_t)(uint32_t)message->source << 32 ^ place) ^
            world_type_checksum(message->packed, message->bytes, MPI_BYTE) ^ message->bytes);
}

/* Whoever asks, one after the other: receives by their posting, then fibers. NULL: the last was
 * there before. */
struct asking {
    int rank;
    const struct ompi_request_t *recv;
    const struct world_fiber *fiber;
    bool begun;
};

static struct world_decider *asking_next(struct asking *at)
{
    CORE_CHECK(at->rank >= 0 && at->rank <= WORLD->rank_count);
    for (; at->rank < WORLD->rank_count; at->rank++, at->begun = false) {
        const struct world_rank *rank = &WORLD->rank[at->rank];
        if (!at->begun) {
            at->recv = rank->posted;
            at->fiber = rank->fiber;
            at->begun = true;
        }
        while (at->recv) {
            struct world_decider *d = at->recv->decider;
            at->recv = at->recv->next;
            if (d)
                return d;
        }
        while (at->fiber) {
            struct world_decider *d = at->fiber->decider;
            at->fiber = at->fiber->sibling;
            if (d)
                return d;
        }
    }
    return NULL;
}

static bool is_supported(const struct world_decider *d)
{
    CORE_CHECK(d->rank && !d->ready); /* it still asks */
    if (d->kind >= EXPLORE_BUFFER)
        world_states_beyond("it decides about windows, files or threads");
    else if (d->kind == EXPLORE_RECEIVE && (d->recv->cancelling || d->recv->refuses))
        world_states_beyond("it cancels receives");
    else
        return true;
    return false;
}

bool world_states_settle(void)
{
    struct asking at = {0};
    CORE_CHECK(!WORLD->ready_count); /* else ranks could go on */
    for (struct world_decider *d; (d = asking_next(&at));) {
        const uint32_t first = EXPLORE->told.option_count;
        if (d->number || !is_supported(d))
            continue;
        world_explore_options(d);
        if (EXPLORE->told.option_count > first) {
            d->answer = EXPLORE->option[first].answer;
            world_explore_answered(d, first, false);
            return true;
        }
    }
    return false;
}

uint32_t world_states_branches(struct world_branch *out_branch, uint32_t room)
{
    struct asking at = {0};
    uint32_t count = 0;
    CORE_CHECK(!WORLD->ready_count && room > 0);
    for (struct world_decider *d; (d = asking_next(&at));) {
        const uint32_t first = EXPLORE->told.option_count;
        if (!d->number || !is_supported(d))
            continue;
        world_explore_options(d);
        for (uint32_t i = first; i < EXPLORE->told.option_count; i++, count++)
            if (count < room)
                out_branch[count] = (struct world_branch){d, EXPLORE->option[i].answer};
        EXPLORE->told.option_count = first;
    }
    return count;
}

void world_states_take(const struct world_branch *branch)
{
    struct world_decider *d = branch->decider;
    const uint32_t first = EXPLORE->told.option_count;
    CORE_CHECK(d->number > 0 && !d->ready);
    d->answer = branch->answer;
    world_explore_tell(d->answer);
    world_explore_answered(d, first, false);
}

/* Whether a send has a buffer would be a decision, too. */
static bool polls_sends(void)
{
    struct asking at = {0};
    for (const struct world_decider *d; (d = asking_next(&at));)
        for (int i = 0; d->polled_before && i < d->count; i++)
            if (d->request[i] && d->request[i]->kind == REQUEST_SEND)
                return true;
    return false;
}

bool world_states_fail(void)
{
    CORE_CHECK(!WORLD->ready_count && WORLD->searcher);
    if (polls_sends())
        world_states_beyond("it polls for the end of a send");
    return world_explore_fail(UINT32_MAX);
}

bool world_states_heard(const struct world_rank *rank, const struct world_message *message)
{
    CORE_CHECK(message->world >= 0 && message->world < WORLD->rank_count);
    return rank->heard && world_explore_heard(rank, message);
}
