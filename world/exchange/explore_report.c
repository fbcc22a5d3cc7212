/* See the header. */
#include "world/exchange/explore_report.h"

#include "world/exchange/rma.h"

_Static_assert(EXPLORE_TRACKED % 64 == 0, "a set of causes is whole words");

/* --- pasts ------------------------------------------------------------------------------------ */

bool world_causes_has(const struct world_causes *causes, uint32_t decision)
{
    CORE_CHECK_HOT(decision < EXPLORE_TRACKED);
    return causes && causes->word[decision / 64] >> decision % 64 & 1;
}

static bool files_within(const uint32_t *a, const uint32_t *b)
{
    if (!a || a == b)
        return true;
    for (int r = 0; b && r < WORLD->rank_count; r++)
        if (a[r] > b[r])
            return false;
    return b != NULL;
}

static const uint32_t *files_join(const uint32_t *a, const uint32_t *b)
{
    if (files_within(a, b) || files_within(b, a))
        return files_within(a, b) ? b : a;
    uint32_t *made = world_alloc((size_t)WORLD->rank_count * sizeof *made);
    for (int r = 0; r < WORLD->rank_count; r++)
        made[r] = a[r] > b[r] ? a[r] : b[r];
    return made;
}

static bool causes_within(const struct world_causes *a, const struct world_causes *b)
{
    for (int i = 0; i < EXPLORE_TRACKED / 64; i++)
        if (a->word[i] & ~b->word[i])
            return false;
    return files_within(a->files, b->files);
}

const struct world_causes *world_causes_join(const struct world_causes *a,
                                             const struct world_causes *b)
{
    if (!a || a == b)
        return b;
    if (!b || causes_within(b, a))
        return a;
    if (causes_within(a, b))
        return b;
    struct world_causes *made = world_alloc(sizeof *made);
    for (int i = 0; i < EXPLORE_TRACKED / 64; i++)
        made->word[i] = a->word[i] | b->word[i];
    made->files = files_join(a->files, b->files);
    CORE_CHECK_HOT(causes_within(a, made) && causes_within(b, made));
    return made;
}

const struct world_causes *world_causes_add(const struct world_causes *causes, uint32_t decision)
{
    if (decision >= EXPLORE_TRACKED || world_causes_has(causes, decision))
        return causes;
    struct world_causes *made = world_zalloc(sizeof *made);
    if (causes)
        *made = *causes;
    made->word[decision / 64] |= (uint64_t)1 << decision % 64;
    return made;
}

const struct world_causes *world_causes_ended(const struct world_causes *causes, int rank,
                                              uint32_t uses)
{
    const size_t bytes = (size_t)WORLD->rank_count * sizeof(uint32_t);
    CORE_CHECK(rank >= 0 && rank < WORLD->rank_count);
    struct world_causes *made = world_zalloc(sizeof *made);
    uint32_t *files = world_zalloc(bytes);
    if (causes)
        *made = *causes;
    if (made->files)
        memcpy(files, made->files, bytes);
    CORE_CHECK(files[rank] < uses); /* a rank's uses end one after the other */
    files[rank] = uses;
    made->files = files;
    return made;
}

static bool past_meets(const struct world_causes *a, const struct world_causes *b)
{
    for (int i = 0; a && b && i < EXPLORE_TRACKED / 64; i++)
        if (a->word[i] & b->word[i])
            return true;
    return false;
}

void world_causes_gather(struct world_causes *to, const struct world_causes *more)
{
    CORE_CHECK_HOT(to != more);
    if (!more)
        return;
    for (int i = 0; i < EXPLORE_TRACKED / 64; i++)
        to->word[i] |= more->word[i];
    to->files = files_join(to->files, more->files);
}

const struct world_causes *world_causes_keep(const struct world_causes *causes)
{
    struct world_causes *made = world_alloc(sizeof *made);
    CORE_CHECK(causes);
    *made = *causes;
    return made;
}

struct world_causes world_causes_only(uint32_t decision)
{
    struct world_causes made = {{0}, NULL};
    if (decision < EXPLORE_TRACKED)
        made.word[decision / 64] = (uint64_t)1 << decision % 64;
    return made;
}

