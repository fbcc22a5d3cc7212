/* Searches by states: worlds that reach the same state have the same future, so each state is
 * examined once (world/ranks/states.c). The result is a list of answers for each different end; a
 * world that is run with these answers shows what the end is. If one of these worlds does not give
 * its answers, the search by states has failed, and worlds are run one by one as before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "explore/ahead.h"
#include "explore/search.h"
#include "world/processes/processes.h"

/* A search by states may take this share of the time left, or so many seconds if there is no limit.
 */
static const double MERGE_SHARE = 0.75;
static const double MERGE_S = 600;

static const char not_again[] = "an outcome could not be reached again";

static enum core_status merge_list(const struct world_state_answer *from, uint32_t count,
                                   struct explore_list *out_list)
{
    enum core_status status = CORE_OK;
    *out_list = (struct explore_list){0};
    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        const struct explore_answer answer = {from[i].rank, from[i].number, from[i].answer, 0};
        status = CORE_ARRAY_PUSH(out_list->answer, out_list->count, out_list->room, "a schedule",
                                 answer);
    }
    return status;
}

static void merge_in_vain(struct explore_search *s, const char *why)
{
    snprintf(s->states_why, sizeof s->states_why, "%s", why);
}

/* Runs a world for each end. Copies the ends first, as each world overwrites them. */
static enum core_status merge_ends(struct explore_search *s, const struct world_states *states)
{
    struct world_state_answer *answer = NULL;
    const uint64_t count = states->answer_count;
    enum core_status status = CORE_ARRAY_NEW(answer, count + 1, "the schedules to explore");
    if (status != CORE_OK)
        return status;
    for (uint64_t i = 0; i < count; i++)
        answer[i] = states->answer[i];
    for (uint64_t i = 0; i < count && status == CORE_OK && !*s->states_why;) {
        const uint32_t length = answer[i].number;
        struct explore_list list;
        bool given = false;
        if (answer[i].rank != UINT32_MAX || length > count - i - 1)
            break; /* a rank has overwritten the record */
        status = merge_list(answer + i + 1, length, &list);
        if (status == CORE_OK)
            status = explore_search_end(s, &list, &given);
        explore_list_done(&list);
        if (status == CORE_OK && !given)
            merge_in_vain(s, not_again);
        if (explore_search_spent(s) && i + 1 + length < count)
            merge_in_vain(s, "the time limit was reached");
        i += 1 + (uint64_t)length;
    }
    free(answer);
    return status;
}

static enum core_status merge_try(struct explore_search *s, bool as_one)
{
    struct world_states states = {.as_one = as_one};
    const double left_s = explore_search_left_s(s);
    enum core_status status = s->options->states(
        s->context, left_s > 0 ? left_s * MERGE_SHARE : MERGE_S, s->options->stop, &states);
    if (status != CORE_OK)
        return status;
    const uint64_t count = states.states;
    if (!states.complete) {
        merge_in_vain(s, *states.why ? states.why : "it was ended");
        return status;
    }
    if (!count && s->behaviours > 1) { /* something besides messages and requests decides */
        merge_in_vain(s, "it takes decisions that the search of states does not support");
        return status;
    }
    s->asked_again |= states.asked_again;
    s->states_steps = states.steps;
    snprintf(s->states_together, sizeof s->states_together, "%s", states.together);
    status = merge_ends(s, &states);
    if (status != CORE_OK || *s->states_why)
        return status;
    s->states = count;
    while (s->heap_count) {
        struct explore_item item = explore_heap_pop(s);
        explore_item_done(&item);
    }
    while (s->overdue_count)
        explore_item_done(&s->overdue[--s->overdue_count]);
    return status;
}

/* Ranks that are executed each by itself may come together in a way that is not possible: a rank
 * does not know there which messages it must have got (world/ranks/compose.c). Then they are
 * executed as one. */
enum core_status explore_merge(struct explore_search *s)
{
    const enum core_status status = merge_try(s, false);
    if (status != CORE_OK || *s->states_together || strcmp(s->states_why, not_again) != 0)
        return status;
    *s->states_why = 0;
    return merge_try(s, true);
}
