/* See the header. */
#include "world/exchange/explore_turn.h"

/* A window's decisions begin at WINDOW times its number; those about locks LOCKS behind. There are
 * those about threads, too, of a communicator that is no window's: of receives and probes, of
 * collectives, of sends to each rank, QUEUE apart. */
enum { WINDOW = 2000000, LOCKS = 1000000, QUEUE = 1500, QUEUES = LOCKS / QUEUE };
enum { QUEUE_RECEIVES, QUEUE_COLLECTIVES, QUEUE_SENDS };
_Static_assert((int)QUEUE > (int)EXPLORE_TRACKED, "there are no more turns that are told apart");
_Static_assert(LOCKS * 2 <= WINDOW, "turns and locks of a window have as many numbers each");

static bool threads_conflict(const struct world_decider *a, const struct world_decider *b)
{
    CORE_CHECK(a->part == b->part);
    if (a->use == TURN_SENDS || a->use == TURN_COLLECTIVE)
        return a->use == b->use && a->source == b->source;
    bool take = a->use == TURN_RECEIVES || b->use == TURN_RECEIVES;
    bool peers =
        a->source == b->source || a->source == MPI_ANY_SOURCE || b->source == MPI_ANY_SOURCE;
    bool tags = a->tag == b->tag || a->tag == MPI_ANY_TAG || b->tag == MPI_ANY_TAG;
    return b->use != TURN_SENDS && b->use != TURN_COLLECTIVE && take && peers && tags;
}

static bool conflict(const struct world_decider *a, const struct world_decider *b)
{
    CORE_CHECK(a->kind == b->kind && a->part == b->part);
    if (a->kind == EXPLORE_THREAD)
        return threads_conflict(a, b);
    if (a->kind == EXPLORE_LOCK)
        return a->exclusive || b->exclusive;
    if (a->low >= b->high || b->low >= a->high || (a->reads && b->reads))
        return false;
    return a->op != b->op || a->op == 0;
}

/* What an answer names it by. */
static int name_of(const struct world_decider *asks)
{
    CORE_CHECK(asks->asks && asks->fiber);
    return asks->kind == EXPLORE_THREAD ? (int)asks->fiber->thread : asks->rank->rank;
}

static int names_end(const struct world_decider *like)
{
    if (like->kind != EXPLORE_THREAD)
        return WORLD->rank_count;
    const struct world_fiber *last = like->part->rank->fiber;
    while (last->sibling)
        last = last->sibling;
    CORE_CHECK(last->rank == like->part->rank);
    return (int)last->thread + 1;
}

static struct world_decider *asks_of(int name, const struct world_decider *like)
{
    bool threads = like->kind == EXPLORE_THREAD;
    const struct world_rank *rank = threads ? like->part->rank : &WORLD->rank[name];
    for (const struct world_fiber *of = rank->fiber; of; of = of->sibling) {
        struct world_decider *d = of->decider;
        bool same = d && d->asks && d->part == like->part && d->kind == like->kind &&
                    (!threads || of->thread == (uint32_t)name);
        if (same && (d->kind != EXPLORE_LOCK || d->part->holders == 0 ||
                     (d->part->holders > 0 && !d->exclusive)))
            return d;
    }
    return NULL;
}

struct world_decider *world_turn_asks(const struct world_decider *d, int32_t answer)
{
    return answer >= 0 && answer < names_end(d) ? asks_of(answer, d) : NULL;
}

struct world_decider *world_turn_of(struct world_decider *asks)
{
    CORE_CHECK(asks->asks && asks->part && asks->kind >= EXPLORE_TURN);
    if (asks_of(name_of(asks), asks) != asks)
        return NULL;
    for (int name = 0; name < name_of(asks); name++)
        if (asks_of(name, asks))
            return NULL;
    struct world_decider *d = world_zalloc(sizeof *d);
    bool lock = asks->kind != EXPLORE_TURN;
    uint32_t count = asks->kind == EXPLORE_LOCK ? asks->part->lock_count : asks->part->turn_count;
    *d = (struct world_decider){.kind = asks->kind,
                                .wish = WORLD_WISH_FREE,
                                .rank = asks->part->rank,
                                .part = asks->part,
                                .number = asks->window * WINDOW + (lock ? LOCKS : 0) +
                                          asks->queue * QUEUE + count + 1};
    return d;
}

/* The rank with the fewest turns, or the first thread; -1: nobody asks. */
static int first_of(const struct world_decider *d, int end)
{
    int first = -1;
    for (int name = 0; name < end; name++)
        if (asks_of(name, d) && (first < 0 || (d->kind != EXPLORE_THREAD &&
                                               WORLD->rank[name].turns < WORLD->rank[first].turns)))
            first = name;
    return first;
}

/* The first; then those that conflict with one that is told, until there is no more. */
void world_turn_options(const struct world_decider *d)
{
    int end = names_end(d), first = first_of(d, end);
    uint8_t *told = world_zalloc((size_t)end);
    if (first < 0)
        return;
    told[first] = 1;
    world_explore_tell(first);
    for (bool more = true; more;) {
        more = false;
        for (int name = 0; name < end; name++) {
            const struct world_decider *asks = told[name] ? NULL : asks_of(name, d);
            bool joins = false;
            for (int other = 0; asks && other < end && !joins; other++)
                joins = told[other] && conflict(asks, asks_of(other, d));
            if (!joins)
                continue;
            told[name] = more = true;
            world_explore_tell(name);
        }
    }
}