/* Calls are as many as pairs of decisions: what they find is in the caller's memory. */
const struct world_causes *world_causes_ordered(const struct world_causes *causes,
                                                const struct world_causes *without,
                                                struct world_causes *room)
{
    struct world_causes behind = {{0}, NULL};
    if (!EXPLORE->turn || !causes)
        return causes;
    *room = *causes;
    const uint32_t count = EXPLORE->report.decision_count < EXPLORE_TRACKED
                               ? EXPLORE->report.decision_count
                               : EXPLORE_TRACKED;
    for (uint32_t i = 0; i < count; i++)
        if (world_causes_has(causes, i) && EXPLORE->turn[i])
            world_causes_gather(&behind, EXPLORE->turn[i]->behind);
    for (uint32_t i = 0; i < count; i++)
        if (world_causes_has(&behind, i) && EXPLORE->turn[i] &&
            !past_meets(EXPLORE->turn[i]->behind, without)) {
            room->word[i / 64] |= (uint64_t)1 << i % 64;
            world_causes_gather(room, EXPLORE->turn[i]->causes);
        }
    return room;
}

/* Returns the set of all decisions so far. */
const struct world_causes *world_causes_all(void)
{
    struct world_causes *made = world_zalloc(sizeof *made);
    for (uint32_t i = 0; i < EXPLORE->report.decision_count && i < EXPLORE_TRACKED; i++)
        made->word[i / 64] |= (uint64_t)1 << i % 64;
    return made;
}

/* --- what is told ----------------------------------------------------------------------------- */

static void *room_for(void *array, uint32_t *room, uint32_t need, size_t element)
{
    if (need <= *room)
        return array;
    uint32_t larger = *room ? *room * 2 : 64;
    CORE_CHECK(need <= larger);
    void *made = world_alloc(larger * element);
    if (*room)
        memcpy(made, array, *room * element);
    *room = larger;
    return made;
}
#define ROOM_FOR(array, room, count) \
    ((array) = room_for(array, &(room), (count) + 1, sizeof *(array)))

void world_explore_tell(int32_t answer)
{
    world_explore_tell_turn(answer, 0);
}

void world_explore_tell_turn(int32_t answer, uint32_t independent)
{
    struct world_explore *e = EXPLORE;
    ROOM_FOR(e->option, e->option_room, e->report.option_count);
    CORE_CHECK(e->report.option_count < e->option_room);
    e->option[e->report.option_count++] = (struct world_option){answer, independent};
}

enum replay_reason world_explore_reason(const struct world_decider *d)
{
    switch (d->kind) {
    case EXPLORE_RECEIVE:
    case EXPLORE_PROBE:
        return REPLAY_REASON_MATCH;
    case EXPLORE_TURN:
        return REPLAY_REASON_OTHER;
    case EXPLORE_LOCK:
        return REPLAY_REASON_LOCK;
    case EXPLORE_THREAD:
        return REPLAY_REASON_THREAD;
    case EXPLORE_BUFFER:
        return REPLAY_REASON_BUFFER;
    default:
        return REPLAY_REASON_WAIT;
    }
}

void world_explore_decision(struct world_decider *d, uint32_t option_first, bool given)
{
    struct world_explore *e = EXPLORE;
    CORE_CHECK(d->number > 0 && option_first < e->report.option_count);
    ROOM_FOR(e->decision, e->decision_room, e->report.decision_count);
    struct world_decision *reported = &e->decision[e->report.decision_count];
    *reported = (struct world_decision){.reason = world_explore_reason(d),
                                        .rank = d->rank->rank,
                                        .number = d->number,
                                        .poll = d->poll,
                                        .set = d->kind == EXPLORE_SOME,
                                        .touch = d->touches,
                                        .common = d->touches && d->part->common,
                                        .reads = d->reads,
                                        .site = (uintptr_t)d->site,
                                        .answer = d->answer,
                                        .given = given,
                                        .place = d->place,
                                        .mark = d->mark,
                                        .receive = d->receive,
                                        .option_first = option_first,
                                        .option_count = e->report.option_count - option_first};
    if (d->sure_low != d->sure_high) {
        CORE_CHECK(d->part->base <= d->sure_low && d->sure_low < d->sure_high);
        reported->low = (uint64_t)(d->sure_low - d->part->base);
        reported->high = (uint64_t)(d->sure_high - d->part->base);
    }
    size_t length = d->call ? strlen(d->call) : 0;
    if (length >= sizeof reported->call)
        length = sizeof reported->call - 1;
    memcpy(reported->call, d->call ? d->call : "", length);
    d->decided = e->report.decision_count++;
}

