/* See the header. */
#include "world/exchange/explore_access_inside.h"

#include "core/random.h"
#include "world/exchange/explore_atomic.h"
#include "world/exchange/explore_overlap.h"
#include "world/exchange/explore_report.h"
#include "world/exchange/match.h"

_Static_assert((int)DECISION_QUEUE > (int)EXPLORE_TRACKED,
               "there are no more turns that are distinguished");

struct world_looked { /* an access to memory or a file from one place of the program */
    struct world_looked *next;
    const void *site;
    struct world_decider turn;
    uint32_t news;     /* rank->news at that time */
    uint32_t times;    /* accesses without news in between */
    uint64_t operands; /* hash of its operands */
    uint64_t state;    /* state of the rank at the second or a later access */
    uint32_t clocks;   /* clock reads so far */
};

static bool may_meet(const struct world_decider *a, int source, int tag)
{
    return world_match_overlaps(a->source, a->tag, source, tag);
}

static bool threads_conflict(const struct world_decider *a, const struct world_decider *b)
{
    CORE_CHECK(a->part == b->part);
    if (a->use == TURN_USES || a->use == TURN_FREES)
        return a->use == TURN_FREES || b->use == TURN_FREES;
    if (a->use == TURN_SENDS || a->use == TURN_COLLECTIVE)
        return a->use == b->use && a->source == b->source;
    bool take = a->use == TURN_RECEIVES || b->use == TURN_RECEIVES;
    return b->use != TURN_SENDS && b->use != TURN_COLLECTIVE && take &&
           may_meet(a, b->source, b->tag);
}

bool world_access_meets(const struct world_decider *a, const struct world_decider *b)
{
    if (a->low >= b->high || b->low >= a->high || (a->file != b->file && a->file && b->file))
        return false;
    if (!a->pieces && !b->pieces)
        return true;
    const struct world_piece all_a = {a->low, a->high}, all_b = {b->low, b->high};
    const struct world_piece *p = a->pieces ? a->pieces->piece : &all_a;
    const struct world_piece *q = b->pieces ? b->pieces->piece : &all_b;
    const struct world_piece *p_end = p + (a->pieces ? a->pieces->count : 1);
    const struct world_piece *q_end = q + (b->pieces ? b->pieces->count : 1);
    while (p < p_end && q < q_end) {
        if (p->low < q->high && q->low < p->high)
            return true;
        if (p->high <= q->low)
            p++;
        else
            q++;
    }
    return false;
}

/* Tells whether both are accesses of one thread to a file, which keep their order. */
static bool same_thread(const struct world_decider *a, const struct world_decider *b)
{
    return a->part->is_file && a->by == b->by && !WORLD->rank[a->by].fiber->sibling;
}

bool world_access_conflict(const struct world_decider *a, const struct world_decider *b)
{
    CORE_CHECK(a->kind == b->kind && a->part == b->part);
    if (a->kind == EXPLORE_THREAD)
        return threads_conflict(a, b);
    if (a->kind == EXPLORE_LOCK)
        return a->exclusive || b->exclusive;
    if ((a->reads && b->reads) || (a->op == b->op && a->op) || same_thread(a, b))
        return false;
    return world_access_meets(a, b);
}

/* --- who could go on -------------------------------------------------------------------------- */

static void count_asking(const struct world_decider *asks, bool comes)
{
    struct world_part *part = asks->part;
    if (asks->kind != EXPLORE_TURN)
        return;
    part->turns_asking += comes ? 1 : UINT32_MAX;
    if (!asks->effect || !asks->effect->ordered)
        return;
    if (!part->ordered_asking)
        part->ordered_asking = world_zalloc((size_t)WORLD->rank_count * sizeof(uint32_t));
    part->ordered_asking[asks->by] += comes ? 1 : UINT32_MAX;
}

static void explore_access_come(struct world_decider *asks)
{
    struct world_part *part = asks->part;
    if (!part->asking)
        part->asking_end = &part->asking;
    CORE_CHECK(asks->asks && !*part->asking_end);
    asks->next = NULL;
    *part->asking_end = asks;
    part->asking_end = &asks->next;
    part->polling += asks->poll;
    count_asking(asks, true);
    if (asks->kind == EXPLORE_TURN)
        world_overlaps_add(&part->asking_index, asks);
}