void world_turn_given(struct world_decider *d, const struct world_decider *asks)
{
    CORE_CHECK(d->part == asks->part && d->kind == asks->kind);
    d->exclusive = asks->exclusive;
    d->reads = asks->reads;
    d->op = asks->op;
    d->use = asks->use;
    d->source = asks->source;
    d->tag = asks->tag;
    d->past = asks->past;
    d->low = asks->low;
    d->high = asks->high;
    if (d->kind == EXPLORE_LOCK)
        d->part->lock_count++;
    else
        d->part->turn_count++;
}

/* Turns are counted, so those behind `d` are others once it goes to somebody else. */
static const struct world_past *past_elsewhere(const struct world_decider *d,
                                               const struct world_past *past)
{
    struct world_past *made = world_zalloc(sizeof *made);
    if (past)
        *made = *past;
    for (const struct world_decider *e = d->part->decided; e; e = e->next)
        if (e->kind == d->kind && e->decided < EXPLORE_TRACKED)
            made->word[e->decided / 64] &= ~((uint64_t)1 << e->decided % 64);
    return made;
}

/* The first turn behind `d` that whoever has this past has come past; NULL: there is none. */
static const struct world_decider *needed_behind(const struct world_decider *d,
                                                 const struct world_past *past)
{
    const struct world_decider *first = NULL;
    for (const struct world_decider *e = d->part->decided; e; e = e->next)
        if (e->kind == d->kind && e->number > d->number && world_past_has(past, e->decided) &&
            (!first || e->number < first->number))
            first = e;
    return first;
}

/* Whoever asks only now might have come before what was decided without it; if it had to come past
 * another turn first, that one is tried first, and the world that comes of it tells the rest. */
static void might_have_come(const struct world_decider *asks)
{
    for (struct world_decider *d = asks->part->decided; d; d = d->next) {
        CORE_CHECK(d->seen && d->part == asks->part);
        if (d->kind != asks->kind || !conflict(asks, d) || world_past_has(asks->past, d->decided))
            continue;
        const struct world_decider *needed = needed_behind(d, asks->past);
        int32_t answer = needed ? needed->answer : name_of(asks);
        if (d->seen[answer])
            continue;
        d->seen[answer] = 1;
        world_explore_missed(d, answer, past_elsewhere(d, needed ? needed->past : asks->past));
    }
}

static void await(struct world_decider *d, const char *why)
{
    CORE_CHECK(d->part && WORLD->fiber->is_rank);
    d->asks = true;
    d->rank = ME;
    d->fiber = WORLD->fiber;
    d->past = WORLD->fiber->past;
    WORLD->fiber->why = why;
    might_have_come(d);
    world_explore_ask(d);
}

/* 0: an operation whose order with any other is seen. */
static int commutes(const struct world_rma *rma)
{
    bool silent = rma->kind == RMA_ACCUMULATE && !rma->result && world_op_remote(rma->op) == 1;
    return silent ? 1 + (int)(((uintptr_t)rma->op >> 4) & 0xffffff) : 0;
}

void world_turn_await(const struct world_rma *rma)
{
    ptrdiff_t low, high;
    struct world_decider *d = world_zalloc(sizeof *d);
    world_type_reach(rma->target_type, rma->target_count, &low, &high);
    *d = (struct world_decider){
        .kind = EXPLORE_TURN,
        .part = rma->win->part[rma->target],
        .window = rma->win->comm.context / 2,
        .low = rma->at + low,
        .high = rma->at + high,
        .reads =
            rma->kind == RMA_GET || (rma->kind == RMA_ACCUMULATE && world_op_remote(rma->op) == 3),
        .op = commutes(rma),
    };
    await(d, "completes what it does to a window");
}

void world_turn_lock(MPI_Win win, struct world_part *part, bool exclusive)
{
    struct world_decider *d = world_zalloc(sizeof *d);
    *d = (struct world_decider){.kind = EXPLORE_LOCK,
                                .part = part,
                                .window = win->comm.context / 2,
                                .exclusive = exclusive};
    await(d, world_text("waits for the lock of rank %d's window", part->rank->rank));
    WORLD->fiber->past = world_past_join(WORLD->fiber->past, part->past);
    if (exclusive)
        WORLD->fiber->past = world_past_join(WORLD->fiber->past, part->shared_past);
}

void world_turn_unlocked(struct world_part *part, bool exclusive)
{
    CORE_CHECK(!exclusive || part->holders == 0);
    const struct world_past **past = exclusive ? &part->past : &part->shared_past;
    *past = world_past_join(*past, WORLD->fiber->past);
}

void world_turn_thread(MPI_Comm comm, enum world_turn_use use, int peer, int tag)
{
    const struct world_fiber *fiber = WORLD->fiber;
    if (!WORLD->explore || !fiber->is_rank || !ME->fiber->sibling || peer == MPI_PROC_NULL)
        return;
    if (fiber->thread >= EXPLORE_THREADS) {
        world_explore_limited();
        return;
    }
    uint32_t queue = use == TURN_SENDS        ? QUEUE_SENDS + (uint32_t)peer
                     : use == TURN_COLLECTIVE ? QUEUE_COLLECTIVES
                                              : QUEUE_RECEIVES;
    if (queue >= QUEUES)
        queue = QUEUES - 1;
    CORE_CHECK(comm->context % 2 == 0 && queue < QUEUES);
    if (!comm->turns)
        comm->turns = world_zalloc(QUEUES * sizeof(*comm->turns));
    if (!comm->turns[queue]) {
        comm->turns[queue] = world_zalloc(sizeof(struct world_part));
        comm->turns[queue]->rank = ME;
    }
    struct world_decider *d = world_zalloc(sizeof *d);
    *d = (struct world_decider){.kind = EXPLORE_THREAD,
                                .part = comm->turns[queue],
                                .window = comm->context / 2,
                                .queue = queue,
                                .use = use,
                                .source = peer,
                                .tag = tag};
    await(d, "waits for the other threads of its rank");
}
