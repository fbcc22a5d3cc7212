/* The search; see the header. Lists that wait to be run are in a heap (ahead.h). Lists with the
 * fewest answers that differ from the defaults come first; a hash of the list orders equal ones, so
 * that early and late decisions alternate. */
#include "explore/search.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "core/search/shrink.h"
#include "explore/ahead.h"
#include "explore/clock.h"
#include "explore/failure.h"
#include "explore/message_diff.h"
#include "explore/spread.h"
#include "explore/state.h"
#include "explore/store_conflict.h"

/* How far helpers are ahead of the search, at most. */
enum { AHEAD_GIVEN = 8192 };

/* If the budget does not suffice for everything, queued lists get SHARE_AHEAD of its SHARES;
 * sampling gets the rest. */
enum { SHARE_AHEAD = 3, SHARES = 4 };

/* The state is saved after so many seconds, or after so many times the duration of the last save.
 */
static const double KEEP_S = 0.25;
enum { KEEP_SHARE = 20 };

/* Limits for one behaviour: points at which sends wait that are examined, and those that count as
 * blocked. */
enum { PLACES_MAX = 64, STUCK_MAX = 4 };

struct known {
    uint64_t hash;
};

struct kind {
    uint64_t key;
    uint32_t place;
};

static const struct explore_sends all_buffered;

/* --- lists of answers ------------------------------------------------------------------------- */

static enum core_status list_push(struct explore_list *list, struct explore_answer answer)
{
    return CORE_ARRAY_PUSH(list->answer, list->count, list->room, "a schedule", answer);
}

enum core_status explore_list_copy(const struct explore_list *from, uint32_t count,
                                   struct explore_list *out_list)
{
    *out_list = (struct explore_list){0};
    enum core_status status =
        CORE_ARRAY_ROOM(out_list->answer, out_list->room, count, "a schedule");
    if (status == CORE_OK && count) {
        memcpy(out_list->answer, from->answer, count * sizeof *from->answer);
        out_list->count = count;
    }
    return status;
}

void explore_list_done(struct explore_list *list)
{
    CORE_ARRAY_DONE(list->answer, list->count, list->room);
}

/* Hashes a decision and its answer; a turn by its object and mark, as two turns that do not
 * conflict may come in either order. */
static uint64_t decision_hash(const struct world_decision *d)
{
    struct explore_answer answer = {(uint32_t)d->rank, d->number - d->place, d->answer, 0};
    return d->place ? core_random_mix(explore_answer_hash(&answer) ^ d->mark)
                    : explore_answer_hash(&answer);
}

void explore_sends_done(struct explore_sends *sends)
{
    CORE_ARRAY_DONE(sends->kept.name, sends->kept.count, sends->kept.room);
}

/* Joins both sets; leaves *to as it is if memory runs out. */
static enum core_status names_join(const struct replay_names *a, const struct replay_names *b,
                                   struct replay_names *to)
{
    struct replay_names made = {0};
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < a->count && status == CORE_OK; i++)
        status = replay_policy_add(&made, &a->name[i]);
    for (uint32_t i = 0; i < b->count && status == CORE_OK; i++)
        status = replay_policy_add(&made, &b->name[i]);
    if (status != CORE_OK)
        free(made.name);
    else
        *to = made;
    return status;
}

enum core_status explore_sends_copy(const struct explore_sends *from, struct explore_sends *out)
{
    const struct replay_names none = {0};
    out->wait = from->wait;
    return names_join(&from->kept, &none, &out->kept);
}

enum core_status explore_policy(const struct explore_list *list, const struct explore_sends *sends,
                                struct replay_policy *out_policy)
{
    const struct replay_names none = {0};
    struct replay_policy policy;
    struct explore_list sorted = {0};
    enum core_status status = CORE_OK;

    replay_policy_init(&policy);
    policy.order = REPLAY_ORDER_EXPLORE;
    policy.loads = REPLAY_LOADS_TURNS;
    policy.buffering = !sends->wait        ? REPLAY_EAGER
                       : sends->kept.count ? REPLAY_SEND_ONLY
                                           : REPLAY_RENDEZVOUS;
    status = names_join(&sends->kept, &none, &policy.send);
    if (status == CORE_OK)
        status = explore_list_copy(list, list->count, &sorted);
    if (sorted.count) /* so that each name follows those that are there */
        explore_answers_sort(sorted.answer, sorted.count);
    for (uint32_t i = 0; i < sorted.count && status == CORE_OK; i++)
        status = replay_policy_add_forced(&policy, sorted.answer[i].rank, sorted.answer[i].number,
                                          sorted.answer[i].answer);
    explore_list_done(&sorted);
    if (status != CORE_OK) {
        replay_policy_done(&policy);
        return status;
    }
    *out_policy = policy;
    return CORE_OK;
}