static void explore_access_go(struct world_decider *asks)
{
    struct world_decider **link = &asks->part->asking;
    while (*link != asks) {
        CORE_CHECK_HOT(*link); /* it was added and not removed */
        link = &(*link)->next;
    }
    if (!(*link = asks->next))
        asks->part->asking_end = link;
    asks->part->polling -= asks->poll;
    count_asking(asks, false);
    if (asks->kind == EXPLORE_TURN)
        world_overlaps_remove(asks->part->asking_index, asks);
}

static bool may_go(const struct world_decider *asks)
{
    if (asks->kind == EXPLORE_LOCK)
        return asks->part->holders == 0 || (asks->part->holders > 0 && !asks->exclusive);
    if (asks->fiber)
        return true;
    CORE_CHECK(asks->effect); /* an operation that no rank waits for */
    const struct world_rank *reached = asks->effect->reached;
    bool live = asks->rank->fiber->live && (!reached || reached->fiber->live);
    return (live || WORLD->options->turns) && (!asks->effect->after || asks->effect->after->done);
}

static struct world_decider *next_of(struct world_decider *asks, enum world_explore_kind kind)
{
    while (asks && !(asks->kind == kind && may_go(asks)))
        asks = asks->next;
    return asks;
}
#define EACH_ASKING(asks, like)                                                          \
    for (struct world_decider *asks = next_of((like)->part->asking, (like)->kind); asks; \
         asks = next_of(asks->next, (like)->kind))

struct world_decider *world_access_asks(const struct world_decider *d, int32_t answer)
{
    EACH_ASKING(asks, d)
    if (asks->name == answer)
        return asks;
    return NULL;
}

static bool comes_before(const struct world_decider *a, const struct world_decider *b)
{
    CORE_CHECK_HOT(a->part == b->part && a->kind == b->kind);
    if (a->kind != EXPLORE_THREAD && a->rank->turns != b->rank->turns)
        return a->rank->turns < b->rank->turns;
    return a->name < b->name;
}

/* Returns the waiting turn of the rank with the fewest turns, or of the first thread. */
static struct world_decider *first_of(const struct world_decider *like)
{
    struct world_decider *first = NULL;
    for (int i = 0; i < WORLD->rank_count; i++)
        for (const struct world_fiber *of = WORLD->rank[i].fiber; of; of = of->sibling) {
            struct world_decider *asks = of->decider;
            if (asks && asks->asks && asks->part == like->part && asks->kind == like->kind &&
                !asks->poll && may_go(asks) && (!first || comes_before(asks, first)))
                first = asks;
        }
    return first;
}

/* Returns an operation that no rank waits for and that would change what a failing poll reads. */
static struct world_decider *changes_for_polls(const struct world_decider *like)
{
    struct world_decider *first = NULL;
    if (!like->part->polling)
        return NULL;
    EACH_ASKING(asks, like)
    for (const struct world_decider *poll = like->part->asking;
         poll && !asks->poll && !asks->fiber && (!first || asks->name < first->name);
         poll = poll->next)
        if (poll->poll && poll->fiber && poll->kind == asks->kind &&
            world_access_conflict(poll, asks))
            first = asks;
    return first;
}

/* Returns the turn that is next if there is no choice. */
static struct world_decider *first_or_change(const struct world_decider *like)
{
    struct world_decider *first = first_of(like);
    CORE_CHECK(!first || !first->poll);
    return first ? first : changes_for_polls(like);
}

/* Tells whether this turn represents its decision: one of several failing polls stands for all. */
static bool explore_access_speaks(const struct world_decider *asks)
{
    const struct world_decider *first = first_of(asks);
    if (first || !asks->poll || !changes_for_polls(asks))
        return first == asks;
    for (const struct world_decider *other = asks->part->asking; other != asks; other = other->next)
        if (other->poll && other->fiber)
            return false;
    return true;
}

static struct world_decider *turn_like(const struct world_decider *asks)
{
    struct world_decider *d = world_zalloc(sizeof *d);
    uint32_t count = asks->kind == EXPLORE_LOCK ? asks->part->lock_count : asks->part->turn_count;
    *d = (struct world_decider){.kind = asks->kind,
                                .forced = WORLD_ANSWER_FREE,
                                .rank = asks->part->rank,
                                .part = asks->part,
                                .place = count + 1,
                                .number = decision_number(&(struct decision){
                                    .kind = asks->kind == EXPLORE_LOCK     ? DECISION_LOCK
                                            : asks->kind == EXPLORE_THREAD ? DECISION_THREAD
                                            : asks->part->is_file          ? DECISION_FILE
                                                                           : DECISION_MEMORY,
                                    .object = asks->object,
                                    .queue = asks->queue,
                                    .index = count + 1})};
    CORE_CHECK(decision_orders(d->number));
    return d;
}

