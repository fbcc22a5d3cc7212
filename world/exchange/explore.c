/* Decides under order=explore; see the header. Relies on the queues of match.c: under this order
 * matching receives and messages may wait side by side (match.c invariant 1 does not hold), because
 * which of them belong together is not decided yet. */
#include "world/exchange/explore.h"

#include "world/exchange/explore_available.h"
#include "world/exchange/explore_cancel.h"
#include "world/exchange/explore_missed.h"
#include "world/exchange/explore_report.h"
#include "world/exchange/explore_some.h"
#include "world/exchange/explore_states.h"
#include "world/exchange/explore_access.h"
#include "world/exchange/match.h"

struct world_polled { /* a probe that found nothing */
    struct world_polled *next;
    uint32_t context;
    int source, tag;
};

_Static_assert(EXPLORE_BITS < 31 && EXPLORE_SUBSETS < EXPLORE_BITS, "a set of bits is an answer");
_Static_assert(EXPLORE_RECEIVE < EXPLORE_PROBE && EXPLORE_PROBE < EXPLORE_ANY &&
                   EXPLORE_ANY < EXPLORE_SOME && EXPLORE_SOME < EXPLORE_ALL &&
                   EXPLORE_ALL < EXPLORE_BUFFER && EXPLORE_BUFFER < EXPLORE_TURN &&
                   EXPLORE_TURN < EXPLORE_LOCK && EXPLORE_LOCK < EXPLORE_THREAD,
               "messages come first, turns last: kinds are compared by order");

struct world_message *world_explore_message(const struct world_rank *rank,
                                            const struct ompi_request_t *recv)
{
    const struct world_decider d = {
        .context = recv->context, .source = recv->peer, .tag = recv->tag, .order = recv->order};
    return world_available_first(rank, &d);
}

static void take_out(struct world_rank *rank, const struct world_message *message)
{
    struct world_message **link = &rank->unexpected;
    while (*link != message) {
        CORE_CHECK_HOT(*link);
        link = &(*link)->next;
    }
    if (!(*link = message->next))
        rank->unexpected_end = link;
}

/* Notes that the rank knows of this message, and of the messages that earlier matching receives
 * took before it. */
static void explore_hear(struct world_rank *rank, const struct world_decider *what, int32_t world,
                         uint32_t place)
{
    world_explore_hear(rank, what->context, world, place);
    for (const struct world_decider *d = rank->decided; d; d = d->next)
        if (d->kind == EXPLORE_RECEIVE && d->got_place && d->order < what->order &&
            world_match_fits_key(what->context, what->source, what->tag, d->context, d->source,
                                 d->tag))
            world_explore_hear(rank, d->context, d->answer, d->got_place);
}

void world_explore_observe(const struct ompi_request_t *request)
{
    struct world_fiber *fiber = WORLD->fiber;
    fiber->causes = world_causes_join(fiber->causes, request->done_causes);
    if (request->kind != REQUEST_RECV || request->context % 2 || !request->complete ||
        request->cancelled || request->peer == MPI_PROC_NULL)
        return;
    const struct world_decider d = {.context = request->context,
                                    .source = request->status.MPI_SOURCE,
                                    .tag = request->status.MPI_TAG,
                                    .order = request->order};
    explore_hear(request->owner, &d, request->got_world, request->got_place);
    if (fiber->is_rank)
        world_explore_certain();
}

/* --- matching --------------------------------------------------------------------------------- */

/* Tells whether there are other messages that the receive could have taken. */
static bool explore_match(struct world_rank *rank, struct ompi_request_t **link,
                          struct world_message *message, const struct world_causes *decision)
{
    struct ompi_request_t *recv = *link;
    const struct world_decider left = world_envelope_of(recv), got = world_envelope_got(message);
    CORE_CHECK(world_match_fits(message, recv->context, recv->peer, recv->tag));
    CORE_CHECK(recv->owner == rank && left.order > 0);
    if (!(*link = recv->next))
        rank->posted_end = link;
    take_out(rank, message);
    const struct world_causes *causes = world_causes_join(recv->causes, message->causes);
    causes = world_causes_join(causes, decision);
    recv->done_causes = causes;
    if (message->send)
        message->send->done_causes = causes;
    world_message_receive(recv, message);
    return world_missed_released(rank, &left, &got, causes);
}