/* --- one world -------------------------------------------------------------------------------- */

struct ran {
    const struct world_outcome *outcome;
    const struct world_decisions *decisions;
    struct explore_events events;
    uint64_t key;
    bool here; /* run by this process, not by a helper */
};

static void beyond_note(struct explore_search *s, const struct world_outcome *outcome)
{
    for (int i = 0; i < outcome->finding_count && !*s->beyond; i++)
        if (outcome->finding[i].rule == WORLD_RULE_LIMIT)
            memcpy(s->beyond, outcome->finding[i].text, sizeof s->beyond);
}

static void ran_note(struct explore_search *s, struct ran *ran)
{
    CORE_CHECK(ran->outcome->decisions); /* the policy says order=explore */
    ran->decisions = ran->outcome->decisions;
    s->worlds++;
    s->overtaking |= ran->decisions->overtaking;
    s->limited |= ran->decisions->limited || ran->decisions->overtaking;
    s->subsets |= ran->decisions->subsets;
    s->asked_again |= ran->decisions->asked_again;
    s->unless |= (ran->decisions->blind_windows ? SEARCH_UNLESS_WINDOWS : 0) |
                 (ran->decisions->blind_threads ? SEARCH_UNLESS_THREADS : 0) |
                 (ran->decisions->blind_shared ? SEARCH_UNLESS_SHARED : 0);
    s->early |= ran->decisions->early;
    if (!s->outside) {
        s->outside = ran->decisions->outside;
        s->outside_rank = ran->decisions->outside_rank;
    }
    if (ran->decisions->race.found && !*s->race.name)
        s->race = ran->decisions->race;
    if (ran->decisions->overdue)
        beyond_note(s, ran->outcome);
    if (ran->decisions->decision_count > s->decisions_max)
        s->decisions_max = ran->decisions->decision_count;
    if (s->options->progress)
        s->options->progress(s->options->progress_context, s->worlds, s->heap_count);
}

static enum core_status run_world(struct explore_search *s, const struct explore_list *list,
                                  const struct explore_sends *sends,
                                  const struct replay_choice *choice, struct ran *out_ran)
{
    struct replay_policy policy;
    enum core_status status = explore_policy(list, sends, &policy);

    if (status != CORE_OK)
        return status;
    status =
        s->run(s->context, &policy, choice, &out_ran->outcome, &out_ran->key, &out_ran->events);
    replay_policy_done(&policy);
    out_ran->here = true;
    if (status == CORE_OK)
        ran_note(s, out_ran);
    return status;
}

/* Runs a world, or takes it from a helper that ran it; `hash` is its name, and each send has a
 * buffer. */
static enum core_status run_named(struct explore_search *s, uint64_t hash,
                                  const struct explore_list *list,
                                  const struct replay_choice *choice, struct ran *out_ran)
{
    if (s->options->spread && explore_spread_take(s->options->spread, hash, &out_ran->outcome,
                                                  &out_ran->key, &out_ran->events)) {
        out_ran->here = false;
        ran_note(s, out_ran);
        return CORE_OK;
    }
    return run_world(s, list, &all_buffered, choice, out_ran);
}

/* Copies every answer of the world, in its order. */
static enum core_status answers_of(const struct world_decisions *decisions,
                                   struct explore_list *out)
{
    enum core_status status = CORE_OK;
    *out = (struct explore_list){0};
    for (uint32_t i = 0; i < decisions->decision_count && status == CORE_OK; i++)
        status = list_push(out, (struct explore_answer){(uint32_t)decisions->decision[i].rank,
                                                        decisions->decision[i].number,
                                                        decisions->decision[i].answer, 0});
    return status;
}

static bool all_given(const struct explore_list *list, const struct world_decisions *decisions)
{
    uint32_t given = 0;
    for (uint32_t i = 0; i < decisions->decision_count; i++)
        given += decisions->decision[i].given;
    return given == list->count;
}