struct world_decider *world_access_of(struct world_decider *asks)
{
    CORE_CHECK(asks->asks && asks->part && asks->kind >= EXPLORE_TURN);
    return explore_access_speaks(asks) ? turn_like(asks) : NULL;
}

struct world_overlaps world_access_asking(const struct world_decider *turn)
{
    const struct world_part *part = turn->part;
    return world_overlaps_of(part->asking, turn->kind == EXPLORE_TURN ? part->asking_index : NULL,
                             turn);
}

struct world_overlaps world_access_decided(const struct world_decider *turn)
{
    const struct world_part *part = turn->part;
    return world_overlaps_of(part->decided, turn->kind == EXPLORE_TURN ? part->decided_index : NULL,
                             turn);
}

/* Returns the number of latest turns that it does not conflict with. */
static uint32_t explore_access_independent(const struct world_decider *asks)
{
    uint32_t last = 0, latest = 0;
    for (struct world_overlaps d = world_access_decided(asks); world_overlaps_next(&d);)
        if (d.turn->kind == asks->kind && d.turn->place > last &&
            world_access_conflict(asks, d.turn))
            last = d.turn->place;
    for (const struct world_decider *d = asks->part->decided; d && !latest; d = d->next)
        latest = d->kind == asks->kind ? d->place : 0;
    CORE_CHECK(last <= latest && latest <= EXPLORE_TRACKED);
    return latest - last;
}

/* Reports the turn, or the one that it must follow, as an answer. Returns it unless it was reported
 * before. */
static struct world_decider *explore_access_tell(struct world_decider *asks)
{
    while (asks->effect && asks->effect->after && !asks->effect->after->done)
        asks = asks->effect->after->turn;
    CORE_CHECK(asks->kind >= EXPLORE_TURN);
    if (asks->reported == asks->part->reported || !may_go(asks))
        return NULL;
    asks->reported = asks->part->reported;
    if (!asks->poll)
        world_explore_tell_turn(asks->name, explore_access_independent(asks));
    return asks;
}

/* Returns the number of waiting operations that it represents: operations that keep their order are
 * represented by their first. */
static uint32_t stands_for(const struct world_decider *reported)
{
    const struct world_effect *effect = reported->effect;
    if (!effect || !effect->ordered)
        return 1;
    CORE_CHECK(reported->part->ordered_asking[reported->by] > 0);
    bool leads = !effect->after || effect->after->done;
    return leads ? reported->part->ordered_asking[reported->by] : 0;
}

/* Reports the first turn, then those that conflict with a reported one, until there are no more. A
 * poll counts too, as it waits for one of these turns. */
void world_access_options(const struct world_decider *d)
{
    struct world_decider *first = first_or_change(d), *last = first;
    uint32_t others = d->kind == EXPLORE_TURN ? d->part->turns_asking : UINT32_MAX;
    if (!first)
        return;
    first->reported = ++d->part->reported;
    first->joins = NULL;
    world_explore_tell(first->name);
    others -= stands_for(first);
    for (const struct world_decider *reported = first; reported && others;
         reported = reported->joins)
        for (struct world_overlaps e = world_access_asking(reported); world_overlaps_next(&e);) {
            struct world_decider *asks = e.turn;
            if (asks->kind != d->kind || asks->reported == d->part->reported ||
                !world_access_conflict(asks, reported))
                continue;
            struct world_decider *more = explore_access_tell(asks);
            if (!more)
                continue;
            more->joins = NULL;
            last->joins = more;
            last = more;
            CORE_CHECK(stands_for(more) <= others); /* no turn is reported twice */
            others -= stands_for(more);
        }
}

/* --- turns that were recorded ----------------------------------------------------------------- */

static const struct replay_name *explore_access_recorded(const struct world_decider *d,
                                                         uint32_t index)
{
    return replay_policy_find(WORLD->options->turns, (uint32_t)d->rank->rank, false,
                              decision_beside(d->number, d->place, index + 1));
}

/* Returns, by index, which recorded turns were done. */
static uint8_t *recorded_had(const struct world_decider *d)
{
    uint8_t **had = &d->part->recorded_had[d->kind == EXPLORE_LOCK];
    uint32_t count = 0;
    CORE_CHECK(WORLD->options->turns && d->place > 0 && d->number >= d->place);
    while (!*had && explore_access_recorded(d, count))
        count++;
    if (!*had)
        *had = world_zalloc(count + 1);
    return *had;
}

