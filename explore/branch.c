/* Finds what a world could have decided otherwise (search.h): queues each other answer to one of
 * its decisions, after the answers before it. Takes time in proportion to the decisions of the
 * world and their answers. */
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "explore/ahead.h"

static enum core_status branch_push(struct explore_list *list, struct explore_answer answer)
{
    return CORE_ARRAY_PUSH(list->answer, list->count, list->room, "a schedule", answer);
}

/* The answers that were asked for, then those that the world decided by itself. place[i]: place of
 * decision i in the list. */
struct grown {
    struct explore_stem *stem;
    uint32_t *place;
    struct core_table named; /* by decision: its place in the list */
    uint32_t asked;
};

struct named {
    uint64_t decision; /* its rank and number */
    uint32_t place;
};

static uint64_t decision_name(uint32_t rank, uint32_t number)
{
    return (uint64_t)rank << 32 | number;
}

static int64_t place_of(const struct grown *grown, uint32_t rank, uint32_t number)
{
    const uint64_t name = decision_name(rank, number);
    const struct named *named = core_table_find(&grown->named, &name);
    return named ? (int64_t)named->place : -1;
}

/* Notes the place of a decision; the first answer of that name counts. */
static enum core_status place_name(struct grown *grown, const struct explore_answer *answer,
                                   uint32_t place)
{
    const uint64_t name = decision_name(answer->rank, answer->number);
    const uint32_t count = grown->named.count;
    struct named *named;
    enum core_status status =
        core_table_put(&grown->named, &name, "the schedules to explore", &named);
    if (status == CORE_OK && grown->named.count > count)
        named->place = place;
    return status;
}

static enum core_status grow_list(const struct world_decisions *decisions, struct grown *out,
                                  struct explore_list *list)
{
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < list->count && status == CORE_OK; i++)
        status = place_name(out, &list->answer[i], i);
    for (uint32_t i = 0; i < decisions->decision_count && status == CORE_OK; i++) {
        const struct world_decision *d = &decisions->decision[i];
        const struct explore_answer answer = {(uint32_t)d->rank, d->number, d->answer, 0};
        int64_t there = place_of(out, answer.rank, answer.number);
        bool asked = there >= 0 && there < out->asked;
        CORE_CHECK(!d->given || asked);
        out->place[i] = asked ? (uint32_t)there : list->count;
        if (asked) /* even if the world gave another answer */
            continue;
        status = place_name(out, &answer, list->count);
        if (status == CORE_OK)
            status = branch_push(list, answer);
    }
    return status;
}

static enum core_status branch_grow(const struct explore_list *asked,
                                    const struct world_decisions *decisions, struct grown *out)
{
    struct explore_list list;
    *out = (struct grown){.asked = asked->count, .named = CORE_TABLE(struct named, decision)};
    enum core_status status = explore_list_copy(asked, asked->count, &list);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(out->place, decisions->decision_count, "the schedules to explore");
    if (status == CORE_OK)
        status = grow_list(decisions, out, &list);
    if (status != CORE_OK) {
        explore_list_done(&list);
        return status;
    }
    return explore_stem_new(&list, &out->stem);
}

static void grown_done(struct grown *grown)
{
    explore_stem_drop(grown->stem);
    core_table_done(&grown->named);
    free(grown->place);
}

/* Queues the first `kept` answers of the list followed by `own`, which it takes over. */
static enum core_status ahead_of(struct explore_search *s, const struct grown *grown, uint32_t kept,
                                 struct explore_list *own, uint32_t changes)
{
    struct explore_item item = {
        .stem = kept ? grown->stem : NULL, .kept = kept, .own = *own, .changes = changes};
    if (item.stem)
        item.stem->holders++;
    return explore_ahead(s, &item);
}

/* Returns a hash of the list's first `count` answers followed by this answer to `d`. */
static uint64_t offer_hash(const struct grown *grown, uint32_t count,
                           const struct world_decision *d, int32_t answer)
{
    const struct explore_answer last = {(uint32_t)d->rank, d->number, answer, 0};
    CORE_CHECK(count <= grown->stem->list.count);
    return core_random_mix(core_random_mix(grown->stem->before[count]) ^
                           explore_answer_hash(&last));
}

/* Tells whether the search knows a list that has the same turn earlier, before turns that it is
 * independent of: both lists are the same behaviour. */
static bool comes_elsewhere(struct explore_search *s, const struct grown *grown,
                            const struct world_decisions *decisions, uint32_t index,
                            const struct world_option *option)
{
    const struct world_decision *d = &decisions->decision[index];
    for (uint32_t i = index, independent = option->independent; i-- > 0 && independent;) {
        const struct world_decision *e = &decisions->decision[i];
        if (e->rank != d->rank || e->number - e->place != d->number - d->place || !e->place)
            continue;
        struct explore_answer last = grown->stem->list.answer[grown->place[i]];
        last.answer = option->answer;
        const struct explore_item item = {
            .stem = grown->stem, .kept = grown->place[i], .own = {&last, 1, 1}};
        uint64_t hash = explore_item_name(&item);
        if (option->answer < e->answer && core_table_find(&s->known, &hash))
            return true;
        independent--;
    }
    return false;
}

