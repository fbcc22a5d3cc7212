/* See the header. Questions and answers are the bytes of structs. Call names are addresses in the
 * helper's process: events are sent without them, as the search does not use them. */
#include "explore/spread.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "explore/failure.h"

struct question { /* the list's answers follow */
    uint64_t seed;
    uint64_t seeded;
};

struct answer { /* its arrays follow, in the order of answer_parts */
    uint64_t key;
    struct world_decisions decisions;
    uint64_t event_count;
    bool finished;
    enum world_rule failure; /* WORLD_RULE_NONE: it did not fail */
    int32_t failed;          /* the rank that failed */
    char says[WORLD_TEXT_MAX];
};
_Static_assert(sizeof(struct answer) % 8 == 0, "the arrays behind it are aligned");

struct explore_spread {
    struct search_spread *spread;
    struct world_outcome outcome; /* of the world that was taken last */
    struct world_decisions decisions;
};

static void answer_parts(const struct answer *answer, const struct world_decisions *decisions,
                         const struct world_event *event, struct search_bytes part[SEARCH_PARTS])
{
    part[0] = (struct search_bytes){answer, sizeof *answer};
    part[1] = (struct search_bytes){decisions->decision,
                                    decisions->decision_count * sizeof *decisions->decision};
    part[2] = (struct search_bytes){event, answer->event_count * sizeof *event};
    part[3] = (struct search_bytes){decisions->option,
                                    decisions->option_count * sizeof *decisions->option};
    part[4] = (struct search_bytes){decisions->missed,
                                    decisions->missed_count * sizeof *decisions->missed};
    part[5] = (struct search_bytes){decisions->causes,
                                    decisions->causes_count * sizeof *decisions->causes};
}

/* --- a helper --------------------------------------------------------------------------------- */

struct serving {
    explore_run_fn run;
    void *context;
    struct answer answer;
};

static void failure_note(const struct world_outcome *outcome, struct answer *answer)
{
    const struct world_finding *failure = explore_failure_of(outcome);
    answer->failure = failure ? failure->rule : WORLD_RULE_NONE;
    if (!failure)
        return;
    answer->failed = failure->rank;
    memcpy(answer->says, failure->text, sizeof answer->says);
}

static enum core_status world_answer(void *context, const void *bytes, size_t count,
                                     struct search_bytes out_part[SEARCH_PARTS])
{
    static const struct explore_sends all_buffered;
    struct serving *serving = context;
    struct question asked;
    struct explore_list list;
    struct replay_choice choice = {0};
    struct replay_policy policy;
    const struct world_outcome *outcome = NULL;
    struct explore_events events = {0};

    CORE_CHECK(count >= sizeof asked && (count - sizeof asked) % sizeof *list.answer == 0);
    memcpy(&asked, bytes, sizeof asked);
    list = (struct explore_list){
        .answer = (struct explore_answer *)((const uint8_t *)bytes + sizeof asked),
        .count = (uint32_t)((count - sizeof asked) / sizeof *list.answer)};
    if (asked.seeded)
        replay_choice_seed(&choice, asked.seed);
    enum core_status status = explore_policy(&list, &all_buffered, &policy);
    if (status != CORE_OK)
        return status;
    memset(&serving->answer, 0, sizeof serving->answer);
    status =
        serving->run(serving->context, &policy, &choice, &outcome, &serving->answer.key, &events);
    replay_policy_done(&policy);
    if (status != CORE_OK)
        return status;
    serving->answer.decisions = *outcome->decisions;
    serving->answer.finished = outcome->finished;
    serving->answer.event_count = events.count;
    failure_note(outcome, &serving->answer);
    answer_parts(&serving->answer, outcome->decisions, events.event, out_part);
    return CORE_OK;
}

void explore_spread_serve(struct search_helper *helper, explore_run_fn run, void *context)
{
    struct serving serving = {.run = run, .context = context};
    search_helper_serve(helper, world_answer, &serving);
}

/* --- the search's side ------------------------------------------------------------------------ */

enum core_status explore_spread_new(struct search_spread *spread,
                                    struct explore_spread **out_spread)
{
    struct explore_spread *made = NULL;
    enum core_status status = spread ? CORE_ARRAY_NEW(made, 1, "the helpers of a search") : CORE_OK;
    if (status != CORE_OK)
        search_spread_free(spread);
    else if (made)
        made->spread = spread;
    *out_spread = made;
    return status;
}

void explore_spread_free(struct explore_spread *spread)
{
    if (!spread)
        return;
    search_spread_free(spread->spread);
    free(spread);
}

int explore_spread_room(struct explore_spread *spread)
{
    return search_spread_room(spread->spread);
}

bool explore_spread_give(struct explore_spread *spread, uint64_t hash,
                         const struct explore_list *list, bool seeded, uint64_t seed)
{
    const struct question asked = {.seed = seed, .seeded = seeded};
    const struct search_bytes part[2] = {{&asked, sizeof asked},
                                         {list->answer, list->count * sizeof *list->answer}};
    return search_spread_give(spread->spread, hash, part);
}

bool explore_spread_take(struct explore_spread *spread, uint64_t hash,
                         const struct world_outcome **out_outcome, uint64_t *out_key,
                         struct explore_events *out_events)
{
    struct search_bytes bytes, part[SEARCH_PARTS];
    if (!search_spread_take(spread->spread, hash, &bytes))
        return false;
    const struct answer *answer = bytes.at;
    const uint8_t *at[SEARCH_PARTS], *end = bytes.at;
    CORE_CHECK(bytes.bytes >= sizeof *answer);
    answer_parts(answer, &answer->decisions, NULL, part);
    for (int i = 0; i < SEARCH_PARTS; end += part[i++].bytes)
        at[i] = end;
    CORE_CHECK(end == (const uint8_t *)bytes.at + bytes.bytes);
    spread->decisions = answer->decisions;
    spread->decisions.decision = (const void *)at[1];
    spread->decisions.option = (const void *)at[3];
    spread->decisions.missed = (const void *)at[4];
    spread->decisions.causes = (const void *)at[5];
    spread->outcome =
        (struct world_outcome){.finished = answer->finished, .decisions = &spread->decisions};
    if (answer->failure != WORLD_RULE_NONE) {
        struct world_finding *failure = &spread->outcome.finding[0];
        failure->rule = answer->failure;
        failure->rank = answer->failed;
        memcpy(failure->text, answer->says, sizeof failure->text);
        spread->outcome.finding_count = 1;
    }
    *out_outcome = &spread->outcome;
    *out_key = answer->key;
    *out_events = (struct explore_events){(const void *)at[2], answer->event_count};
    return true;
}