/* Returns the next recorded answer. A turn that comes before a reported one without a conflict may
 * come after it as well: all that ask for alternatives are offered the reported one, which is the
 * same in both orders. */
int32_t world_access_recorded(const struct world_decider *d)
{
    const struct replay_name *name;
    int32_t first = WORLD_ANSWER_NEVER;
    if (!WORLD->options->turns)
        return WORLD_ANSWER_FREE;
    const uint8_t *had = recorded_had(d);
    for (uint32_t i = 0; (name = explore_access_recorded(d, i)); i++) {
        const struct world_decider *asks = had[i] ? NULL : world_access_asks(d, name->source);
        if (asks && asks->reported == d->part->reported)
            return name->source;
        if (!had[i] && !asks)
            return first;
        first = !had[i] && first == WORLD_ANSWER_NEVER ? name->source : first;
    }
    return first;
}

static void recorded_have(const struct world_decider *d)
{
    const struct replay_name *name;
    if (!WORLD->options->turns)
        return;
    uint8_t *had = recorded_had(d);
    for (uint32_t i = 0; (name = explore_access_recorded(d, i)); i++)
        if (!had[i] && name->source == d->answer) {
            had[i] = 1;
            return;
        }
}

static int name_next(struct world_part *part, const struct world_rank *rank)
{
    if (!part->named)
        part->named = world_zalloc((size_t)WORLD->rank_count * sizeof *part->named);
    CORE_CHECK((int)part->named[rank->rank] < INT32_MAX / WORLD->rank_count - 1);
    return rank->rank + WORLD->rank_count * (int)part->named[rank->rank]++;
}

/* Lets a waiting poll continue if its turn was recorded. */
static void look_on(struct world_decider *look, const struct world_decider *turn)
{
    const struct replay_name *name;
    const uint8_t *had = recorded_had(turn);
    CORE_CHECK(look->poll && look->fiber && look->part == turn->part);
    uint32_t i = 0, named = look->part->named ? look->part->named[look->rank->rank] : 0;
    while ((name = explore_access_recorded(turn, i)) && had[i])
        i++;
    if (!name || name->source != look->rank->rank + WORLD->rank_count * (int)named)
        return;
    CORE_CHECK(look->part->polling > 0);
    look->poll = false;
    look->part->polling--;
    look->name = name_next(look->part, look->rank);
}

struct world_decider *world_access_rest(const struct world_handle *handle)
{
    if (!WORLD->options->turns || !handle_good(handle, HANDLE_WIN))
        return NULL;
    const struct ompi_win_t *win = (const struct ompi_win_t *)handle;
    CORE_CHECK(win->part[win->comm.rank]); /* rma.h invariant 1 */
    struct world_decider *asks = win->part[win->comm.rank]->asking, *turn = NULL;
    for (; asks; asks = asks->next) {
        if (asks->kind == EXPLORE_TURN && !turn)
            turn = turn_like(asks);
        if (asks->kind == EXPLORE_TURN && asks->poll)
            look_on(asks, turn);
    }
    return turn;
}

uint64_t world_access_mark(const struct world_decider *asks)
{
    CORE_CHECK(asks->name >= 0); /* it is an answer */
    uint64_t mark = core_random_mix((uint64_t)asks->name);
    for (struct world_overlaps d = world_access_decided(asks); world_overlaps_next(&d);)
        if (d.turn->kind == asks->kind && world_access_conflict(asks, d.turn))
            mark += core_random_mix(d.turn->mark);
    if (asks->kind == EXPLORE_THREAD) /* all turns of a thread have one name */
        for (const struct world_decider *d = asks->part->decided; d; d = d->next)
            mark += d->kind == EXPLORE_THREAD && d->name == asks->name;
    return core_random_mix(mark);
}

static void explore_access_polls(struct world_decider *asks)
{
    CORE_CHECK(asks->poll && !asks->polls_next);
    asks->polls_next = asks->rank->polls;
    asks->rank->polls = asks;
}

void world_turn_wake(struct world_rank *rank)
{
    while (rank->polls) {
        struct world_decider *asks = rank->polls;
        CORE_CHECK(asks->poll && asks->part->polling > 0);
        rank->polls = asks->polls_next;
        asks->polls_next = NULL;
        asks->part->polling--;
        asks->poll = false;
        asks->name = name_next(asks->part, rank);
    }
}

