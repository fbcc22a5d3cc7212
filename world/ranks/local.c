/* Executes one rank by itself, for compose.c: it gets a message and runs until it waits again,
 * while no other rank runs. Its state and that message determine what it does, if it waits only for
 * messages: for receives; for any of several that name their sources; or in a probe, followed by a
 * receive of the message found. A message counts as pending until the rank waits for
 * it, as nothing looks at it before. The search gives up if a rank does anything else, or sends to
 * itself, as a message that the step did not bring might come before that one.
 *
 * Invariants: 1. A rank has only messages that the step brought: messages of others stay outside
 * (compose.c). 2. At the end of a step all shared state is as before, except what belongs to the
 * rank. */
#include "world/ranks/states_inside.h"

#include <string.h>

#include "world/exchange/explore_report.h"
#include "world/exchange/explore_some.h"
#include "world/exchange/match.h"

struct rank_message rank_message_of(const struct world_message *m, int dest)
{
    CORE_CHECK(m->packed); /* match.c invariant 2 */
    if (m->send || m->room)
        rank_states_give_up("a rank sends without a buffer of the library");
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

enum { ENTERED_MAX = 4096 };

static struct rank_want want[RANK_WANTS_MAX] RANK_SCRATCH;
static uint32_t want_count;

static bool want_put(const struct rank_want one)
{
    CORE_CHECK(want_count <= RANK_WANTS_MAX);
    if (want_count == RANK_WANTS_MAX)
        return false;
    want[want_count++] = one;
    return true;
}

/* Tells whether the rank's posted receives find their messages in any order: no message fits two of
 * them. */
static bool posted_apart(const struct world_rank *rank)
{
    for (const struct ompi_request_t *a = rank->posted; a; a = a->next) {
        const bool is_alone = a == rank->posted && !a->next;
        if (a->cancelling || a->refuses || a->certain || (a->peer == MPI_ANY_SOURCE && !is_alone))
            return false;
        for (const struct ompi_request_t *b = a->next; b; b = b->next)
            if (a->context == b->context && world_match_overlaps(a->peer, a->tag, b->peer, b->tag))
                return false;
    }
    return true;
}

static bool read_probe(const struct world_decider *d, const struct world_rank *rank)
{
    return !d->poll && !rank->posted &&
           want_put((struct rank_want){d->context, d->source, d->tag, -1, false, 0});
}

/* Reads an any-call on receives that name their sources, some of which may be complete. */
static bool read_any(const struct world_decider *d)
{
    CORE_CHECK(d->kind == EXPLORE_ANY);
    for (int i = 0; i < d->count; i++) {
        const struct ompi_request_t *r = d->request[i];
        if (r && (r->kind > REQUEST_RECV || r->serial != d->serial[i] || r->freed ||
                  (!r->complete && (r->kind != REQUEST_RECV || r->peer == MPI_ANY_SOURCE)) ||
                  !want_put((struct rank_want){r->context, r->peer, r->tag, i, r->complete, 0})))
            return false;
    }
    return !d->poll;
}

/* Reads a call that completes some of such receives; it names them by bits. */
static bool read_some(const struct world_decider *d)
{
    int bit = 0;
    CORE_CHECK(d->kind == EXPLORE_SOME);
    for (int i = 0; i < d->count; i++) {
        const struct ompi_request_t *r = d->request[i];
        if (r && (r->kind > REQUEST_RECV || r->serial != d->serial[i] || r->freed ||
                  (!r->complete && (r->kind != REQUEST_RECV || r->peer == MPI_ANY_SOURCE)) ||
                  bit == EXPLORE_BITS ||
                  !want_put((struct rank_want){r->context, r->peer, r->tag, bit, r->complete, 0})))
            return false;
        bit += r != NULL;
    }
    return !d->poll;
}

static bool receive_put(const struct ompi_request_t *r)
{
    const uint32_t decisions = r->owner->fiber->decisions.choices;
    const uint32_t back = r->decider ? decisions - r->decider->number : 0;
    CORE_CHECK(back <= decisions);
    return want_put((struct rank_want){r->context, r->peer, r->tag, -1, false, back});
}

/* Reads a wait for one receive, or for all of several that name their sources. */
static bool read_receives(const struct world_rank *rank)
{
    CORE_CHECK(!rank->fiber->decider); /* otherwise read_probe or read_any handles it */
    for (const struct ompi_request_t *r = rank->posted; r; r = r->next)
        if (r->waiter == rank->fiber && !receive_put(r))
            return false;
    return want_count > 0 && rank->fiber->waiting == (int)want_count;
}

/* Reads a wait for receives that may take each other's messages. Those that the call does not wait
 * for take messages as well. */
static bool read_queue(const struct world_rank *rank)
{
    int waiting = 0;
    for (const struct ompi_request_t *r = rank->posted; r; r = r->next) {
        if (r->cancelling || r->refuses || r->certain || !receive_put(r))
            return false;
        waiting += r->waiter == rank->fiber;
    }
    return waiting > 0 && rank->fiber->waiting == waiting;
}

static bool wants_read(const struct world_rank *rank)
{
    const struct world_fiber *fiber = rank->fiber;
    const struct world_decider *d = fiber->decider;
    want_count = 0;
    if (!fiber->live || fiber->sibling || rank->helper_count)
        return false;
    if (!posted_apart(rank))
        return !d && read_queue(rank);
    return !d                         ? read_receives(rank)
           : d->kind == EXPLORE_PROBE ? read_probe(d, rank)
           : d->kind == EXPLORE_SOME  ? read_some(d)
                                      : d->kind == EXPLORE_ANY && read_any(d);
}

bool rank_local_read(int rank, struct rank_local *out)
{
    const struct world_rank *of = &WORLD->rank[rank];
    CORE_CHECK(rank_own < 0 && !WORLD->ready_count); /* the searcher acts; no rank can run */
    *out = (struct rank_local){.rank = rank, .decisions = of->fiber->decisions.choices};
    out->ended = rank_region->rank[rank].left;
    out->continues = !out->ended && of->fiber->stopped;
    if (out->ended || out->continues)
        return true;
    if (!wants_read(of)) {
        rank_states_give_up("a rank waits for something other than one message for each receive");
        return false;
    }
    const struct world_decider *d = of->fiber->decider;
    out->some = d && d->kind == EXPLORE_SOME && d->number;
    out->certain = out->some ? d->certain : 0;
    out->want = want;
    out->want_count = want_count;
    out->queues = !posted_apart(of);
    out->whole = of->fiber->waiting == (int)want_count;
    out->decides = d ? d->number != 0 : want_count == 1 && want[0].source == MPI_ANY_SOURCE;
    for (uint32_t i = 0; out->queues && i < want_count; i++)
        out->decides |= want[i].source == MPI_ANY_SOURCE;
    return true;
}

/* --- a step ----------------------------------------------------------------------------------- */

/* How another rank waits. */
struct other {
    struct ompi_request_t *posted, **posted_end;
    struct world_decider *decider;
    bool probing;
};
static struct other other[WORLD_RANKS_MAX] RANK_SCRATCH;

/* Removes all messages (invariant 1), and the receives that would take those of the rank. */
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
        other[r] =
            (struct other){of->posted, of->posted_end, of->fiber->decider, of->fiber->probing};
        of->posted = NULL;
        of->posted_end = &of->posted;
        of->fiber->decider = NULL;
        of->fiber->probing = false;
    }
}

