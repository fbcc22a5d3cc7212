/* Decides what is left open when the world is at rest: which message a wildcard takes, or whether a
 * waitany takes another request than recorded. The policy or a hook decides. */
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/work.h"
#include "replay/logical/run_state.h"

static bool option_add(struct replay_run *run, const struct replay_option *option)
{
    if (CORE_ARRAY_PUSH(run->option, run->option_count, run->option_room, "a replay", *option))
        run->failed = CORE_NO_MEMORY;
    return run->failed == CORE_OK;
}

static bool match_add(struct replay_run *run, struct matching_offer offer)
{
    struct matching_key key, message_key;
    uint32_t receive_op, send_op;
    bool is_receive = run_entry(run, offer.receive, &key, &receive_op);
    run_entry(run, offer.message, &message_key, &send_op);
    CORE_CHECK(is_receive && key.to == message_key.to && key.from < 0);
    const struct replay_op *receive = &run->program->rank[key.to].op[receive_op];
    return option_add(
        run, &(struct replay_option){.kind = REPLAY_OPTION_MATCH,
                                     .diverges = replay_op_diverges(receive, message_key.from),
                                     .rank = key.to,
                                     .op = receive_op,
                                     .from = message_key.from,
                                     .from_op = send_op,
                                     .entry = offer.receive,
                                     .message = offer.message});
}

static bool matches_add_of_receive(struct replay_run *run, uint32_t receive)
{
    struct matching_key key;
    uint32_t receive_op;
    run_entry(run, receive, &key, &receive_op);
    if (key.from >= 0)
        return true;
    uint32_t count =
        matching_candidates(&run->match, receive, run->candidate, run->program->rank_count);
    CORE_CHECK(count <= run->program->rank_count); /* one per source */
    for (uint32_t i = 0; i < count; i++)
        if (!match_add(run, (struct matching_offer){receive, run->candidate[i]}))
            return false;
    return true;
}

static int compare_offers(const void *a, const void *b, void *match)
{
    const struct replay_option *x = a, *y = b;
    const struct matching_offer first = {x->entry, x->message}, second = {y->entry, y->message};
    return matching_offered_before(match, &first, &second)
               ? -1
               : matching_offered_before(match, &second, &first);
}

/* Tells whether these options suffice for the decision: as the hook says, or, for the policy, if
 * one agrees with the record. */
static bool is_enough(struct replay_run *run, const struct replay_option *option, uint32_t count)
{
    if (run->hooks.decide)
        return run->hooks.enough(run->hooks.context, option, count);
    bool agrees = false;
    for (uint32_t i = 0; i < count && run->policy->order != REPLAY_ORDER_RANDOM; i++)
        agrees |= !option[i].diverges;
    return agrees;
}

/* Collects the options of the destination's first wildcard that has any. */
enum first_match { FIRST_NONE, FIRST_ENOUGH, FIRST_MORE, FIRST_UNKNOWN };
static enum first_match first_match_add(struct replay_run *run, uint32_t to)
{
    enum { LOOKED_AT = 8 };
    uint32_t at = MATCHING_NONE, looked = 0;
    run->option_count = 0;
    while ((at = matching_wild(&run->match, to, at)) && !run->option_count)
        if (looked++ == LOOKED_AT || !matches_add_of_receive(run, at))
            return FIRST_UNKNOWN;
    if (!run->option_count)
        return FIRST_NONE;
    return is_enough(run, run->option, run->option_count) ? FIRST_ENOUGH : FIRST_MORE;
}

/* Finds the first wildcard whose options suffice, without the others: with many waiting wildcards,
 * collecting all options for each decision takes longer than the decisions. False: collect all. */
static bool first_matches_add(struct replay_run *run)
{
    enum first_match found = FIRST_NONE;
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++) {
        found = first_match_add(run, rank);
        if (found == FIRST_ENOUGH)
            return true;
        if (found == FIRST_UNKNOWN || (found == FIRST_MORE && !run->hooks.decide) ||
            run_looking_first(run, rank) != UINT32_MAX)
            return false;
    }
    return false;
}