/* Gives the receive the message that is certainly its own, if there is one. */
static bool settle_one(struct world_rank *rank, struct ompi_request_t **link, bool *out_others)
{
    const struct ompi_request_t *recv = *link;
    struct world_message *message =
        recv->decider || recv->refuses ? NULL : world_explore_message(rank, recv);
    if (message)
        *out_others = explore_match(rank, link, message, NULL);
    return message != NULL;
}

/* Gives every receive that names its source the message that is certainly its own: invariant 1. */
static void explore_settle(struct world_rank *rank)
{
    struct ompi_request_t **link = &rank->posted;
    bool others;
    while (*link)
        link = settle_one(rank, link, &others) ? &rank->posted : &(*link)->next;
}

void world_states_settle_receives(struct world_rank *rank)
{
    CORE_CHECK(WORLD->searcher);
    explore_settle(rank);
}

void world_explore_send(struct ompi_request_t *send, struct world_message *message,
                        struct world_rank *dest)
{
    message->causes = WORLD->fiber->causes;
    send->done_causes = NULL;
    for (struct world_decider *d = dest->decided; d; d = d->next)
        if (d->kind <= EXPLORE_PROBE)
            world_missed_message(dest, message, d, message->causes);
    /* Only the first receive that could take the message can have it without a decision. */
    struct ompi_request_t **link = world_available_receive(dest, message);
    bool others = false;
    if (*link && settle_one(dest, link, &others) && others)
        explore_settle(dest);
}

/* --- numbers ---------------------------------------------------------------------------------- */

void world_force_answer(int32_t answer)
{
    CORE_CHECK(WORLD->running && ME);
    WORLD->fiber->forced = answer;
}

void world_site(uint64_t site)
{
    CORE_CHECK(WORLD->running && ME);
    WORLD->fiber->site = (const void *)(uintptr_t)site;
}

uint32_t world_decided(void)
{
    CORE_CHECK(WORLD->running && ME);
    return WORLD->fiber->decisions.choices;
}

static void number_give(struct world_decider *d, struct world_rank *rank)
{
    struct world_fiber *fiber = WORLD->fiber;
    CORE_CHECK(!d->number && fiber->is_rank);
    d->number = decision_count_choice(&fiber->decisions);
    EXPLORE->report.limited |= rank->fiber->sibling && decision_count_exceeds(&fiber->decisions);
    d->forced = fiber->forced;
    fiber->forced = WORLD_ANSWER_FREE;
}

static void number_answered(const struct world_decider *d, bool found)
{
    if (!d->number || !d->polled_before)
        return;
    CORE_CHECK(d->fiber == WORLD->fiber); /* the fiber did nothing else meanwhile */
    decision_count_answered(&d->fiber->decisions, d->polled_before, found);
}

/* Tells whether a poll that would wait is forced to find nothing. */
static bool is_forced_to_fail(const struct world_decider *d)
{
    if (!d->polled_before || WORLD->fiber->forced != 0)
        return false;
    WORLD->fiber->forced = WORLD_ANSWER_FREE;
    EXPLORE->report.asked_again = true;
    return true;
}

/* --- receives --------------------------------------------------------------------------------- */

struct world_decider *world_explore_receiving(struct ompi_request_t *recv)
{
    struct world_decider *d = world_zalloc(sizeof *d);
    *d = (struct world_decider){.kind = EXPLORE_RECEIVE,
                                .rank = recv->owner,
                                .call = recv->handle.made_by,
                                .site = WORLD->fiber->site,
                                .forced = WORLD_ANSWER_FREE,
                                .context = recv->context,
                                .source = recv->peer,
                                .tag = recv->tag,
                                .receive = recv->number,
                                .recv = recv,
                                .order = recv->order};
    return d;
}

static int32_t ask_of_requests(const struct world_decider *what, MPI_Request request[]);

/* Completes receives whose message the rank knows to be there: a message that is sent only after
 * that comes too late for them. */
void world_explore_certain(void)
{
    CORE_CHECK(WORLD->fiber->is_rank);
    struct ompi_request_t *recv = world_available_certain(ME);
    if (!recv)
        return;
    const uint32_t serial = recv->serial;
    recv->certain = true;
    ask_of_requests(&(struct world_decider){.kind = EXPLORE_ALL, .count = 1, .of_others = true},
                    &recv);
    if (recv->serial == serial)
        world_explore_observe(recv); /* checks the other receives once more */
    else
        world_explore_certain();
}