/* Reports a new class at once. A helper's world has no output here: if only another job can show
 * it, that job is run now, while there is time. */
static enum core_status class_met(struct explore_search *s, const struct ran *ran,
                                  const struct explore_class *class, uint32_t place)
{
    struct ran again = {.decisions = ran->decisions, .key = ran->key};
    enum core_status status = CORE_OK;
    if (!s->options->met || !(ran->here || s->options->chance))
        return CORE_OK;
    if (!ran->here)
        status = run_world(s, &class->first, &class->sends, &(struct replay_choice){0}, &again);
    if (status != CORE_OK || again.decisions->unfinished || again.key != class->key)
        return status;
    return s->options->met(s->options->met_context, s, place);
}

/* Adds the world to its class. *out_place: the class. */
static enum core_status class_note(struct explore_search *s, const struct ran *ran,
                                   const struct explore_list *all, const struct explore_list *asked,
                                   const struct explore_sends *sends, bool sampled,
                                   uint32_t *out_place)
{
    struct kind *kind;
    uint32_t kinds = s->kinds.count;
    enum core_status status = core_table_put(&s->kinds, &ran->key, "outcomes", &kind);
    if (status != CORE_OK)
        return status;
    if (s->kinds.count > kinds) {
        struct explore_class made = {.key = ran->key, .sampled = sampled};
        const struct world_finding *failure = explore_failure_of(ran->outcome);
        kind->place = s->class_count;
        if (failure && !(made.failure = strdup(failure->text)))
            status = core_report(CORE_NO_MEMORY, "out of memory for an outcome");
        if (status == CORE_OK)
            status = explore_list_copy(all, all->count, &made.first);
        if (status == CORE_OK)
            status = explore_list_copy(asked, asked->count, &made.asked);
        if (status == CORE_OK)
            status = explore_sends_copy(sends, &made.sends);
        if (status == CORE_OK)
            status = CORE_ARRAY_PUSH(s->class, s->class_count, s->class_room, "outcomes", made);
        if (status == CORE_OK)
            status = class_met(s, ran, &s->class[kind->place], kind -> place);
    }
    *out_place = kind->place;
    return status;
}

/* Counts one more behaviour of the class. */
static void class_count(struct explore_search *s, uint32_t place, bool wait)
{
    s->class[place].count += s->class[place].sends.wait == wait;
}

/* --- fewer buffers ---------------------------------------------------------------------------- */

/* The sets of sends that keep their buffers, for one behaviour; they are tried in the order of
 * discovery. */
struct fewer {
    struct explore_walk *walk;
    uint64_t decisions; /* hash of all answers but those of receives */
    struct replay_names kept[PLACES_MAX];
    uint64_t seen[PLACES_MAX];
    uint32_t class[STUCK_MAX];
    uint32_t count, at, seen_count, stuck;
    bool more, lost; /* lost: a world was broken off */
};

static enum core_status fewer_add(struct fewer *f, const struct replay_names *kept,
                                  const struct replay_names *more)
{
    if (f->count == PLACES_MAX) {
        f->more = true;
        return CORE_OK;
    }
    enum core_status status = names_join(kept, more, &f->kept[f->count]);
    f->count += status == CORE_OK;
    return status;
}

/* Tells whether that many of the SHARES of the time limit are spent. */
static bool time_spent(const struct explore_search *s, uint32_t shares)
{
    const double most_s = s->options->time_s * shares / SHARES;
    return most_s > 0 && explore_clock_s() - s->started_s >= most_s;
}

static bool search_stopped(struct explore_search *s)
{
    s->interrupted |= s->options->stop && *s->options->stop;
    return s->interrupted;
}

/* Runs the same answers with these buffers only, and notes whether the world blocks and in which
 * class. *out_lost: the world was broken off, so its outcome is unknown. */
static enum core_status place_run(struct explore_search *s, const struct explore_list *all,
                                  const struct replay_names *kept, struct explore_place *place,
                                  bool *out_lost)
{
    const struct explore_sends sends = {.wait = true, .kept = *kept};
    struct ran ran;
    struct explore_list list = {0};
    enum core_status status = run_world(s, all, &sends, &(struct replay_choice){0}, &ran);
    uint32_t class;

    if (status != CORE_OK)
        return status;
    *out_lost = ran.decisions->unfinished;
    s->unbuffered += !*out_lost;
    if (ran.decisions->cut || ran.decisions->unknown || *out_lost)
        return CORE_OK;
    status = answers_of(ran.decisions, &list);
    if (status == CORE_OK)
        status = class_note(s, &ran, &list, &list, &sends, false, &class);
    if (status == CORE_OK)
        place->class = class + 1;
    explore_list_done(&list);
    return status;
}

