/* A world of many decisions (here of as many polls, each of which may find something or not): what
 * waits to be run behind it is counted in answers that are held, for n, 2n and 4n decisions. Each
 * child of it, run, has the answers before its own as they were. And where worlds are no longer
 * begun, as the time is over, the search for the least schedule asks for no more of them. */
#include "explore/ahead.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"

enum { POLLS = 5000, HELD_MOST = 3, WORLDS = 8, AGAIN = 3 };

struct polls {
    uint32_t count;
    struct world_decision *decision;
    struct world_option *option;
    struct world_decisions told;
    struct world_outcome outcome;
    uint64_t asked, failed;
    uint64_t in_time; /* worlds; 0: all */
};

static int faults;

static void polls_new(struct polls *p, uint32_t count)
{
    *p = (struct polls){.count = count};
    if (CORE_ARRAY_NEW(p->decision, count, "polls") != CORE_OK ||
        CORE_ARRAY_NEW(p->option, (uint64_t)2 * count, "polls") != CORE_OK)
        abort();
    for (uint32_t i = 0; i < 2 * count; i++)
        p->option[i].answer = (int32_t)(i % 2);
    for (uint32_t i = 0; i < count; i++)
        p->decision[i] = (struct world_decision){.reason = REPLAY_REASON_WAIT,
                                                 .rank = (int)(i % 2),
                                                 .number = i / 2 + 1,
                                                 .call = "MPI_Test",
                                                 .poll = true,
                                                 .option_first = 2 * i,
                                                 .option_count = 2};
    p->outcome = (struct world_outcome){.decisions = &p->told, .finished = true};
}

static void polls_done(struct polls *p)
{
    free(p->decision);
    free(p->option);
}

/* Each poll finds something, unless it is to find nothing; a world of one whose last poll finds
 * nothing differs from the others. */
static enum core_status polls_run(void *context, const struct replay_policy *policy,
                                  const struct replay_choice *choice,
                                  const struct world_outcome **out_outcome, uint64_t *out_key,
                                  struct explore_events *out_events)
{
    struct polls *p = context;
    uint32_t given = 0, differ = 0;

    (void)choice;
    for (uint32_t i = 0; i < p->count; i++) {
        struct world_decision *d = &p->decision[i];
        const struct replay_name *name =
            replay_policy_find(&policy->forced, (uint32_t)d->rank, false, d->number);
        d->given = name != NULL;
        d->answer = name ? name->source : 1;
        given += d->given;
        differ += d->answer != 1;
        p->failed += d->given && d->answer != 1 && given != policy->forced.count;
    }
    p->asked++;
    p->told = (struct world_decisions){.decision = p->decision,
                                       .option = p->option,
                                       .decision_count = p->count,
                                       .option_count = 2 * p->count,
                                       .unfinished = p->in_time && p->asked > p->in_time};
    p->failed += given != policy->forced.count || differ > 1;
    *out_outcome = &p->outcome;
    *out_key = differ;
    *out_events = (struct explore_events){0};
    return CORE_OK;
}

/* Answers that are held, each once. */
static uint64_t held(const struct explore_search *s)
{
    uint64_t answers = 0;

    for (uint32_t i = 0; i < s->heap_count; i++) {
        const struct explore_stem *stem = s->heap[i].stem;
        bool first = stem != NULL;
        for (uint32_t k = 0; k < i && first; k++)
            first = s->heap[k].stem != stem;
        answers += s->heap[i].own.count + (first ? stem->list.count : 0);
    }
    return answers;
}

/* One world, and then some of its children. */
static void search(uint32_t count, uint64_t worlds)
{
    enum { SHARE = 4 };
    const struct explore_options options = {.worlds_max = worlds * SHARE / (SHARE - 1) + 1,
                                            .chance = true};
    struct explore_search s;
    struct polls p;

    polls_new(&p, count);
    if (explore_search(polls_run, &p, 2, &options, &s) != CORE_OK)
        faults++;
    uint64_t answers = held(&s);
    if (s.known.count < count || p.failed) {
        printf("%u decisions: %u lists, %llu of them wrong\n", count, s.known.count,
               (unsigned long long)p.failed);
        faults++;
    }
    if (answers > HELD_MOST * worlds * count) {
        printf("%u decisions: %llu answers are held\n", count, (unsigned long long)answers);
        faults++;
    }
    explore_search_done(&s);
    polls_done(&p);
}

static void shrink(void)
{
    struct explore_search s;
    struct explore_list list;
    struct explore_sends sends;
    struct polls p;

    polls_new(&p, POLLS);
    if (explore_search(polls_run, &p, 2, &(struct explore_options){.worlds_max = WORLDS}, &s) !=
        CORE_OK)
        faults++;
    for (uint32_t i = 0; i < s.class_count; i++) {
        p.in_time = 1;
        p.asked = 0;
        if (explore_shrink(&s, &s.class[i], &list, &sends) != CORE_OK)
            faults++;
        if (p.asked > AGAIN) {
            printf("%llu worlds are asked for when the time is over\n",
                   (unsigned long long)p.asked);
            faults++;
        }
        explore_list_done(&list);
        explore_sends_done(&sends);
    }
    explore_search_done(&s);
    polls_done(&p);
}

int main(void)
{
    for (uint32_t times = 1; times <= 4; times *= 2)
        search(times * POLLS, 1);
    search(POLLS, WORLDS);
    shrink();
    return faults != 0;
}
