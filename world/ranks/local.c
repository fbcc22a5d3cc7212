/* One rank by itself, for compose.c: it gets a message and goes on until it waits again, while all
 * others stay where they are. What it does until then depends on its state and on that message
 * alone, if the rank waits for nothing but messages, one at a time: a receive, or a probe and then
 * a receive of what that has found. Where a rank does anything else, the search gives up.
 *
 * Invariants: 1. No rank has a message that the step did not bring: what others have sent stays
 * outside (compose.c). 2. What all ranks share is at the end of a step as it was, but for what
 * belongs to the rank. */
#include "world/ranks/states_inside.h"

#include <string.h>

#include "world/exchange/explore_report.h"

struct rank_message rank_message_of(const struct world_message *m, int dest)
{
    CORE_CHECK(m->packed); /* match.c invariant 2 */
    if (m->send || m->room)
        rank_states_give_up("a rank sends with no buffer of the library's");
    return (struct rank_message){.context = m->context,
                                 .source = m->source,
                                 .tag = m->tag,
                                 .world = m->world,
                                 .dest = dest,
                                 .bytes = m->bytes,
                                 .data = m->packed,
                                 .type = m->type,
                                 .call = m->call};
}

/* --- where a rank waits ----------------------------------------------------------------------- */

static bool waits_for_others(const struct world_rank *rank, const struct ompi_request_t *but)
{
    for (const struct world_handle *h = rank->handles; h; h = h->next) {
        const struct ompi_request_t *r = (const struct ompi_request_t *)h;
        if (h->magic == (uint32_t)HANDLE_MAGIC + HANDLE_REQUEST && r != but && r->active &&
            !r->complete)
            return true;
    }
    return rank->helper_count > 0;
}

static bool read_probe(const struct world_rank *rank, struct rank_local *out)
{
    const struct world_decider *d = rank->fiber->decider;
    if (d->kind != EXPLORE_PROBE || d->poll || d->take || rank->posted)
        return false;
    out->context = d->context;
    out->source = d->source;
    out->tag = d->tag;
    return !waits_for_others(rank, NULL);
}

static bool read_receive(const struct world_rank *rank, struct rank_local *out)
{
    const struct ompi_request_t *recv = rank->posted;
    CORE_CHECK(!rank->fiber->decider); /* else it is read_probe's */
    if (!recv || recv->next || recv->waiter != rank->fiber || rank->fiber->waiting != 1 ||
        recv->cancelling || recv->refuses || recv->certain)
        return false;
    out->context = recv->context;
    out->source = recv->peer;
    out->tag = recv->tag;
    return !waits_for_others(rank, recv);
}

bool rank_local_read(int rank, struct rank_local *out)
{
    const struct world_rank *of = &WORLD->rank[rank];
    const struct region_rank *reported = &rank_region->rank[rank];
    CORE_CHECK(rank_own < 0 && !WORLD->ready_count); /* the searcher acts, and nobody can go on */
    *out = (struct rank_local){.rank = rank, .decisions = of->fiber->decisions.choices};
    if (reported->left)
        out->ended = true;
    else if (!of->fiber->live || of->fiber->sibling ||
             !(of->fiber->decider ? read_probe(of, out) : read_receive(of, out)))
        rank_states_give_up("a rank waits for more than one message");
    out->any = !out->ended && out->source == MPI_ANY_SOURCE;
    return !rank_states_given_up();
}

/* --- a step ----------------------------------------------------------------------------------- */

/* Invariant 1; and nobody else gets what the rank sends. */
static void others_leave(int rank)
{
    CORE_CHECK(rank >= 0 && rank < WORLD->rank_count && !WORLD->ready_count);
    for (int r = 0; r < WORLD->rank_count; r++) {
        struct world_rank *of = &WORLD->rank[r];
        of->unexpected = NULL;
        of->unexpected_end = &of->unexpected;
        of->held_count = 0;
        of->held_bytes = 0;
        of->turns = 0;
        if (r == rank)
            continue;
        of->posted = NULL;
        of->posted_end = &of->posted;
        of->fiber->decider = NULL;
        of->fiber->probing = false;
    }
}

/* Notes what ranks share beside their messages: invariant 2. */
struct rest {
    uint32_t looks, context_next;
    int keyval_count, finding_count;
    const void *part[4];
};

static struct rest rest_take(void)
{
    return (struct rest){.looks = WORLD->looks,
                         .context_next = WORLD->context_next,
                         .keyval_count = WORLD->keyval_count,
                         .finding_count = WORLD->outcome->finding_count,
                         .part = {WORLD->ports, WORLD->services, WORLD->heap, WORLD->meeting}};
}

static bool rest_is(const struct rest *rest)
{
    const struct rest now = rest_take();
    return now.looks == rest->looks && now.context_next == rest->context_next &&
           now.keyval_count == rest->keyval_count && now.finding_count == rest->finding_count &&
           memcmp(now.part, rest->part, sizeof now.part) == 0;
}

/* The rank goes on until it waits again. */
static void rank_run(int rank)
{
    struct world_branch branch[2];
    bool decided = false;
    while (!rank_states_given_up()) {
        rank_states_run();
        rank_region->states.asked_again |= WORLD->explore->report.asked_again;
        if (*rank_region->bug)
            rank_states_give_up(rank_region->bug);
        if (rank_states_crashed())
            rank_states_give_up("a rank ends the job");
        if (!rank_states_given_up() && world_states_why())
            rank_states_give_up(world_states_why());
        if (rank_states_given_up())
            return;
        if (world_states_settle())
            continue;
        const uint32_t count = world_states_branches(branch, 2);
        if (count == 0 && !WORLD->paused)
            return;
        if (count == 0) {
            world_pause_end();
        } else if (count == 1 && !decided && branch[0].decider->rank->rank == rank) {
            decided = true;
            rank_states_enter();
            world_states_take(&branch[0]);
        } else {
            rank_states_give_up("a rank decides about more than one message");
        }
    }
}

static bool is_probe(int rank)
{
    return WORLD->rank[rank].fiber->decider != NULL;
}

bool rank_local_step(const struct rank_copy *from, uint32_t depth, int rank,
                     const struct rank_message *message)
{
    struct region_states *states = &rank_region->states;
    struct world_rank *of = &WORLD->rank[rank];
    const struct world_message like = {.context = message->context,
                                       .source = message->source,
                                       .tag = message->tag,
                                       .world = message->world,
                                       .bytes = message->bytes,
                                       .packed = (uint8_t *)message->data,
                                       .type = message->type,
                                       .call = message->call};
    CORE_CHECK(message->dest == rank && depth > 0);
    rank_versions_drop(depth);
    rank_copy_restore(from);
    if (states->version_count + rank_region->rank_count > REGION_VERSIONS_MAX)
        rank_states_give_up("a rank has too many decisions");
    states->depth = depth + 1;
    states->step_count++;
    rank_states_enter();
    others_leave(rank);
    const struct rest rest = rest_take();
    const bool probe = is_probe(rank);
    of->inexact = false;
    world_states_arrive(&like, of);
    rank_run(rank);
    if (rank_states_given_up())
        return false;
    if (of->unexpected || (probe && of->inexact))
        rank_states_give_up("a rank does not receive what it has probed for");
    if (!rest_is(&rest))
        rank_states_give_up("a rank looks at the clock, or makes what others share");
    return !rank_states_given_up();
}