static enum core_status place_look(struct explore_search *s, const struct explore_list *all,
                                   const struct replay_names *kept, uint64_t hash,
                                   uint32_t *out_class, bool *out_lost)
{
    struct explore_place *place, fresh = {.hash = hash};
    enum core_status status = CORE_OK;
    if (!(place = core_table_find(&s->places, &hash))) {
        status = place_run(s, all, kept, &fresh, out_lost);
        if (status != CORE_OK || *out_lost)
            return status;
        status = core_table_put(&s->places, &hash, "places to wait", &place);
        if (status == CORE_OK)
            *place = fresh;
    }
    *out_class = status == CORE_OK ? place->class : 0;
    return status;
}

static void stuck_count(struct explore_search *s, struct fewer *f, uint32_t class)
{
    bool counted = false;
    for (uint32_t i = 0; i < f->stuck; i++)
        counted |= f->class[i] == class;
    if (!counted)
        class_count(s, class, true);
    f->class[f->stuck++] = class;
}

/* Examines a point at which sends wait: what happens there, and which buffers lead on from it. If
 * the world blocks, all waiting sends get buffers next; otherwise one at a time, as others may
 * continue without. */
static enum core_status fewer_look(struct explore_search *s, const struct explore_list *all,
                                   struct fewer *f, const struct replay_names *kept,
                                   const struct replay_names *waiting, uint64_t hash)
{
    uint32_t class = 0;
    for (uint32_t i = 0; i < f->seen_count; i++)
        if (f->seen[i] == hash)
            return CORE_OK;
    f->seen[f->seen_count++] = hash;
    enum core_status status = place_look(s, all, kept, hash, &class, &f->lost);
    if (status == CORE_OK && class) {
        stuck_count(s, f, class - 1);
        return fewer_add(f, kept, waiting);
    }
    for (uint32_t i = 0; i < waiting->count && status == CORE_OK; i++)
        status = fewer_add(f, kept, &(struct replay_names){&waiting->name[i], 1, 1});
    return status;
}

static enum core_status places_look(struct explore_search *s, const struct explore_list *all,
                                    struct fewer *f)
{
    const struct replay_names none = {0};
    enum core_status status = fewer_add(f, &none, &none);

    for (; f->at < f->count && f->stuck < STUCK_MAX && status == CORE_OK && !f->lost; f->at++) {
        struct replay_names waiting;
        uint64_t place;
        f->lost = f->at && time_spent(s, SHARES); /* takes time in proportion to events */
        if (f->lost)
            break;
        status = explore_walk_again(f->walk, &f->kept[f->at], &waiting, &place);
        if (status != CORE_OK)
            break;
        if (waiting.count)
            status = fewer_look(s, all, f, &f->kept[f->at], &waiting, place + f->decisions);
        free(waiting.name);
    }
    return status;
}

/* Runs the same answers with fewer buffers: each point at which the world blocks is a world of its
 * own. */
static enum core_status fewer_buffers(struct explore_search *s, struct explore_walk *walk,
                                      const struct explore_list *all, uint64_t decisions)
{
    struct fewer f = {.walk = walk, .decisions = decisions};
    enum core_status status = places_look(s, all, &f);

    if (status == CORE_OK && explore_walk_free_threads(walk))
        status = places_look(s, all, &f);
    s->limited |= (f.more && !f.stuck) || f.lost;
    s->broken_off |= f.lost;
    for (uint32_t i = 0; i < f.count; i++)
        free(f.kept[i].name);
    return status;
}

/* --- the search ------------------------------------------------------------------------------- */

static bool search_spent(struct explore_search *s, uint32_t shares)
{
    const struct explore_options *o = s->options;
    return search_stopped(s) ||
           (o->worlds_max && s->worlds - s->worlds_before >= o->worlds_max * shares / SHARES) ||
           time_spent(s, shares);
}

