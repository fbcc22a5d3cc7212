/* See the header. A trial runs a world, looks for the first receive at the second place whose
 * source differs from that of the receive before it, gives it that source, and runs again, until
 * none differs. It starts from the default order, from each outcome's schedule, and from the orders
 * in which one receive at the first place gets another message. */
#include "explore/source_pair.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/decision/decision.h"
#include "core/random.h"
#include "explore/ahead.h"
#include "explore/clock.h"

#define A_PAIR "pairs of receives"

enum { PAIRS_MAX = 4, RUNS_MAX = 200, ORDERS_MAX = 16, SECONDS_MAX = 60 };

struct pair_trial {
    struct explore_program *program;
    uint32_t runs;
    double until_s;             /* no world begins after it */
    bool spent;                 /* the time, or the number of runs, is used up */
    uint64_t key;               /* of the outcome of the first order */
    uint64_t order[ORDERS_MAX]; /* hashes of the orders that were tried */
    uint32_t order_count;
};

static bool is_receive(const struct world_decision *d)
{
    return d->reason == REPLAY_REASON_MATCH && !d->poll &&
           decision_kind_of(d->number) == DECISION_CHOICE && d->number < DECISION_THREAD_NUMBERS;
}

/* Returns the receive before decision `at` of the same rank; NULL if there is none. */
static const struct world_decision *receive_before(const struct world_decisions *decisions,
                                                   uint32_t at)
{
    for (uint32_t i = at; i-- > 0;)
        if (decisions->decision[i].rank == decisions->decision[at].rank &&
            is_receive(&decisions->decision[i]))
            return &decisions->decision[i];
    return NULL;
}

static void call_set(struct explore_pair_call *call, const struct world_decision *d)
{
    memcpy(call->call, d->call, sizeof call->call);
    call->site = d->site;
    call->source = d->answer;
}

/* Finds the first receive from `from` on that follows one at another place and has another source;
 * of the two places of `pair`, unless that is NULL. Returns its index, or the count if none. */
static uint32_t source_unpaired(const struct world_decisions *decisions, uint32_t from,
                                const struct explore_pair *pair,
                                const struct world_decision **out_first)
{
    for (uint32_t i = from; i < decisions->decision_count; i++) {
        const struct world_decision *d = &decisions->decision[i];
        if (!is_receive(d) ||
            (pair && (d->site != pair->then.site || (uint32_t)d->rank != pair->rank)))
            continue;
        const struct world_decision *first = receive_before(decisions, i);
        if (!first || first->answer == d->answer || first->site == d->site ||
            (pair && first->site != pair->first.site))
            continue;
        *out_first = first;
        return i;
    }
    return decisions->decision_count;
}

/* Runs a world; *out_there is false if it fails, or could not be run as asked. */
static enum core_status trial_run(struct pair_trial *trial, const struct explore_list *list,
                                  uint64_t *out_key, bool *out_there)
{
    static const struct explore_sends all_buffered;
    struct explore_program *program = trial->program;
    struct replay_policy policy;
    const struct world_outcome *outcome;
    struct explore_events events;
    *out_there = false;
    trial->spent |= trial->runs >= RUNS_MAX || explore_clock_s() >= trial->until_s ||
                    (program->end_s > 0 && explore_clock_s() >= program->end_s);
    if (trial->spent)
        return CORE_OK;
    enum core_status status = explore_policy(list, &all_buffered, &policy);
    if (status != CORE_OK)
        return status;
    trial->runs++;
    status = explore_program_run(program, &policy, &(struct replay_choice){0}, &outcome, out_key,
                                 &events);
    replay_policy_done(&policy);
    if (status != CORE_OK)
        return status;
    trial->spent = outcome->decisions->unfinished;
    *out_there = !trial->spent && !outcome->decisions->cut && !outcome->finding_count;
    return CORE_OK;
}

/* Gives decision `at` this answer, and frees the later ones of its rank. */
static enum core_status list_answer(struct explore_list *list, const struct world_decision *at,
                                    int32_t answer)
{
    struct explore_answer set = {(uint32_t)at->rank, at->number, answer, 0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->answer[i].rank != set.rank || list->answer[i].number < set.number)
            list->answer[kept++] = list->answer[i];
    list->count = kept;
    return CORE_ARRAY_PUSH(list->answer, list->count, list->room, A_PAIR, set);
}

static void order_note(struct pair_trial *trial, const struct world_decisions *decisions)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < decisions->decision_count; i++) {
        const struct world_decision *d = &decisions->decision[i];
        struct explore_answer answer = {(uint32_t)d->rank, d->number, d->answer, 0};
        hash += core_random_mix(explore_answer_hash(&answer));
    }
    for (uint32_t i = 0; i < trial->order_count; i++)
        if (trial->order[i] == hash)
            return;
    if (trial->order_count < ORDERS_MAX)
        trial->order[trial->order_count++] = hash;
}

/* Runs the list with the remedy. *out_works: all later receives of the pair had that source, and
 * the outcome is that of the trials before; or no time was left to try this order. Changes the
 * list. */