/* Adds matches from the side with fewer entries, always in the same order. */
static void matches_add(struct replay_run *run, uint32_t to)
{
    struct matching *match = &run->match;
    uint32_t first = run->option_count;
    if (!matching_few_messages(match, to)) {
        for (uint32_t at = matching_wild(match, to, MATCHING_NONE);
             at && matches_add_of_receive(run, at); at = matching_wild(match, to, at))
            ;
        return;
    }
    for (uint32_t at = matching_message(match, to, MATCHING_NONE); at;
         at = matching_message(match, to, at)) {
        uint32_t receive = matching_taker(match, at);
        if (receive && !match_add(run, (struct matching_offer){receive, at}))
            return;
    }
    if (run->option_count > first)
        qsort_r(run->option + first, run->option_count - first, sizeof *run->option, compare_offers,
                match);
}

/* Adds the options of a waiting probe of any source: the first message of each source. */
static void add_probes(struct replay_run *run, uint32_t rank, uint32_t index)
{
    const struct replay_op *op = &run->program->rank[rank].op[index];
    struct matching_key key = {.to = rank, .comm = op->comm, .from = REPLAY_ANY, .tag = op->tag},
                        found;
    uint32_t send_op;
    for (uint32_t from = 0; from < run->program->rank_count; from++) {
        key.from = (int32_t)from;
        uint32_t message = matching_probe(&run->match, &key);
        if (!message)
            continue;
        run_entry(run, message, &found, &send_op);
        CORE_CHECK(found.from == (int32_t)from);
        if (!option_add(run,
                        &(struct replay_option){.kind = REPLAY_OPTION_MATCH,
                                                .diverges = replay_op_diverges(op, (int32_t)from),
                                                .rank = rank,
                                                .op = index,
                                                .from = (int32_t)from,
                                                .from_op = send_op}))
            return;
    }
}

/* Returns what a waitany, waitsome or probe that waits only for its recorded choice could have
 * instead: the index of a completed request, or the source of a message; -1: nothing. */
static int32_t can_relax(struct replay_run *run, const struct rank_state *state, uint32_t rank)
{
    const struct replay_rank *program = &run->program->rank[rank];
    if (state->relaxed)
        return -1;
    CORE_CHECK(state->pc < program->op_count);
    const struct replay_op *op = &program->op[state->pc];
    CORE_CHECK(state->hold == HOLD_ANY || state->hold == HOLD_PROBE);
    if (state->hold == HOLD_ANY) {
        const struct replay_set *set = &program->set[op->request];
        for (uint32_t i = 0; i < set->count; i++)
            if (run_request_is_done(run, rank, program->member[set->first + i]))
                return (int32_t)i;
        return -1;
    }
    struct matching_key key = {.to = rank, .comm = op->comm, .from = op->peer, .tag = op->tag};
    uint32_t message = op->peer == REPLAY_ANY ? matching_probe(&run->match, &key) : MATCHING_NONE,
             who;
    if (!message)
        return -1;
    run_entry(run, message, &key, &who);
    return key.from;
}

/* Adds the standard sends that wait for their receive, including those whose message a matched
 * probe has taken. Forgets the others. */
static void add_buffering(struct replay_run *run)
{
    struct waiting_sends *late = &run->late;
    uint32_t kept = 0;
    bool room = true;

    core_work(late->count);
    for (uint32_t i = 0; i < late->count; i++) {
        struct waiting_send send = late->send[i];
        const struct replay_op *op = &run->program->rank[send.rank].op[send.op];
        CORE_CHECK(op->kind == REPLAY_SEND || op->kind == REPLAY_ISEND);
        if (!run_send_is_held(run, send))
            continue;
        late->send[kept++] = send;
        if (!room || op->mode != REPLAY_STANDARD)
            continue;
        bool blocking =
            op->kind == REPLAY_SEND || run->state[send.rank].request[op->request] & REQUEST_AWAITED;
        room = option_add(run, &(struct replay_option){.kind = REPLAY_OPTION_BUFFER,
                                                       .blocking = blocking,
                                                       .rank = send.rank,
                                                       .op = send.op,
                                                       .from = op->peer});
    }
    late->count = kept;
}