bool world_explore_seen(struct world_decider *d, uint32_t answer)
{
    if (answer >= d->seen_room) {
        uint32_t ranks = (uint32_t)WORLD->rank_count, room = answer < ranks ? ranks : answer * 2;
        uint8_t *seen = world_zalloc(room);
        if (d->seen)
            memcpy(seen, d->seen, d->seen_room);
        d->seen = seen;
        d->seen_room = room;
    }
    bool before = d->seen[answer];
    d->seen[answer] = 1;
    return before;
}

void world_explore_missed(const struct world_decider *d, int32_t answer,
                          const struct world_causes *causes, bool there)
{
    struct world_explore *e = EXPLORE;
    CORE_CHECK(d->number > 0 && d->decided < e->report.decision_count);
    uint32_t first = e->report.causes_count;
    const struct world_causes only = world_causes_only(d->decided);
    struct world_causes room;
    if (d->kind < EXPLORE_TURN)
        causes = world_causes_ordered(causes, &only, &room);
    for (uint32_t i = 0; causes && i < e->report.decision_count && i < EXPLORE_TRACKED; i++)
        if (world_causes_has(causes, i)) {
            ROOM_FOR(e->causes, e->causes_room, e->report.causes_count);
            e->causes[e->report.causes_count++] = i;
        }
    ROOM_FOR(e->missed, e->missed_room, e->report.missed_count);
    e->missed[e->report.missed_count++] =
        (struct world_missed){.decision = d->decided,
                              .before = d->decided,
                              .answer = answer,
                              .there = there,
                              .causes_first = first,
                              .causes_count = e->report.causes_count - first};
}

void world_explore_turn(const struct world_decider *turn)
{
    CORE_CHECK(turn->kind >= EXPLORE_TURN && turn->decided < EXPLORE->report.decision_count);
    CORE_CHECK(turn->decided < EXPLORE_TRACKED);
    if (!EXPLORE->turn)
        EXPLORE->turn = world_zalloc(EXPLORE_TRACKED * sizeof(*EXPLORE->turn));
    EXPLORE->turn[turn->decided] = turn;
}

void world_explore_start(void)
{
    WORLD->explore = NULL;
    if (WORLD->options->policy.order != REPLAY_ORDER_EXPLORE)
        return;
    WORLD->explore = world_zalloc(sizeof *WORLD->explore);
}

void world_explore_end(void)
{
    WORLD->outcome->decisions = NULL;
    if (!EXPLORE)
        return;
    CORE_CHECK(EXPLORE->report.decision_count <= EXPLORE->decision_room);
    CORE_CHECK(EXPLORE->report.missed_count <= EXPLORE->missed_room);
    EXPLORE->report.decision = EXPLORE->decision;
    EXPLORE->report.option = EXPLORE->option;
    EXPLORE->report.missed = EXPLORE->missed;
    EXPLORE->report.causes = EXPLORE->causes;
    WORLD->outcome->decisions = &EXPLORE->report;
}

uint32_t world_explore_decided(void)
{
    return EXPLORE ? EXPLORE->report.decision_count : 0;
}

void world_explore_again(void)
{
    EXPLORE->report.asked_again = true;
}

void world_explore_blind(void)
{
    if (EXPLORE)
        EXPLORE->report.blind_windows = true;
}

void world_explore_limited(void)
{
    if (EXPLORE)
        EXPLORE->report.limited = true;
}

void world_explore_layout(void)
{
    if (WORLD->options->layouts)
        world_explore_limited();
}

enum { OVERTAKING_MAX = 64 }; /* peers and tags that are distinguished on a communicator */

struct world_overtaking {
    struct world_overtaking *next;
    int peer, tag;
};

void world_explore_overtaking(MPI_Comm comm, bool sent, int peer, int tag)
{
    struct world_overtaking **link = &comm->met[sent];
    int count = 0;
    if (!EXPLORE || EXPLORE->report.overtaking)
        return;
    while (*link && ((*link)->peer != peer || (*link)->tag != tag)) {
        link = &(*link)->next;
        count++;
    }
    EXPLORE->report.overtaking = *link || tag == MPI_ANY_TAG || count == OVERTAKING_MAX;
    if (EXPLORE->report.overtaking)
        return;
    *link = world_alloc(sizeof **link);
    **link = (struct world_overtaking){NULL, peer, tag};
}

bool world_explore_cut(void)
{
    return EXPLORE && EXPLORE->report.cut;
}