static enum core_status trial_pair(struct pair_trial *trial, const struct explore_pair *pair,
                                   struct explore_list *list, bool *out_works)
{
    const struct world_decisions *decisions;
    const struct world_decision *first;
    uint64_t key = 0;
    uint32_t at;
    *out_works = false;
    for (;;) {
        bool there;
        enum core_status status = trial_run(trial, list, &key, &there);
        *out_works = trial->spent;
        if (status != CORE_OK || !there)
            return status;
        decisions = trial->program->outcome.world.decisions;
        at = source_unpaired(decisions, 0, pair, &first);
        if (at == decisions->decision_count)
            break;
        status = list_answer(list, &decisions->decision[at], first->answer);
        if (status != CORE_OK)
            return status;
    }
    if (!trial->order_count)
        trial->key = key;
    *out_works = key == trial->key;
    order_note(trial, decisions);
    return CORE_OK;
}

/* Finds, in the last world, another message for each receive at the first place. */
static enum core_status others_take(const struct explore_program *program,
                                    const struct explore_pair *pair, struct explore_list *out_list)
{
    const struct world_decisions *decisions = program->outcome.world.decisions;
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < decisions->decision_count && status == CORE_OK; i++) {
        const struct world_decision *d = &decisions->decision[i];
        if (!is_receive(d) || d->site != pair->first.site || (uint32_t)d->rank != pair->rank)
            continue;
        for (uint32_t o = 0; o < d->option_count && status == CORE_OK; o++) {
            int32_t answer = decisions->option[d->option_first + o].answer;
            struct explore_answer set = {pair->rank, d->number, answer, 0};
            if (answer != d->answer)
                status =
                    CORE_ARRAY_PUSH(out_list->answer, out_list->count, out_list->room, A_PAIR, set);
        }
    }
    return status;
}

/* Runs the default order, and those in which one receive at the first place gets another message.
 */
static enum core_status trial_orders(struct pair_trial *trial, const struct explore_pair *pair,
                                     bool *out_works)
{
    struct explore_list list = {0}, others = {0};
    enum core_status status = trial_pair(trial, pair, &list, out_works);
    if (status == CORE_OK && *out_works && !trial->spent)
        status = others_take(trial->program, pair, &others);
    explore_list_done(&list);
    for (uint32_t i = 0;
         i < others.count && i < ORDERS_MAX && status == CORE_OK && *out_works && !trial->spent;
         i++) {
        struct explore_list one = {0};
        status = CORE_ARRAY_PUSH(one.answer, one.count, one.room, A_PAIR, others.answer[i]);
        if (status == CORE_OK)
            status = trial_pair(trial, pair, &one, out_works);
        explore_list_done(&one);
    }
    explore_list_done(&others);
    return status;
}

static enum core_status trial_try(struct pair_trial *trial, const struct explore_look *look,
                                  uint32_t count, struct explore_pair *pair)
{
    bool works;
    trial->order_count = 0;
    enum core_status status = trial_orders(trial, pair, &works);
    for (uint32_t i = 0; i < count && status == CORE_OK && works && !trial->spent; i++) {
        struct explore_list list = {0};
        if (look[i].failure || look[i].sends.wait)
            continue;
        status = explore_list_copy(&look[i].list, look[i].list.count, &list);
        if (status == CORE_OK)
            status = trial_pair(trial, pair, &list, &works);
        explore_list_done(&list);
    }
    pair->is = status == CORE_OK && works && trial->order_count > 1;
    pair->orders = trial->order_count;
    return status;
}

static bool is_known(const struct explore_pair *known, uint32_t count,
                     const struct explore_pair *pair)
{
    for (uint32_t i = 0; i < count; i++)
        if (known[i].rank == pair->rank && known[i].first.site == pair->first.site &&
            known[i].then.site == pair->then.site)
            return true;
    return false;
}

/* Finds the pairs of places whose sources differ in the world of an outcome. */
static enum core_status pairs_take(struct pair_trial *trial, const struct explore_look *look,
                                   struct explore_pair pair[PAIRS_MAX], uint32_t *count)
{
    bool there;
    uint64_t key;
    enum core_status status = trial_run(trial, &look->list, &key, &there);
    if (status != CORE_OK || !there)
        return status;
    const struct world_decisions *decisions = trial->program->outcome.world.decisions;
    const struct world_decision *first;
    for (uint32_t i = source_unpaired(decisions, 0, NULL, &first);
         i < decisions->decision_count && *count < PAIRS_MAX;
         i = source_unpaired(decisions, i + 1, NULL, &first)) {
        struct explore_pair found = {.rank = (uint32_t)decisions->decision[i].rank};
        call_set(&found.first, first);
        call_set(&found.then, &decisions->decision[i]);
        if (!is_known(pair, *count, &found))
            pair[(*count)++] = found;
    }
    return CORE_OK;
}

enum core_status explore_pair_find(struct explore_program *program, const struct explore_look *look,
                                   uint32_t count, struct explore_pair *out_pair)
{
    struct pair_trial trial = {.program = program, .until_s = explore_clock_s() + SECONDS_MAX};
    struct explore_pair pair[PAIRS_MAX];
    uint32_t pairs = 0;
    enum core_status status = CORE_OK;
    *out_pair = (struct explore_pair){0};
    for (uint32_t i = 0; i < count && status == CORE_OK && program->worlds; i++)
        if (!look[i].failure && !look[i].sends.wait)
            status = pairs_take(&trial, &look[i], pair, &pairs);
    for (uint32_t i = 0; i < pairs && status == CORE_OK && !out_pair->is; i++) {
        status = trial_try(&trial, look, count, &pair[i]);
        if (pair[i].is)
            *out_pair = pair[i];
    }
    return status;
}