static enum core_status other_answers(struct explore_search *s, const struct grown *grown,
                                      const struct world_decisions *decisions, uint32_t index,
                                      uint32_t changes)
{
    const struct world_decision *d = &decisions->decision[index];
    enum core_status status = CORE_OK;

    for (uint32_t o = 0; o < d->option_count && status == CORE_OK; o++) {
        const struct world_option *option = &decisions->option[d->option_first + o];
        int32_t answer = option->answer;
        struct explore_list own = {0};
        struct known *offer;
        uint64_t hash = offer_hash(grown, grown->place[index], d, answer);
        if (d->place)
            status = core_table_put(&s->offered, &hash, "the schedules to explore", &offer);
        if (status != CORE_OK)
            break;
        if (answer == d->answer || comes_elsewhere(s, grown, decisions, index, option))
            continue;
        struct explore_answer last = grown->stem->list.answer[grown->place[index]];
        last.answer = answer;
        status = branch_push(&own, last);
        if (status == CORE_OK)
            status = ahead_of(s, grown, grown->place[index], &own, changes + 1);
    }
    return status;
}

/* Returns how many answers of the list come before the one at `place` and its own witnesses. */
static uint32_t level_of(const struct explore_list *list, uint32_t place)
{
    while (place && list->answer[place - 1].serves)
        place--;
    return place;
}

/* Returns the first number for the decision that no kept answer uses: a turn is numbered by how
 * many come before it, and the list may keep only some of them. The kept answers are the first
 * `level` of the list, then `own`. */
static uint32_t number_free(const struct grown *grown, uint32_t level,
                            const struct explore_list *own, const struct world_decision *d)
{
    uint32_t number = d->place ? d->number - d->place + 1 : d->number;
    for (bool is_used = d->place; is_used; number += is_used) {
        int64_t there = place_of(grown, (uint32_t)d->rank, number);
        is_used = there >= 0 && there < level;
        for (uint32_t i = 0; i < own->count && !is_used; i++)
            is_used = own->answer[i].rank == (uint32_t)d->rank && own->answer[i].number == number;
    }
    return number;
}

static enum core_status put_off(struct explore_search *s, const struct grown *grown,
                                const struct world_decisions *decisions,
                                const struct world_missed *missed, uint32_t changes)
{
    const struct explore_list *list = &grown->stem->list;
    uint32_t place = grown->place[missed->decision], first = place;
    struct explore_list own = {0};
    enum core_status status = CORE_OK;

    if (list->answer[place].serves) /* examined where the decision is free */
        return CORE_OK;
    for (uint32_t i = missed->before; i < missed->decision; i++)
        first = grown->place[i] < first ? grown->place[i] : first;
    uint32_t level = level_of(list, first);
    for (uint32_t i = 0; i < missed->causes_count && status == CORE_OK; i++) {
        const struct world_decision *d =
            &decisions->decision[decisions->causes[missed->causes_first + i]];
        if (place_of(grown, (uint32_t)d->rank, d->number) >= (int64_t)level)
            status = branch_push(&own, (struct explore_answer){(uint32_t)d->rank,
                                                               number_free(grown, level, &own, d),
                                                               d->answer, 1});
    }
    const struct world_decision *decision = &decisions->decision[missed->decision];
    uint64_t offer = offer_hash(grown, level, decision, missed->answer);
    if (status == CORE_OK && missed->there && !own.count &&
        (!decision->place || core_table_find(&s->offered, &offer))) /* where it was free */
        return CORE_OK;
    struct explore_answer last = list->answer[place];
    last.answer = missed->answer;
    if (own.count)
        explore_answers_sort(own.answer, own.count);
    if (status == CORE_OK)
        status = branch_push(&own, last);
    if (status != CORE_OK) {
        explore_list_done(&own);
        return status;
    }
    return ahead_of(s, grown, level, &own, changes + 1);
}

enum core_status explore_branch(struct explore_search *s, const struct explore_list *asked,
                                uint32_t changes, const struct world_decisions *decisions)
{
    struct grown grown;
    enum core_status status = branch_grow(asked, decisions, &grown);

    for (uint32_t i = 0; i < decisions->decision_count && status == CORE_OK; i++)
        if (grown.place[i] >= grown.asked)
            status = other_answers(s, &grown, decisions, i, changes);
    for (uint32_t i = 0; i < decisions->missed_count && status == CORE_OK; i++)
        status = put_off(s, &grown, decisions, &decisions->missed[i], changes);
    grown_done(&grown);
    return status;
}