/* Lets ranks poll again that polled these bytes and have had no news since. */
void world_access_happened(const struct world_decider *turn)
{
    CORE_CHECK(turn->kind == EXPLORE_TURN && !turn->reads);
    for (struct world_looked *looked = turn->part->looks; looked; looked = looked->next) {
        struct world_rank *rank = &WORLD->rank[looked->turn.by];
        if (looked->news == rank->news && world_access_conflict(&looked->turn, turn))
            world_news(rank);
    }
}

/* Returns the causes of the earlier operations on memory that it reads. */
static const struct world_causes *seen_of(const struct world_decider *asks)
{
    struct world_causes causes = {{0}, NULL};
    bool blind = asks->effect && asks->effect->blind, found = false;
    if (asks->kind != EXPLORE_TURN || blind)
        return NULL;
    for (struct world_overlaps e = world_access_decided(asks); world_overlaps_next(&e);)
        if (e.turn->kind == EXPLORE_TURN && world_access_conflict(asks, e.turn)) {
            world_causes_gather(&causes, e.turn->causes);
            world_causes_gather(&causes, e.turn->gained);
            found |= e.turn->causes || e.turn->gained;
        }
    return found ? world_causes_keep(&causes) : NULL;
}

/* Returns the turn, its causes, the conflicting turns before it, and theirs. */
static const struct world_causes *explore_access_behind(const struct world_decider *d,
                                                        const struct world_decider *asks)
{
    struct world_causes causes = world_causes_only(d->decided), room;
    world_causes_gather(&causes, asks->causes);
    struct world_causes behind = *world_causes_ordered(&causes, NULL, &room);
    for (struct world_overlaps e = world_access_decided(asks); world_overlaps_next(&e);)
        if (e.turn != d && e.turn->kind == d->kind && world_access_conflict(asks, e.turn))
            world_causes_gather(&behind, e.turn->behind);
    return world_causes_keep(&behind);
}

void world_access_others(const struct world_decider *d)
{
    EACH_ASKING(asks, d)
    if (asks->reported == d->part->reported && !asks->poll && asks->name != d->answer) {
        const struct world_causes witnesses = world_alternatives_witnesses(d, asks);
        world_explore_missed(d, asks->name, &witnesses, true);
    }
}

/* Tells whether another thread probes or has probed for the message of this receive, unordered: the
 * probe may return only after the receive is posted, which is not decided. */
static bool is_probed(const struct world_decider *receives)
{
    for (struct world_overlaps e = world_access_decided(receives); world_overlaps_next(&e);)
        if (e.turn->kind == EXPLORE_THREAD && e.turn->use == TURN_PROBES &&
            e.turn->name != receives->name && world_access_conflict(receives, e.turn) &&
            !world_causes_has(receives->causes, e.turn->decided))
            return true;
    return false;
}

void world_access_given(struct world_decider *d, struct world_decider *asks)
{
    CORE_CHECK(d->part == asks->part && d->kind == asks->kind);
    CORE_CHECK(!asks->poll && asks->name >= 0 && !(asks->effect && asks->effect->done));
    explore_access_go(asks);
    recorded_have(d);
    if (asks->effect && asks->effect->after) { /* it is done */
        const struct world_decider *after = asks->effect->after->turn;
        asks->causes =
            world_causes_join(asks->causes, world_causes_add(after->causes, after->decided));
    }
    asks->decided = d->decided;
    asks->gained = world_causes_join(asks->causes, seen_of(asks));
    if (asks->kind == EXPLORE_THREAD && asks->use == TURN_RECEIVES && is_probed(asks))
        world_explore_limited();
    d->exclusive = asks->exclusive;
    d->reads = asks->reads;
    d->op = asks->op;
    d->use = asks->use;
    d->source = asks->source;
    d->tag = asks->tag;
    d->causes = asks->causes;
    d->low = asks->low;
    d->high = asks->high;
    d->pieces = asks->pieces;
    d->file = asks->file;
    d->by = asks->by;
    d->name = asks->name;
    d->effect = asks->effect;
    if (d->kind == EXPLORE_TURN && d->decided < EXPLORE_TRACKED)
        world_overlaps_add(&d->part->decided_index, d);
    asks->place = d->place;
    if (d->decided < EXPLORE_TRACKED) { /* later turns do not need it */
        d->behind = explore_access_behind(d, asks);
        world_explore_turn(d);
        world_alternatives_decided(d);
    }
    if (d->kind == EXPLORE_LOCK) {
        world_alternatives_locked(d);
        d->part->lock_count++;
        if (d->exclusive) {
            CORE_CHECK(d->part->excluding > 0); /* world_access_lock counted it */
            d->part->excluding--;
            d->part->excluded = d->decided + 1;
        }
    } else {
        d->part->turn_count++;
    }
    if (d->kind == EXPLORE_TURN && !asks->reads && !asks->effect)
        world_access_happened(asks);
}