/* Lets the other ranks wait as before: invariant 2. */
static void others_return(int rank)
{
    CORE_CHECK(rank >= 0 && rank < WORLD->rank_count && !WORLD->ready_count);
    for (int r = 0; r < WORLD->rank_count; r++) {
        struct world_rank *of = &WORLD->rank[r];
        if (r == rank)
            continue;
        CORE_CHECK(!of->posted && !of->fiber->decider); /* it did not run */
        of->posted = other[r].posted;
        of->posted_end = other[r].posted_end;
        of->fiber->decider = other[r].decider;
        of->fiber->probing = other[r].probing;
    }
}

/* Shared state other than messages: invariant 2. */
struct rest {
    uint32_t looks, context_next;
    int keyval_count, finding_count;
    const void *part[3];
};

static struct rest rest_take(void)
{
    return (struct rest){.looks = WORLD->looks,
                         .context_next = WORLD->context_next,
                         .keyval_count = WORLD->keyval_count,
                         .finding_count = WORLD->outcome->finding_count,
                         .part = {WORLD->ports, WORLD->services, WORLD->heap}};
}

static bool rest_is(const struct rest *rest)
{
    const struct rest now = rest_take();
    return now.looks == rest->looks && now.context_next == rest->context_next &&
           now.keyval_count == rest->keyval_count && now.finding_count == rest->finding_count &&
           memcmp(now.part, rest->part, sizeof now.part) == 0;
}

/* A collective call that a rank entered in some state: all members must make the same call. */
static struct entered {
    uint32_t key, number;
    int first, size, root;
    const char *call;
} entered[ENTERED_MAX] RANK_SCRATCH;
static uint32_t entered_count;

static bool is_same_call(const struct world_meeting *m)
{
    for (uint32_t i = 0; i < entered_count; i++) {
        const struct entered *e = &entered[i];
        if (e->key == m->key && e->number == m->number && e->first == m->first)
            return e->size == m->size && e->root == m->root && strcmp(e->call, m->call) == 0;
    }
    if (entered_count == ENTERED_MAX)
        return false;
    entered[entered_count++] =
        (struct entered){m->key, m->number, m->first, m->size, m->root, m->call};
    return true;
}

static bool collectives_agree(void)
{
    CORE_CHECK(entered_count <= ENTERED_MAX);
    for (const struct world_meeting *m = WORLD->meeting; m; m = m->next)
        if (m->slot || !is_same_call(m))
            return false;
    return true;
}