/* Notes what the ranks sent, and the first two behaviours that differ in it. */
static enum core_status sent_note(struct explore_search *s, const struct ran *ran,
                                  const struct explore_list *all)
{
    struct known *kind;
    uint64_t hash;
    uint32_t count = s->sent.count;
    enum core_status status = message_diff_hash(&ran->events, &hash);

    if (status == CORE_OK)
        status = core_table_put(&s->sent, &hash, "what ranks send", &kind);
    s->sent_kinds = s->sent.count;
    if (status == CORE_OK && s->sent.count > count && count < 2)
        status = explore_list_copy(all, all->count, &s->sent_example[count]);
    return status;
}

static enum core_status search_behaviour(struct explore_search *s, const struct ran *ran,
                                         const struct explore_list *asked, bool sampled)
{
    struct explore_list all;
    struct known *met;
    uint32_t count = s->met.count;
    struct explore_walk *walk = NULL; /* a copy, as the next world overwrites the events */
    uint32_t class;
    enum core_status status = answers_of(ran->decisions, &all);

    uint64_t sum = 0, decisions = 0;
    for (uint32_t i = 0; i < ran->decisions->decision_count; i++) {
        uint64_t hash = decision_hash(&ran->decisions->decision[i]);
        sum += hash;
        const struct world_decision *d = &ran->decisions->decision[i];
        decisions += d->reason != REPLAY_REASON_MATCH || d->poll ? hash : 0;
    }
    if (status == CORE_OK)
        status = core_table_put(&s->met, &sum, "behaviours", &met);
    if (status == CORE_OK && s->met.count > count)
        status = explore_stores_find(ran->decisions, (int)s->rank_count, asked, &s->stores);
    if (status == CORE_OK && s->met.count > count) {
        s->behaviours++;
        status = sent_note(s, ran, &all);
    }
    if (status == CORE_OK && s->met.count > count) {
        status = class_note(s, ran, &all, asked, &all_buffered, sampled, &class);
        if (status == CORE_OK)
            class_count(s, class, false);
        if (status == CORE_OK && ran->outcome->finished)
            status = explore_walk_new(&ran->events, (int)s->rank_count, &walk);
        if (status == CORE_OK && walk)
            status = fewer_buffers(s, walk, &all, decisions);
    }
    explore_walk_free(walk);
    explore_list_done(&all);
    return status;
}

/* Gives the next lists to the helpers: the first lists of the heap are near its top. */
static enum core_status lists_give(struct explore_search *s)
{
    struct explore_spread *spread = s->options->spread;
    uint32_t room = spread ? (uint32_t)explore_spread_room(spread) : 0;
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; room && i < s->heap_count && i < AHEAD_GIVEN && status == CORE_OK; i++) {
        struct explore_item *item = &s->heap[i];
        struct explore_list list = {0};
        if (item->given)
            continue;
        status = explore_item_list(item, &list);
        if (status == CORE_OK)
            item->given = explore_spread_give(spread, item->hash, &list, false, 0);
        room = item->given ? room - 1 : 0;
        explore_list_done(&list);
    }
    return status;
}

static uint64_t sample_seed(const struct explore_search *s, uint64_t number)
{
    return core_random_mix(s->options->seed) + number;
}

static void samples_give(struct explore_search *s)
{
    const struct explore_list none = {0};
    struct explore_spread *spread = s->options->spread;
    uint32_t room = spread ? (uint32_t)explore_spread_room(spread) : 0;
    if (s->samples_given <= s->sampled)
        s->samples_given = s->sampled + 1;
    for (; room && s->samples_given < s->sampled + AHEAD_GIVEN; room--) {
        uint64_t seed = sample_seed(s, s->samples_given);
        if (!explore_spread_give(spread, core_random_mix(seed), &none, true, seed))
            return;
        s->samples_given++;
    }
}

static enum core_status one_ran(struct explore_search *s, struct explore_item *item,
                                const struct explore_list *list, const struct ran *ran)
{
    enum core_status status = explore_branch(s, list, item->changes, ran->decisions);
    if (status == CORE_OK && ran->decisions->overdue) { /* invariant 3 */
        status = CORE_ARRAY_PUSH(s->overdue, s->overdue_count, s->overdue_room,
                                 "the schedules to explore", *item);
        if (status == CORE_OK)
            *item = (struct explore_item){0};
        return status;
    }
    if (status != CORE_OK)
        return status;
    bool given = all_given(list, ran->decisions) && !ran->decisions->cut;
    if (given && !ran->decisions->unknown)
        status = search_behaviour(s, ran, list, false);
    else
        s->cut++;                               /* invariant 1 */
    s->limited |= !given && s->options->chance; /* a job lacked a possible answer */
    /* The list was queued because its answers led to a decision: not reaching it again means that
     * the program does not repeat itself. */
    s->went_astray |= !given && !ran->decisions->cut && explore_failure_of(ran->outcome);
    return status;
}