/* Notes that some results of two pending accumulates are not explored. */
static void explore_access_tear(const struct world_decider *asks)
{
    for (struct world_overlaps e = world_access_asking(asks); world_overlaps_next(&e);)
        if (e.turn->element && world_access_conflict(asks, e.turn) &&
            world_atomic_torn(asks, e.turn))
            world_explore_limited();
    const struct world_effect *before = asks->effect->after;
    for (; before && !before->done && !asks->effect->in_order; before = before->after)
        if (world_access_conflict(asks, before->turn))
            world_explore_limited();
}

/* Adds a turn that may be next from now on. */
static struct world_decider *asks_new(const struct world_decider *like)
{
    struct world_decider *d = world_zalloc(sizeof *d);
    *d = *like;
    d->asks = true;
    d->rank = ME;
    d->by = ME->rank;
    d->call = WORLD->fiber->call;
    d->site = WORLD->fiber->site;
    d->causes = WORLD->fiber->causes;
    CORE_CHECK(d->part && WORLD->fiber->is_rank);
    CORE_CHECK(d->poll || d->name >= 0);
    if (!d->poll)
        world_alternatives_asking(d);
    if (d->element)
        explore_access_tear(d);
    explore_access_come(d);
    return d;
}

/* Marks its changes as visible to others from now on. */
static void explore_access_give(const struct world_decider *asks)
{
    if (asks->kind == EXPLORE_TURN && !asks->poll && !asks->reads)
        world_gate_give(GATE_TURN, asks->object, asks->part->rank->rank, asks->name);
}

/* Records that it needs the last conflicting turn of each other rank. */
static void explore_access_need(const struct world_decider *asks)
{
    int *last = asks->kind == EXPLORE_TURN && WORLD->options->event
                    ? world_zalloc((size_t)WORLD->rank_count * sizeof *last)
                    : NULL;
    for (struct world_overlaps e = world_access_decided(asks); last && world_overlaps_next(&e);)
        if (e.turn->kind == EXPLORE_TURN && e.turn->place < asks->place && !e.turn->reads &&
            e.turn->by != asks->by && e.turn->name >= last[e.turn->by] &&
            world_access_conflict(asks, e.turn))
            last[e.turn->by] = e.turn->name + 1;
    for (int i = 0; last && i < WORLD->rank_count; i++)
        if (last[i])
            world_gate_need(GATE_TURN, asks->object, asks->part->rank->rank, last[i] - 1);
}

static void explore_access_await(struct world_decider *d, const char *why)
{
    WORLD->fiber->why = why;
    d->fiber = WORLD->fiber;
    world_explore_ask(d);
}

/* --- windows and files ------------------------------------------------------------------------ */

void world_access_begin(struct world_effect *effect, const struct world_decider *turn)
{
    struct world_decider made = *turn;
    CORE_CHECK(!effect->turn && !effect->done);
    made.kind = EXPLORE_TURN;
    made.name = made.poll ? -1 : name_next(turn->part, ME);
    made.effect = effect;
    effect->turn = asks_new(&made);
    explore_access_give(effect->turn);
    if (made.poll)
        explore_access_polls(effect->turn);
}

void world_access_complete(const struct world_effect *effect, const char *why)
{
    struct world_decider *asks = effect->turn;
    CORE_CHECK(asks && asks->effect == effect && (effect->done || !asks->fiber));
    if (!effect->done)
        explore_access_await(asks, why);
    explore_access_need(asks);
    WORLD->fiber->causes = world_causes_join(WORLD->fiber->causes, asks->gained);
}

/* Returns the running rank's previous access to the same bytes from the same call site; NULL if
 * there was none.
 *
 * A rank that repeats an access without news does the same each time if its state is unchanged. So
 * the next one may wait until what it reads has changed, or no other rank can run. */
static struct world_looked *looked_at(const struct world_decider *turn)
{
    struct world_looked *looked = turn->part->looks;
    while (looked && !(looked->site == WORLD->fiber->site && looked->turn.by == ME->rank &&
                       looked->turn.file == turn->file && looked->turn.low == turn->low &&
                       looked->turn.high == turn->high))
        looked = looked->next;
    return looked;
}