static void gather_held(struct replay_run *run, const struct rank_state *state, uint32_t rank)
{
    if (state->hold != HOLD_ANY && state->hold != HOLD_PROBE)
        return;
    if (state->hold == HOLD_PROBE &&
        run_probe_waits(run, &run->program->rank[rank].op[state->pc])) {
        add_probes(run, rank, state->pc);
        return;
    }
    int32_t instead = can_relax(run, state, rank);
    if (instead >= 0)
        option_add(run, &(struct replay_option){.kind = REPLAY_OPTION_RELAX,
                                                .diverges = true,
                                                .rank = rank,
                                                .op = state->pc,
                                                .from = instead});
}

static void run_rest_gather(struct replay_run *run)
{
    if ((!run->hooks.decide || run->hooks.enough) && first_matches_add(run))
        return;
    run->option_count = 0;
    for (uint32_t rank = 0; rank < run->program->rank_count; rank++) {
        matches_add(run, rank);
        for (uint32_t at = run_looking_first(run, rank); at != UINT32_MAX;
             at = run_looking_next(run, at), core_work(1))
            gather_held(run, &run->state[at], rank);
    }
    if (run->hooks.late_buffering)
        add_buffering(run);
}

static uint32_t run_rest_choose(struct replay_run *run)
{
    if (run->hooks.decide)
        return run->hooks.decide(run->hooks.context, run->option, run->option_count);
    if (run->option_count == 0)
        return REPLAY_STOP;
    if (run->policy->order == REPLAY_ORDER_RANDOM)
        return replay_choice_take(run->choice, run->option_count, REPLAY_REASON_MATCH);
    /* prefer what agrees with the record */
    for (uint32_t i = 0; i < run->option_count; i++)
        if (!run->option[i].diverges)
            return i;
    return 0;
}

static void run_rest_apply(struct replay_run *run, struct replay_option option)
{
    uint32_t context = run_context(run, option.rank, option.op);
    struct rank_state *state = &run->state[context];
    CORE_CHECK(option.rank < run->program->rank_count);
    CORE_CHECK(option.from >= 0);
    switch ((enum replay_option_kind)option.kind) {
    case REPLAY_OPTION_MATCH:
        if (!option.entry) { /* a probe */
            CORE_CHECK(state->hold == HOLD_PROBE && state->pc == option.op);
            state->forced = option.from;
            run_wake(run, context);
            break;
        }
        matching_take(&run->match, option.entry, option.message);
        run_deliver(run, (uint32_t)option.from, option.from_op, option.rank, option.op, true);
        run_settle(run, option.rank);
        break;
    case REPLAY_OPTION_RELAX:
        CORE_CHECK(state->hold == HOLD_ANY || state->hold == HOLD_PROBE);
        CORE_CHECK(!state->relaxed); /* else it would be offered for ever */
        state->relaxed = true;
        run_wake(run, context);
        break;
    case REPLAY_OPTION_BUFFER: {
        const struct replay_op *op = &run->program->rank[option.rank].op[option.op];
        if (op->kind == REPLAY_ISEND) {
            state->request[op->request] |= REQUEST_BUFFERED;
            run_request_done(run, option.rank, op->request);
        } else {
            CORE_CHECK(state->hold == HOLD_MESSAGE && state->pc == option.op);
            run_blocking_done(run, option.rank, option.op);
        }
        if (run->track) {
            run->side[option.from].held_bytes += op->bytes;
            run->side[option.from].held_count++;
        }
        break;
    }
    }
}

bool run_decide(struct replay_run *run)
{
    CORE_CHECK(run->work_count == 0); /* the world is at rest */
    if (!run->candidate &&
        !(run->candidate = malloc(run->program->rank_count * sizeof *run->candidate))) {
        run->failed = core_report(CORE_NO_MEMORY, "out of memory for a replay");
        return false;
    }
    run_rest_gather(run);
    if (run->failed != CORE_OK)
        return false;
    uint32_t chosen = run_rest_choose(run);
    if (chosen == REPLAY_STOP)
        return false;
    CORE_CHECK(chosen < run->option_count);
    run_rest_apply(run, run->option[chosen]);
    return true;
}