void world_explore_receive(struct ompi_request_t *recv)
{
    struct world_rank *me = recv->owner;
    recv->causes = WORLD->fiber->causes;
    recv->done_causes = NULL;
    recv->order = ++me->order_count;
    recv->decider = recv->peer == MPI_ANY_SOURCE ? world_explore_receiving(recv) : NULL;
    if (recv->decider)
        number_give(recv->decider, me);
    recv->cancelling = false;
    recv->refuses = world_explore_refuses(recv);
    recv->certain = false;
    CORE_CHECK(!*me->posted_end); /* state.h invariant 3: at the end */
    recv->next = NULL;
    struct ompi_request_t **link = me->posted_end;
    bool others;
    *link = recv;
    me->posted_end = &recv->next;
    settle_one(me, link, &others); /* it comes last: what it takes frees nothing for the others */
    if (WORLD->fiber->is_rank)
        world_explore_certain();
}

void world_explore_unposted(struct ompi_request_t *recv)
{
    const struct world_decider left = world_envelope_of(recv);
    world_missed_released(recv->owner, &left, NULL, WORLD->fiber->causes);
    explore_settle(recv->owner);
}

/* --- deciding --------------------------------------------------------------------------------- */

/* Reports the answers that are possible now; finding nothing comes last. */
void world_explore_options(const struct world_decider *d)
{
    if (d->kind >= EXPLORE_TURN) {
        world_access_options(d);
    } else if (d->kind <= EXPLORE_PROBE) {
        bool refuses = d->kind == EXPLORE_RECEIVE && d->recv->refuses && !d->recv->cancelling;
        const struct world_message *m = refuses ? NULL : world_available_first(d->rank, d);
        for (; m; m = world_available_more(d->rank, d, m))
            world_explore_tell(m->world + d->poll);
        if (d->kind == EXPLORE_RECEIVE && d->recv->cancelling && !d->recv->certain)
            world_explore_tell(world_explore_nobody());
    } else if (d->kind == EXPLORE_ANY) {
        for (int i = 0; i < d->count; i++)
            if (world_decider_complete(d, i))
                world_explore_tell(i + d->poll);
    } else if (d->kind == EXPLORE_SOME) {
        world_explore_subsets(d);
    } else if (d->kind == EXPLORE_BUFFER) {
        world_explore_tell(1);
        world_explore_tell(0);
    } else if (world_decider_all_complete(d)) {
        world_explore_tell(1);
    }
    if (d->poll && !d->polled_before && !d->must_find)
        world_explore_tell(0);
}

void world_explore_keep(struct world_decider *d, uint32_t option_first)
{
    CORE_CHECK(d->decided < EXPLORE->report.decision_count);
    if (d->decided >= EXPLORE_TRACKED) {
        EXPLORE->report.limited = true;
        return;
    }
    if (d->kind <= EXPLORE_PROBE || d->kind >= EXPLORE_TURN)
        for (uint32_t i = option_first; i < EXPLORE->report.option_count; i++)
            if (EXPLORE->option[i].answer >= d->poll)
                world_explore_seen(d, (uint32_t)(EXPLORE->option[i].answer - d->poll));
    struct world_decider **list = d->part ? &d->part->decided : &d->rank->decided;
    d->next = *list;
    *list = d;
}

static void explore_resume(struct world_decider *d, const struct world_causes *causes)
{
    struct world_fiber *fiber = d->fiber;
    CORE_CHECK(fiber->decider == d && !d->ready); /* it asks and is answered once */
    d->rank->turns += d->poll || d->kind >= EXPLORE_TURN;
    d->rank->answered = core_random_mix(d->rank->answered + 1) ^ (uint32_t)d->answer;
    fiber->causes = world_causes_join(fiber->causes, causes);
    fiber->decider = NULL;
    d->ready = true;
    world_fiber_ready(fiber);
}

/* Applies the answer about a send's buffer. No rank continues because of it: a poll for the send
 * looks again, and waits if the send has no buffer. */
static void buffer_answer(const struct world_decider *d, const struct world_causes *causes)
{
    struct ompi_request_t *send = d->send;
    CORE_CHECK(!send->settled && (d->answer == 0 || d->answer == 1));
    send->settled = true;
    if (d->answer)
        send->done_causes = world_causes_join(send->done_causes, causes);
    else
        world_message_unbuffer(d->message, send, world_send_receiver(send));
}