static void explore_access_looks(const struct world_decider *turn)
{
    struct world_looked *looked = looked_at(turn);
    if (!looked) {
        looked = world_zalloc(sizeof *looked);
        looked->next = turn->part->looks;
        turn->part->looks = looked;
    }
    looked->times = looked->times && looked->news == ME->news ? looked->times + 1 : 1;
    if (looked->times == 1)
        looked->state = 0;
    looked->site = WORLD->fiber->site;
    looked->turn = *turn;
    looked->news = ME->news;
}

enum { LOADS_REAL = 16 }; /* loads in a row from one place, by a rank whose state changes */

/* Tells whether the load belongs to a loop that waits for a change: the rank's state is unchanged,
 * or that is assumed after LOADS_REAL loads. */
static bool is_look_again(const struct world_decider *turn)
{
    struct world_looked *looked = turn->reads ? looked_at(turn) : NULL;
    if (!looked || looked->news != ME->news)
        return false;
    if (!turn->touches)
        return true;
    uint64_t state = WORLD_PROCESSES ? world_process_state() : 0;
    bool same = state && state == looked->state;
    looked->state = state;
    if (!same && looked->times >= LOADS_REAL)
        world_explore_again();
    return same || looked->times >= LOADS_REAL;
}

bool world_access_take(const struct world_decider *turn, const char *why)
{
    struct world_part *part = turn->part;
    struct world_decider made = *turn, *asks;
    made.kind = EXPLORE_TURN;
    made.by = ME->rank;
    made.poll = is_look_again(&made);
    made.name = made.poll ? -1 : name_next(part, ME);
    asks = asks_new(&made);
    if (made.poll && part->asking != asks)
        world_explore_again();
    if (made.poll)
        explore_access_polls(asks);
    explore_access_give(asks);
    explore_access_await(asks, why);
    if (!asks->poll)
        explore_access_need(asks);
    if (made.reads)
        explore_access_looks(asks);
    return !asks->poll;
}

/* Returns the same number for operations whose order makes no difference; 0: their order can be
 * seen. */
static int explore_access_commutes(const struct world_rma *rma)
{
    bool silent = rma->kind == RMA_ACCUMULATE && !rma->result_type &&
                  world_op_remote(rma->op) == 1 && !world_op_rounds(rma->op, rma->target_type);
    return silent ? 1 + (int)(((uintptr_t)rma->op >> 4) & 0xffffff) : 0;
}

static uint64_t operands_of(const struct world_rma *rma)
{
    CORE_CHECK(rma->result_type); /* it returns something */
    uint64_t hash = core_random_mix((uint64_t)rma->kind ^ (uintptr_t)rma->op);
    if (rma->origin_type)
        hash ^= world_type_checksum(rma->origin, rma->origin_count, rma->origin_type);
    if (rma->kind == RMA_SWAP)
        hash = core_random_mix(hash) ^
               world_type_checksum(rma->compare, rma->target_count, rma->target_type);
    return hash;
}

enum { LOOKS_REAL = 3 }; /* accesses in a row by a rank whose state changes */

/* Tells whether it repeats the rank's last access in an unchanged state, or that is assumed after
 * LOOKS_REAL. */
static bool explore_access_repeats(const struct world_rma *rma, const struct world_decider *turn)
{
    struct world_looked *looked = looked_at(turn);
    if (!looked || looked->news != ME->news || looked->operands != rma->operands)
        return false;
    uint64_t state = WORLD_PROCESSES ? world_process_state() : 0, before = looked->state;
    bool same = state && state == before && looked->clocks == WORLD->looks;
    looked->state = state;
    looked->clocks = WORLD->looks;
    CORE_CHECK(looked->times > 0 && looked->turn.by == ME->rank);
    if (looked->times < LOOKS_REAL && !same)
        return false;
    if (!same)
        world_explore_again();
    return true;
}

void world_access_looked(const struct world_rma *rma)
{
    const struct world_decider *turn = rma->effect.turn;
    const void *site = WORLD->fiber->site;
    CORE_CHECK(!rma->changed && rma->effect.done);
    WORLD->fiber->site = turn->site;
    explore_access_looks(turn);
    looked_at(turn)->operands = rma->operands;
    WORLD->fiber->site = site;
}