static enum core_status search_one(struct explore_search *s)
{
    struct explore_item item = explore_heap_pop(s);
    struct explore_list list = {0};
    struct ran ran;
    enum core_status status = lists_give(s);

    if (status == CORE_OK)
        status = explore_item_list(&item, &list);
    if (status == CORE_OK)
        status = run_named(s, item.hash, &list, &(struct replay_choice){0}, &ran);
    s->late = status == CORE_OK && ran.decisions->unfinished && !ran.decisions->overdue;
    if (s->late)
        status = explore_heap_push(s, item);
    else if (status == CORE_OK)
        status = one_ran(s, &item, &list, &ran);
    if (!s->late || status != CORE_OK)
        explore_item_done(&item);
    explore_list_done(&list);
    return status;
}

double explore_search_left_s(const struct explore_search *s)
{
    const double left_s = s->options->time_s - (explore_clock_s() - s->started_s);
    return s->options->time_s <= 0 ? 0 : left_s > 0.001 ? left_s : 0.001;
}

bool explore_search_spent(struct explore_search *s)
{
    return search_spent(s, SHARE_AHEAD);
}

enum core_status explore_search_end(struct explore_search *s, const struct explore_list *list,
                                    bool *out_given)
{
    struct ran ran;
    enum core_status status = run_world(s, list, &all_buffered, &(struct replay_choice){0}, &ran);
    *out_given = status == CORE_OK && all_given(list, ran.decisions) && !ran.decisions->cut &&
                 !ran.decisions->unknown && !ran.decisions->unfinished;
    return *out_given ? search_behaviour(s, &ran, list, false) : status;
}

/* Number of worlds that are run before states are tried; fewer if time is short for the worlds that
 * are known. */
enum { MERGE_WORLDS = 256, MERGE_WORLDS_LEAST = 32 };

static bool time_lacks(const struct explore_search *s)
{
    const double spent_s = explore_clock_s() - s->started_s, worlds = (double)(s->worlds + 1);
    return s->options->time_s > 0 && s->worlds >= MERGE_WORLDS_LEAST &&
           spent_s / worlds * s->heap_count > s->options->time_s - spent_s;
}

static bool merge_is_possible(const struct explore_search *s)
{
    return s->options->states && !s->options->state && !s->states && !*s->states_why;
}

static bool merge_is_due(const struct explore_search *s)
{
    const struct explore_options *o = s->options;
    const uint64_t behind = o->states_worlds ? o->states_worlds : MERGE_WORLDS;
    return merge_is_possible(s) && (s->worlds - s->worlds_before >= behind || time_lacks(s)) &&
           (!o->worlds_max || o->worlds_max >= 2 * behind);
}

static enum core_status search_sample(struct explore_search *s)
{
    enum core_status status = CORE_OK;
    while (status == CORE_OK && !search_spent(s, SHARES)) {
        struct explore_list none = {0}, all;
        struct replay_choice choice;
        struct ran ran;
        uint64_t seed = sample_seed(s, s->sampled);
        replay_choice_seed(&choice, seed);
        samples_give(s);
        status = run_named(s, core_random_mix(seed), &none, &choice, &ran);
        if (status != CORE_OK || (ran.decisions->unfinished && !ran.decisions->overdue))
            break;
        s->sampled++;
        if (ran.decisions->overdue)
            continue;
        status = answers_of(ran.decisions, &all);
        if (status == CORE_OK)
            status = search_behaviour(s, &ran, &all, true);
        explore_list_done(&all);
    }
    return status;
}

/* Saves the state at intervals, as the process may be killed: the longer a save takes, the less
 * often. */
static enum core_status state_keep(struct explore_search *s)
{
    double now = s->options->state ? explore_clock_s() : 0;
    if (!s->options->state || now < s->keep_s)
        return CORE_OK;
    enum core_status status = explore_state_write(s);
    double took = explore_clock_s() - now;
    s->keep_s = now + took + (took * KEEP_SHARE > KEEP_S ? took * KEEP_SHARE : KEEP_S);
    return status;
}