/* Gives the receive its message, or cancels it. */
static void receive_answer(struct world_decider *d, const struct world_causes *causes)
{
    struct world_message *message =
        d->answer == world_explore_nobody() ? NULL : world_available_from(d->rank, d, d->answer);
    struct ompi_request_t *recv = d->recv, **link = &d->rank->posted;
    CORE_CHECK(message || recv->cancelling); /* it was reported as an answer just now */
    while (*link != recv) {
        link = &(*link)->next;
        CORE_CHECK_HOT(*link);
    }
    if (message) { /* a receive that names its source gets an early message without a decision */
        d->got_place = message->place;
        explore_match(d->rank, link, message, recv->peer == MPI_ANY_SOURCE ? causes : NULL);
    } else {
        if (!(*link = recv->next))
            d->rank->posted_end = link;
        recv->done_causes = world_causes_join(d->fiber->causes, causes);
        recv->cancelled = true;
        world_missed_released(d->rank, d, NULL, causes);
    }
    explore_settle(d->rank);
    if (d->fiber)
        world_fiber_ready(d->fiber);
}

/* Applies the answer: gives the receive its message, or lets the fiber that asked continue. */
static void explore_answer_one(struct world_decider *d)
{
    const struct world_causes *causes =
        d->number && !WORLD->searcher ? world_causes_add(NULL, d->decided) : NULL;
    if (d->kind >= EXPLORE_TURN) {
        struct world_decider *asks = world_access_asks(d, d->answer);
        CORE_CHECK(asks); /* it was reported as an answer just now */
        world_access_given(d, asks);
        asks->gained = d->gained = world_causes_join(asks->gained, causes);
        if (asks->fiber)
            explore_resume(asks, asks->gained);
        else
            asks->effect->run(asks->effect);
        return;
    }
    if (d->kind == EXPLORE_BUFFER) {
        buffer_answer(d, causes);
        return;
    }
    if (d->kind == EXPLORE_RECEIVE) {
        receive_answer(d, causes);
        return;
    }
    if (d->kind == EXPLORE_PROBE && (!d->poll || d->answer)) {
        d->message = world_available_from(d->rank, d, d->answer - d->poll);
        CORE_CHECK(d->message);
        causes = world_causes_join(causes, d->message->causes);
        if (d->take) {
            const struct world_decider got = world_envelope_got(d->message);
            take_out(d->rank, d->message);
            world_missed_released(d->rank, d, &got, causes);
            explore_settle(d->rank);
        }
    }
    explore_resume(d, causes);
}

/* Returns the decisions without which the answer would not be possible. */
static const struct world_causes *past_of_answer(const struct world_decider *d, int32_t answer)
{
    if (d->poll && answer == 0)
        return NULL;
    if (d->kind == EXPLORE_RECEIVE && answer == world_explore_nobody())
        return d->fiber->causes; /* of the rank that cancels it */
    if (d->kind <= EXPLORE_PROBE)
        return world_available_from(d->rank, d, answer - d->poll)->causes;
    if (d->kind == EXPLORE_ANY)
        return d->request[answer - d->poll]->done_causes;
    return d->kind == EXPLORE_BUFFER ? NULL : world_decider_causes(d, ~0u);
}

/* Reports the other answers if the policy gave this one: they may be possible only because the
 * policy's earlier answers came first this time, so they were not reported when the answer was
 * free. */
static void others_there(const struct world_decider *d, uint32_t option_first)
{
    uint32_t end = EXPLORE->report.option_count;
    if (d->kind >= EXPLORE_TURN)
        world_access_others(d);
    for (uint32_t i = option_first; i < end && d->kind < EXPLORE_TURN; i++) {
        int32_t other = EXPLORE->option[i].answer;
        if (other != d->answer)
            world_explore_missed(d, other, past_of_answer(d, other), true);
    }
}

void world_explore_answered(struct world_decider *d, uint32_t option_first, bool given)
{
    CORE_CHECK(EXPLORE->report.option_count > option_first);
    if (d->kind >= EXPLORE_TURN) { /* reported as the call of the rank whose turn it is */
        const struct world_decider *asks = world_access_asks(d, d->answer);
        d->call = asks->call;
        d->site = asks->site;
        d->touches = asks->touches;
        d->reads = asks->reads;
        d->sure_low = asks->sure_low;
        d->sure_high = asks->sure_high;
        EXPLORE->report.touched |= asks->touches;
        d->mark = world_access_mark(asks);
    }
    if (UNLIKELY(WORLD->searcher != NULL)) { /* a search by states needs no missed answers */
        EXPLORE->report.option_count = option_first;
    } else if (d->number) {
        world_explore_decision(d, option_first, given);
        world_explore_keep(d, option_first);
        if (given)
            others_there(d, option_first);
    }
    explore_answer_one(d);
}