void rank_local_begin(void)
{
    entered_count = 0;
    if (!collectives_agree())
        rank_states_give_up("ranks wait for each other to make or free an object");
}

static bool is_fine(void)
{
    rank_region->states.asked_again |= WORLD->explore->report.asked_again;
    if (*rank_region->bug)
        rank_states_give_up(rank_region->bug);
    if (rank_region->states.no_snapshots)
        rank_states_give_up(RANK_NO_SNAPSHOTS);
    if (rank_states_crashed())
        rank_states_give_up("a rank ends the job");
    if (!rank_states_given_up() && world_states_why())
        rank_states_give_up(world_states_why());
    return !rank_states_given_up();
}

enum { BRANCHES_MAX = RANK_WANTS_MAX };

/* Tells whether the rank waits for any of several requests. */
static bool has_choice(int rank)
{
    const struct world_decider *d = WORLD->rank[rank].fiber->decider;
    CORE_CHECK(!WORLD->ready_count); /* it waits */
    return d && (d->kind == EXPLORE_ANY || d->kind == EXPLORE_SOME) && d->number && !d->poll;
}

/* Answers the rank's decision, if it has one. */
static void rank_decide(int rank, int32_t answer)
{
    static struct world_branch branch[BRANCHES_MAX] RANK_SCRATCH;
    CORE_CHECK(rank >= 0 && rank < WORLD->rank_count);
    if (WORLD->ready_count || world_states_settle())
        return;
    struct world_decider *d = WORLD->rank[rank].fiber->decider;
    if (d && d->kind == EXPLORE_SOME && d->number) {
        if (world_explore_is_subset(d, answer))
            world_states_take(&(struct world_branch){d, answer});
        else
            rank_states_give_up("a message makes another answer possible than expected");
        return;
    }
    const uint32_t count = world_states_branches(branch, BRANCHES_MAX);
    if (count > BRANCHES_MAX || (count > 1 && !has_choice(rank))) {
        rank_states_give_up("a message makes several answers possible");
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        if (branch[i].decider->rank->rank == rank && branch[i].answer == answer) {
            world_states_take(&branch[i]);
            return;
        }
    if (count)
        rank_states_give_up("a message makes another answer possible than expected");
}

/* Runs the rank until it waits again. */
static void rank_run(int rank)
{
    struct world_branch branch;
    for (;;) {
        rank_states_run();
        if (!is_fine())
            return;
        if (world_states_settle())
            continue;
        if (!has_choice(rank) && world_states_branches(&branch, 1))
            rank_states_give_up("a rank decides about more than one message");
        if (rank_states_given_up() || !WORLD->paused)
            return;
        world_pause_end();
    }
}

static void rank_continue(struct world_fiber *fiber)
{
    CORE_CHECK(!WORLD->ready_count);
    fiber->stopped = false;
    world_fiber_ready(fiber);
}

static bool is_probe(int rank)
{
    const struct world_decider *d = WORLD->rank[rank].fiber->decider;
    return d && d->kind == EXPLORE_PROBE;
}

static void message_arrive(struct world_rank *rank, const struct rank_message *message)
{
    const struct world_message like = {.context = message->context,
                                       .source = message->source,
                                       .tag = message->tag,
                                       .world = message->world,
                                       .bytes = message->bytes,
                                       .packed = (uint8_t *)message->data,
                                       .type = message->type,
                                       .call = message->call};
    CORE_CHECK(!rank->unexpected); /* invariant 1 */
    world_states_arrive(&like, rank);
}

bool rank_local_step(const struct rank_copy *from, uint32_t depth, int rank,
                     const struct rank_message *const message[], uint32_t count, int32_t answer)
{
    struct region_states *states = &rank_region->states;
    struct world_rank *of = &WORLD->rank[rank];
    CORE_CHECK(depth > 0 && (!count || message[0]->dest == rank));
    rank_versions_drop(depth);
    rank_copy_restore(from);
    WORLD->stops = true;
    if (states->version_count + rank_region->rank_count > REGION_VERSIONS_MAX)
        rank_states_give_up("a rank has too many decisions");
    states->depth = depth + 1;
    states->step_count++;
    rank_states_enter();
    others_leave(rank);
    const struct rest rest = rest_take();
    const bool probe = is_probe(rank);
    of->inexact = of->own = false;
    for (uint32_t i = 0; i < count; i++)
        message_arrive(of, message[i]);
    if (of->fiber->stopped)
        rank_continue(of->fiber);
    else
        rank_decide(rank, answer);
    rank_run(rank);
    if (rank_states_given_up())
        return false;
    others_return(rank);
    if (of->own)
        rank_states_give_up("a rank sends to itself");
    if (of->unexpected || (probe && of->inexact))
        rank_states_give_up("a rank does not receive the message that it probed");
    if (!collectives_agree())
        rank_states_give_up("ranks make different collective calls, or make objects together");
    if (!rest_is(&rest))
        rank_states_give_up("a rank reads the clock, or makes an object that ranks share");
    return !rank_states_given_up();
}