enum core_status explore_search(explore_run_fn run, void *context, int rank_count,
                                const struct explore_options *options,
                                struct explore_search *out_search)
{
    struct explore_search *s = out_search;
    bool resumed = false;
    *s = (struct explore_search){.run = run,
                                 .context = context,
                                 .rank_count = (uint32_t)rank_count,
                                 .options = options,
                                 .known = CORE_TABLE(struct known, hash),
                                 .offered = CORE_TABLE(struct known, hash),
                                 .met = CORE_TABLE(struct known, hash),
                                 .kinds = CORE_TABLE(struct kind, key),
                                 .sent = CORE_TABLE(struct known, hash),
                                 .places = CORE_TABLE(struct explore_place, hash),
                                 .started_s = explore_clock_s()};
    enum core_status status = options->state ? explore_state_read(s, &resumed) : CORE_OK;
    s->worlds_before = s->worlds;
    for (uint32_t i = 0; i < s->class_count && status == CORE_OK; i++) {
        struct kind *kind;
        status = core_table_put(&s->kinds, &s->class[i].key, "outcomes", &kind);
        if (status == CORE_OK)
            kind->place = i;
    }
    if (status == CORE_OK && !resumed)
        status = explore_ahead(s, &(struct explore_item){0});
    while (status == CORE_OK && s->heap_count && !s->late && !search_spent(s, SHARE_AHEAD)) {
        status = search_one(s);
        if (status == CORE_OK && merge_is_due(s) && s->heap_count)
            status = explore_merge(s);
        if (status == CORE_OK)
            status = state_keep(s);
    }
    if (status == CORE_OK && !s->heap_count && s->subsets && !s->limited && merge_is_possible(s))
        status = explore_merge(s);
    s->limited |= s->subsets && !s->states;
    s->complete = status == CORE_OK && !s->heap_count && !s->overdue_count && !s->limited &&
                  !s->early && !s->went_astray; /* invariant 4 */
    if (status == CORE_OK && s->heap_count && !s->interrupted)
        status = search_sample(s);
    if (status == CORE_OK && options->state)
        status = explore_state_write(s);
    return status;
}

static void class_done(struct explore_class *class)
{
    explore_list_done(&class->first);
    explore_list_done(&class->asked);
    explore_sends_done(&class->sends);
    free(class->failure);
}

static enum core_status classes_look(struct explore_search *s, const uint64_t *key)
{
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < s->class_count && status == CORE_OK; i++) {
        struct explore_class *class = &s->class[i];
        const struct explore_list *list = s->options->chance ? &class->first : &class->asked;
        struct ran ran;
        if (class->failure)
            continue;
        if (key[i]) {
            class->key = key[i];
            continue;
        }
        status = run_world(s, list, &class->sends, &(struct replay_choice){0}, &ran);
        if (status == CORE_OK && !ran.decisions->unfinished && !explore_failure_of(ran.outcome))
            class->key = ran.key;
    }
    return status;
}

enum core_status explore_search_join(struct explore_search *s, const uint64_t *key,
                                     uint32_t **out_places)
{
    uint32_t *place = NULL, kept = 0;
    enum core_status status = CORE_ARRAY_NEW(place, s->class_count, "outcomes");
    if (status == CORE_OK)
        status = classes_look(s, key);
    core_table_done(&s->kinds);
    s->kinds = (struct core_table)CORE_TABLE(struct kind, key);
    for (uint32_t i = 0; i < s->class_count && status == CORE_OK; i++) {
        struct kind *kind = NULL;
        uint32_t kinds = s->kinds.count;
        status = core_table_put(&s->kinds, &s->class[i].key, "outcomes", &kind);
        if (status != CORE_OK)
            break;
        if (s->kinds.count > kinds) {
            kind->place = kept;
            s->class[kept++] = s->class[i];
        } else {
            s->class[kind->place].count += s->class[i].count;
            class_done(&s->class[i]);
        }
        place[i] = kind->place;
    }
    if (status != CORE_OK) {
        free(place);
        return status;
    }
    s->class_count = kept;
    for (uint32_t i = 0; i < s->places.count; i++) {
        struct explore_place *at = (struct explore_place *)core_table_at(&s->places, i);
        at->class = at->class ? place[at->class - 1] + 1 : 0;
    }
    *out_places = place;
    return CORE_OK;
}

void explore_search_astray(struct explore_search *search)
{
    search->went_astray = true;
    search->complete = false;
}