/* The order in which world_explore_decide considers decisions: wildcard receives first, polls last,
 * so that polls find what can be there unless the policy gives another answer. */
enum { PHASES = 3 };

struct candidate {
    struct world_decider *decider; /* NULL: none yet */
    uint32_t among;                /* number of decisions so far */
    uint32_t turns;                /* of its rank */
    bool refused;                  /* the policy's answer is not possible */
    struct world_decider *turn;    /* the turn whose answer it is */
};

/* Tells whether this decision replaces the best one. Among polls, the rank with the fewest turns
 * comes first, so that a rank that only polls lets others produce what it polls for. */
static bool comes_before(const struct candidate *best, uint32_t turns)
{
    if (!best->decider)
        return true;
    CORE_CHECK(best->among > 1); /* the best one and this one */
    if (WORLD->choice.kind != REPLAY_CHOICE_LIST)
        return world_choose(best->among, REPLAY_REASON_SCHEDULE) == 1;
    return turns < best->turns;
}

/* Tells whether a free decision about messages cannot replace the best one. */
static bool is_behind(const struct candidate *best, const struct world_decider *d, uint32_t turns)
{
    return best->decider && WORLD->choice.kind == REPLAY_CHOICE_LIST && d->kind < EXPLORE_TURN &&
           turns >= best->turns;
}

/* Considers a decision; returns true if it was answered. */
static bool explore_consider(struct world_decider *d, uint32_t turns, struct candidate *best)
{
    const struct replay_name *name =
        d->number ? replay_policy_find(&WORLD->options->policy.forced, (uint32_t)d->rank->rank,
                                       false, d->number)
                  : NULL;
    if (d->number && !name && d->forced == WORLD_ANSWER_FREE && is_behind(best, d, turns))
        return false;
    uint32_t first = EXPLORE->report.option_count;
    world_explore_options(d);
    uint32_t count = EXPLORE->report.option_count - first;
    int32_t forced = name                      ? name->source
                     : d->kind >= EXPLORE_TURN ? world_access_recorded(d)
                                               : d->forced;
    bool is_forced = d->number && forced != WORLD_ANSWER_FREE;
    if (is_forced && d->kind >= EXPLORE_TURN && world_access_asks(d, forced)) {
        world_explore_tell(forced); /* even if no waiting turn conflicts with it */
        count++;
    } else if (is_forced && d->kind == EXPLORE_SOME && world_explore_is_subset(d, forced)) {
        world_explore_tell(forced); /* even if not every set was told */
        count++;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!d->number || (is_forced && EXPLORE->option[first + i].answer == forced)) {
            d->answer = EXPLORE->option[first + i].answer;
            world_explore_answered(d, first, name != NULL);
            return true;
        }
    EXPLORE->report.option_count = first;
    if (is_forced && count > 0 && forced != WORLD_ANSWER_NEVER) {
        best->refused = true;
        best->turn = d->kind >= EXPLORE_TURN ? d : best->turn;
    }
    if (is_forced)
        return false;
    if (count && (++best->among, comes_before(best, turns))) {
        best->decider = d;
        best->turns = turns;
    }
    return false;
}

static bool consider_fiber(const struct world_fiber *fiber, int phase, struct candidate *best)
{
    struct world_decider *d = fiber->decider;
    if (d->kind >= EXPLORE_TURN)
        d = phase == PHASES - 1 ? world_access_of(d) : NULL;
    bool last = d && (d->kind >= EXPLORE_TURN || (d->poll && !d->polled_before));
    return d && last == (phase == PHASES - 1) &&
           explore_consider(d, last ? fiber->rank->turns : 0, best);
}

static bool consider_rank(struct world_rank *rank, int phase, struct candidate *best)
{
    CORE_CHECK(phase >= 0 && phase < PHASES);
    if (phase == 0) {
        struct ompi_request_t *recv = rank->posted;
        while (recv && !(recv->decider && explore_consider(recv->decider, 0, best)))
            recv = recv->next;
        return recv != NULL;
    }
    for (const struct world_fiber *fiber = rank->fiber; fiber; fiber = fiber->sibling)
        if (fiber->decider && consider_fiber(fiber, phase, best))
            return true;
    return false;
}

/* Lets the waiting poll of the rank with the fewest turns find nothing. Called when no rank can
 * continue, or only ranks that poll. */