void world_access_called(struct world_rma *rma)
{
    ptrdiff_t low, high;
    struct world_part *part = rma->win->part[rma->target];
    world_type_reach(rma->target_type, rma->target_count, &low, &high);
    if (world_rma_ordered(rma)) {
        if (!part->ordered)
            part->ordered = world_zalloc((size_t)WORLD->rank_count * sizeof(*part->ordered));
        rma->effect.ordered = true;
        rma->effect.in_order = world_atomic_ordered(rma->win);
        rma->effect.after = part->ordered[ME->rank];
        part->ordered[ME->rank] = &rma->effect;
    }
    rma->effect.reached = part->rank;
    if (!part->seen)
        world_explore_blind();
    struct world_decider turn = {.part = part,
                                 .by = ME->rank,
                                 .object = part->object,
                                 .low = rma->at + low,
                                 .high = rma->at + high,
                                 .pieces = world_rma_pieces(rma),
                                 .reads = rma->kind == RMA_GET || (rma->kind == RMA_ACCUMULATE &&
                                                                   world_op_remote(rma->op) == 3),
                                 .op = explore_access_commutes(rma),
                                 .element = world_atomic_bytes(rma)};
    if (!part->is_file && part->base && part->base <= turn.low &&
        (size_t)(high - low) == rma->target_count * rma->target_type->size) { /* no gaps */
        turn.sure_low = turn.low;
        turn.sure_high = turn.high;
    }
    if (rma->result_type && !WORLD->options->hollow) {
        rma->operands = operands_of(rma);
        turn.poll = explore_access_repeats(rma, &turn);
    }
    world_access_begin(&rma->effect, &turn);
}

bool world_access_look(MPI_Win win)
{
    struct world_part *part = win->part[win->comm.rank];
    CORE_CHECK(part->rank == ME);
    bool news = world_access_take(&(struct world_decider){.part = part,
                                                          .object = part->object,
                                                          .high = (const uint8_t *)UINTPTR_MAX,
                                                          .reads = true},
                                  "looks at its window");
    if (WORLD_PROCESSES)
        world_process_guard_looked(part);
    return news;
}

void world_access_touch(struct world_part *part, const void *at, bool writes)
{
    const uint8_t *first = at;
    CORE_CHECK((part->rank == ME || part->common) && WORLD->explore);
    if (first && (first < part->base || first >= part->base + part->bytes))
        first = NULL; /* other memory on the part's pages */
    world_access_take(&(struct world_decider){.part = part,
                                              .object = part->object,
                                              .low = part->base,
                                              .high = part->base + part->bytes,
                                              .sure_low = first,
                                              .sure_high = first ? first + 1 : NULL,
                                              .reads = !writes,
                                              .touches = true},
                      writes ? "stores in its window" : "loads from its window");
}

void world_access_failed(struct world_decider *look)
{
    CORE_CHECK(look->poll);
    struct world_decider **link = &look->rank->polls;
    while (*link != look) {
        CORE_CHECK(*link); /* it waits to be woken */
        link = &(*link)->polls_next;
    }
    *link = look->polls_next;
    look->decided = EXPLORE_TRACKED; /* it was no decision */
    explore_access_go(look);
}

void world_access_ask(const struct world_decider *turn, const char *why)
{
    explore_access_await(asks_new(turn), why);
}

/* Tells whether the decision precedes this fiber's call in every order. */
static bool was_before(uint32_t decision)
{
    return decision < EXPLORE_TRACKED && world_causes_has(WORLD->fiber->causes, decision);
}

/* Notes a lock of all parts. Its order is not decided, so the world is limited unless all exclusive
 * locks precede it. */
void world_access_lock_all(MPI_Win win)
{
    CORE_CHECK(WORLD->explore && !win->held_all);
    for (int i = 0; i < win->comm.size; i++) {
        struct world_part *part = win->part[i];
        part->locked_all = true;
        if (part->excluding || (part->excluded && !was_before(part->excluded - 1)))
            world_explore_limited();
    }
}

void world_access_lock(struct world_part *part, bool exclusive)
{
    if (exclusive && part->locked_all)
        world_explore_limited();
    part->excluding += exclusive;
    world_access_ask(&(struct world_decider){.kind = EXPLORE_LOCK,
                                             .part = part,
                                             .name = ME->rank,
                                             .object = part->object,
                                             .exclusive = exclusive},
                     world_text("waits for the lock of rank %d's window", part->rank->rank));
    WORLD->fiber->causes = world_causes_join(WORLD->fiber->causes, part->causes);
    if (exclusive)
        WORLD->fiber->causes = world_causes_join(WORLD->fiber->causes, part->shared_causes);
}

void world_access_unlocked(struct world_part *part, bool exclusive)
{
    CORE_CHECK(!exclusive || part->holders == 0);
    const struct world_causes **causes = exclusive ? &part->causes : &part->shared_causes;
    *causes = world_causes_join(*causes, WORLD->fiber->causes);
}