void explore_search_done(struct explore_search *search)
{
    for (uint32_t i = 0; i < search->heap_count; i++)
        explore_item_done(&search->heap[i]);
    for (uint32_t i = 0; i < search->overdue_count; i++)
        explore_item_done(&search->overdue[i]);
    for (uint32_t i = 0; i < search->class_count; i++)
        class_done(&search->class[i]);
    CORE_ARRAY_DONE(search->heap, search->heap_count, search->heap_room);
    CORE_ARRAY_DONE(search->overdue, search->overdue_count, search->overdue_room);
    CORE_ARRAY_DONE(search->class, search->class_count, search->class_room);
    core_table_done(&search->known);
    core_table_done(&search->offered);
    core_table_done(&search->met);
    core_table_done(&search->kinds);
    core_table_done(&search->places);
    core_table_done(&search->sent);
    explore_list_done(&search->sent_example[0]);
    explore_list_done(&search->sent_example[1]);
    explore_stores_done(&search->stores);
}

/* --- the smallest schedule -------------------------------------------------------------------- */

enum led { LED_THERE, LED_ELSEWHERE, LED_UNKNOWN, LED_NO_TIME };

/* Tells whether the answers lead to the class. Unknown if the world was broken off (its outcome was
 * found before), or if a job did not follow its schedule, as a rank may have waited outside of MPI.
 * LED_NO_TIME if the time is over: then nothing more can be learned. */
static enum core_status leads_there(struct explore_search *s, const struct explore_list *list,
                                    const struct explore_sends *sends,
                                    const struct explore_class *found, enum led *out_led)
{
    struct ran ran;
    enum core_status status = run_world(s, list, sends, &(struct replay_choice){0}, &ran);
    if (status != CORE_OK)
        return status;
    if (ran.decisions->unfinished && !ran.decisions->overdue)
        *out_led = LED_NO_TIME;
    else if (ran.decisions->unfinished || (ran.decisions->cut && s->options->chance))
        *out_led = LED_UNKNOWN;
    else
        *out_led =
            ran.key == found->key && all_given(list, ran.decisions) ? LED_THERE : LED_ELSEWHERE;
    return CORE_OK;
}

/* The answers and buffers of a class while they are reduced. */
struct shrinking {
    struct explore_search *search;
    const struct explore_class *found;
    struct explore_list *list;
    struct explore_sends *sends;
    enum led led; /* result of the last world */
};

static enum core_status shrinking_run(void *context, enum search_trial *out_trial)
{
    struct shrinking *shrinking = context;
    enum core_status status = leads_there(shrinking->search, shrinking->list, shrinking->sends,
                                          shrinking->found, &shrinking->led);
    *out_trial = shrinking->led == LED_THERE     ? SEARCH_TRIAL_SAME
                 : shrinking->led == LED_NO_TIME ? SEARCH_TRIAL_OVER
                                                 : SEARCH_TRIAL_OTHER;
    return status;
}

enum core_status explore_shrink(struct explore_search *s, const struct explore_class *found,
                                struct explore_list *out_list, struct explore_sends *out_sends)
{
    const struct explore_list *all = s->options->chance ? &found->first : &found->asked;
    struct explore_list list;
    struct explore_sends sends = {0};
    struct shrinking shrinking = {s, found, &list, &sends, LED_UNKNOWN};
    enum core_status status = explore_list_copy(all, all->count, &list);

    if (status == CORE_OK)
        status = explore_sends_copy(&found->sends, &sends);
    if (status == CORE_OK)
        status = leads_there(s, &list, &sends, found, &shrinking.led);
    if (status == CORE_OK && shrinking.led == LED_ELSEWHERE)
        explore_search_astray(s);
    bool there = shrinking.led == LED_THERE && !s->options->chance;
    if (status == CORE_OK && there)
        status =
            search_shrink(list.answer, sizeof *list.answer, &list.count, shrinking_run, &shrinking);
    if (status == CORE_OK && there && shrinking.led != LED_NO_TIME)
        status = search_shrink(sends.kept.name, sizeof *sends.kept.name, &sends.kept.count,
                               shrinking_run, &shrinking);
    if (status != CORE_OK) {
        explore_list_done(&list);
        explore_sends_done(&sends);
        return status;
    }
    *out_list = list;
    *out_sends = sends;
    return CORE_OK;
}