bool world_explore_fail(uint32_t turns_max)
{
    struct world_decider *first = NULL;
    for (int i = 0; i < WORLD->rank_count; i++)
        for (struct world_fiber *of = WORLD->rank[i].fiber; of; of = of->sibling) {
            struct world_decider *d = of->decider;
            if (d && d->poll && d->rank->turns <= turns_max &&
                (!first || d->rank->turns < first->rank->turns))
                first = d;
        }
    if (!first)
        return false;
    CORE_CHECK(first->rank->turns <= turns_max);
    first->answer = 0;
    if (first->kind >= EXPLORE_TURN)
        world_access_failed(first);
    explore_resume(first, world_causes_all());
    return true;
}

/* Tells whether the ranks of the turn have polled the window many times and saw nothing new. */
static bool looks_only(const struct candidate *best)
{
    if (!best->decider || best->decider->kind < EXPLORE_TURN ||
        best->decider->kind == EXPLORE_THREAD)
        return false;
    for (int i = 0; i < WORLD->rank_count; i++) {
        const struct world_decider *d = WORLD->rank[i].fiber->decider;
        if (d && d->part == best->decider->part && d->rank->idle_polls < EXPLORE_LOOKS)
            return false;
    }
    return true;
}

/* Decides by chance, or takes the first answer. */
static void decide_freely(struct world_decider *d)
{
    uint32_t first = EXPLORE->report.option_count;
    world_explore_options(d);
    uint32_t count = EXPLORE->report.option_count - first;
    CORE_CHECK(count > 0); /* nothing has changed since it was considered */
    d->answer = EXPLORE->option[first + world_choose(count, world_explore_reason(d))].answer;
    world_explore_answered(d, first, false);
}

static void buffer_decide(const struct world_decider *poll, struct ompi_request_t *send,
                          struct world_message *message)
{
    struct world_decider *d = world_zalloc(sizeof *d);
    struct candidate best = {0};
    *d = (struct world_decider){.kind = EXPLORE_BUFFER,
                                .rank = poll->rank,
                                .number = decision_of_send(send->number),
                                .forced = WORLD_ANSWER_FREE,
                                .call = poll->call,
                                .site = poll->site,
                                .message = message,
                                .send = send};
    if (!explore_consider(d, 0, &best))
        decide_freely(d);
}

/* Decides that the sends have no buffer if the policy says so, without waiting for a repeated poll.
 */
static void unbuffer_named(struct world_decider *poll)
{
    poll->rank = ME;
    poll->call = WORLD->fiber->call;
    poll->site = WORLD->fiber->site;
    for (int k = 0; k < poll->count; k++) {
        struct ompi_request_t *send = poll->request[k];
        struct world_message *doubt = send ? world_send_doubt(send) : NULL;
        if (doubt && replay_policy_find(&WORLD->options->policy.forced, (uint32_t)ME->rank, false,
                                        decision_of_send(send->number)))
            buffer_decide(poll, send, doubt);
    }
}

/* Finds a waiting poll that asks for a send which is complete only if it has a buffer. */
static bool settle_buffer(void)
{
    for (int i = 0; i < WORLD->rank_count; i++)
        for (struct world_fiber *of = WORLD->rank[i].fiber; of; of = of->sibling) {
            const struct world_decider *d = of->decider;
            for (int k = 0; d && d->polled_before && k < d->count; k++) {
                struct world_message *doubt =
                    world_decider_same(d, k) ? world_send_doubt(d->request[k]) : NULL;
                if (!doubt)
                    continue;
                buffer_decide(d, d->request[k], doubt);
                return true;
            }
        }
    return false;
}

/* Gives the turn to the next rank that the policy names and that asks. The policy counts turns in a
 * world in which all sends have buffers; if some have none, the rank whose turn it is may never
 * ask. */
static bool turn_skip(struct world_decider *d)
{
    const struct replay_policy *policy = &WORLD->options->policy;
    const struct replay_name *name;
    uint32_t first = EXPLORE->report.option_count, rank = (uint32_t)d->rank->rank;
    CORE_CHECK(d->kind >= EXPLORE_TURN && d->number > 0);
    if (policy->buffering == REPLAY_EAGER)
        return false;
    for (uint32_t at = d->number; (name = replay_policy_find(&policy->forced, rank, false, ++at));)
        if (world_access_asks(d, name->source)) {
            world_explore_options(d);
            d->answer = name->source;
            world_explore_tell(d->answer);
            world_explore_answered(d, first, false);
            return true;
        }
    return false;
}

/* Decides recorded turns that no rank waits for. */
static bool decide_rest(struct candidate *best)
{
    for (int i = 0; i < WORLD->rank_count && WORLD->options->turns; i++)
        for (struct world_handle *handle = WORLD->rank[i].handles; handle; handle = handle->next) {
            struct world_decider *d = world_access_rest(handle);
            if (d && explore_consider(d, 0, best))
                return true;
        }
    return false;
}

bool world_explore_decide(void)
{
    struct candidate best = {0};
    if (!EXPLORE || EXPLORE->report.cut)
        return false;
    for (int phase = 0; phase < PHASES; phase++)
        for (int i = 0; i < WORLD->rank_count; i++)
            if (consider_rank(&WORLD->rank[i], phase, &best))
                return true;
    if (decide_rest(&best))
        return true;
    if (looks_only(&best) && (settle_buffer() || world_explore_fail(best.turns)))
        return true;
    if (best.decider) {
        decide_freely(best.decider);
        return true;
    }
    if (best.turn && turn_skip(best.turn))
        return true;
    if (!best.refused && (settle_buffer() || world_explore_fail(UINT32_MAX)))
        return true;
    EXPLORE->report.cut = best.refused;
    world_explore_refused();
    return false;
}

/* Decides from time to time while the running rank polls; the others could run meanwhile, or poll
 * too. */
void world_explore_beside(void)
{
    uint32_t decisions = EXPLORE->report.decision_count;
    CORE_CHECK(EXPLORE && WORLD->fiber->is_rank);
    if (++ME->alone % EXPLORE_ALONE)
        return;
    if (UNLIKELY(WORLD->searcher != NULL)) {
        world_states_beyond("a rank polls while others wait");
        return;
    }
    bool first = true;
    for (; (first || !WORLD->ready_count) && world_explore_decide(); first = false)
        world_explore_limited(); /* the bytes that the running rank polls are unknown */
    if (EXPLORE->report.decision_count != decisions)
        ME->idle_polls = 0;
    else if (first)
        world_poll_count();
}

/* --- asking ----------------------------------------------------------------------------------- */

int32_t world_explore_ask(struct world_decider *d)
{
    struct world_fiber *fiber = WORLD->fiber;
    CORE_CHECK(fiber->is_rank && !fiber->decider);
    d->rank = ME;
    d->fiber = fiber;
    ME->alone = 0;
    if (!d->asks) {
        d->call = fiber->call;
        d->site = fiber->site;
    }
    fiber->decider = d;
    while (!d->ready)
        world_fiber_block();
    CORE_CHECK(!fiber->decider);
    fiber->why = NULL;
    return d->answer;
}

uint64_t world_states_polled(const struct world_rank *rank)
{
    uint64_t sum = 0;
    for (const struct world_polled *p = rank->polled; p; p = p->next)
        sum += core_random_mix(core_random_mix((uint64_t)p->context << 32 ^ (uint32_t)p->source) ^
                               (uint32_t)p->tag);
    return sum;
}

static struct world_polled **polled_find(uint32_t context, int source, int tag)
{
    struct world_polled **link = &ME->polled;
    while (*link &&
           ((*link)->context != context || (*link)->source != source || (*link)->tag != tag))
        link = &(*link)->next;
    return link;
}

struct world_message *world_explore_probe(MPI_Comm comm, int source, int tag, bool poll, bool take)
{
    struct world_fiber *fiber = WORLD->fiber;
    CORE_CHECK(source == MPI_ANY_SOURCE || source >= 0);
    struct world_polled **polled = polled_find(comm->context, source, tag);
    struct world_decider *d = world_zalloc(sizeof *d);
    *d = (struct world_decider){.kind = EXPLORE_PROBE,
                                .context = comm->context,
                                .source = source,
                                .tag = tag,
                                .poll = poll,
                                .polled_before = poll && *polled,
                                .take = take};
    if (is_forced_to_fail(d))
        return NULL;
    if (!d->polled_before)
        world_turn_thread(comm, take ? TURN_RECEIVES : TURN_PROBES, source, tag);
    d->order = ++ME->order_count;
    d->receive = ME->named_receives + 1;
    d->must_find = poll && world_available_known(ME, d);
    if (source == MPI_ANY_SOURCE || (poll && !d->polled_before))
        number_give(d, ME);
    fiber->why = poll ? "polls" : "probe";
    fiber->tag = tag;
    fiber->peer = source == MPI_ANY_SOURCE
                      ? source
                      : (comm->remote_size ? comm->remote : comm->member)[source];
    EXPLORE->report.asked_again |= d->polled_before;
    world_explore_ask(d);
    number_answered(d, d->message != NULL);
    ME->named_receives += d->message != NULL;
    if (poll && !d->message && !*polled) {
        *polled = world_zalloc(sizeof **polled);
        **polled = (struct world_polled){NULL, comm->context, source, tag};
    } else if (d->message && *polled) {
        *polled = (*polled)->next;
    }
    if (d->message) {
        const struct world_decider like = {.context = d->context,
                                           .source = d->message->source,
                                           .tag = d->message->tag,
                                           .order = d->order};
        explore_hear(ME, &like, d->message->world, d->message->place);
    }
    if (d->message && WORLD->options->event)
        world_emit(WORLD_EVENT_PROBE, d->message->world, d->message->tag, d->message->context,
                   d->message->bytes, d->message->id, false);
    CORE_CHECK(poll || d->message); /* a rank that does not poll waits until there is a message */
    if (d->message && fiber->is_rank)
        world_explore_certain();
    return d->message;
}

/* Tells whether every call must find the request complete: one with MPI_PROC_NULL completes at
 * once, and the program may have been told before. */
static bool is_certain(const struct ompi_request_t *request)
{
    bool nobody = request->peer == MPI_PROC_NULL && request->kind <= REQUEST_RECV;
    return request->complete && (nobody || request->seen);
}

static int32_t ask_of_requests(const struct world_decider *what, MPI_Request request[])
{
    struct world_decider *d = world_zalloc(sizeof *d);
    const enum world_explore_kind kind = what->kind;
    const bool poll = what->poll;
    const int count = what->count;
    int active = 0, certain = 0;
    *d = *what;
    d->polled_before = poll;
    const size_t pointers = (size_t)count * sizeof(*d->request),
                 serials = (size_t)count * sizeof(*d->serial);
    d->request = memset(world_block_take(pointers), 0, pointers);
    d->serial = memset(world_block_take(serials), 0, serials);
    for (int i = 0; i < count; i++) {
        if (request[i] == MPI_REQUEST_NULL || !request[i]->active)
            continue;
        d->request[i] = request[i];
        d->serial[i] = request[i]->serial;
        d->serial_most = d->serial[i] > d->serial_most ? d->serial[i] : d->serial_most;
        request[i]->asked_at = (uint32_t)i;
        d->polled_before &= request[i]->polled;
        certain += is_certain(request[i]);
        if (is_certain(request[i]) && active < EXPLORE_BITS)
            d->certain |= 1u << active;
        if (!active++ && !request[i]->complete)
            world_wait_describe(request[i]);
        if (!poll && !request[i]->complete)
            world_wait_allowed(request[i]);
    }
    d->must_find = certain && (kind != EXPLORE_ALL || certain == active);
    if (kind == EXPLORE_SOME && active > EXPLORE_BITS)
        EXPLORE->report.limited = true;
    if (is_forced_to_fail(d)) {
        unbuffer_named(d);
        return kind == EXPLORE_ANY ? -1 : 0;
    }
    if (count == 1 && d->request[0] && d->request[0]->kind == REQUEST_EPOCH) {
        d->number = d->polled_before ? 0 : decision_of_epoch(d->request[0]->number);
        d->forced = WORLD_ANSWER_FREE;
    } else if ((active > 1 && kind != EXPLORE_ALL) || (poll && !d->polled_before)) {
        number_give(d, ME);
    }
    CORE_CHECK(active > 0); /* required by the header */
    EXPLORE->report.asked_again |= d->polled_before;
    world_explore_ask(d);
    number_answered(d, d->answer != 0 || !poll);
    for (int i = 0; i < count; i++)
        if (d->request[i])
            d->request[i]->polled = poll && !d->answer;
    if (!d->number ||
        d->decided >= EXPLORE_TRACKED) { /* nobody asks again what it might have got */
        world_block_give(d->request, pointers);
        world_block_give(d->serial, serials);
    }
    return kind == EXPLORE_ANY ? d->answer - poll : d->answer;
}

int32_t world_explore_wait(enum world_explore_kind kind, int count, MPI_Request request[],
                           bool poll)
{
    return ask_of_requests(&(struct world_decider){.kind = kind, .count = count, .poll = poll},
                           request);
}

bool world_explore_named(int32_t answer, int active_index)
{
    return active_index >= EXPLORE_BITS || answer >> active_index & 1;
}
