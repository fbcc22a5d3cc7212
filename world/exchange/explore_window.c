/* See the header. */
#include "world/exchange/explore_window.h"

/* A window's decisions begin at WINDOW times its number; those about locks LOCKS behind. */
enum { WINDOW = 2000000, LOCKS = 1000000 };
_Static_assert(LOCKS * 2 <= WINDOW, "turns and locks of a window have as many numbers each");

static bool conflict(const struct world_decider *a, const struct world_decider *b)
{
    CORE_CHECK(a->kind == b->kind && a->part == b->part);
    if (a->kind == EXPLORE_LOCK)
        return a->exclusive || b->exclusive;
    if (a->low >= b->high || b->low >= a->high || (a->reads && b->reads))
        return false;
    return a->op != b->op || a->op == 0;
}

static struct world_decider *asks_of(int rank, const struct world_decider *like)
{
    struct world_decider *d = WORLD->rank[rank].fiber->decider;
    bool same = d && d->asks && d->part == like->part && d->kind == like->kind;
    bool possible = same && (d->kind == EXPLORE_TURN || d->part->holders == 0 ||
                             (d->part->holders > 0 && !d->exclusive));
    return possible ? d : NULL;
}

struct world_decider *world_turn_of(struct world_decider *asks)
{
    CORE_CHECK(asks->asks && asks->part && asks->kind >= EXPLORE_TURN);
    if (!asks_of(asks->rank->rank, asks))
        return NULL;
    for (int r = 0; r < asks->rank->rank; r++)
        if (asks_of(r, asks))
            return NULL;
    struct world_decider *d = world_zalloc(sizeof *d);
    bool lock = asks->kind == EXPLORE_LOCK;
    uint32_t count = lock ? asks->part->lock_count : asks->part->turn_count;
    *d = (struct world_decider){.kind = asks->kind,
                                .wish = WORLD_WISH_FREE,
                                .rank = asks->part->rank,
                                .part = asks->part,
                                .number = asks->window * WINDOW + (lock ? LOCKS : 0) + count + 1};
    return d;
}

/* The rank with the fewest turns first; then those that conflict with one that is told, until there
 * is no more. */
void world_turn_options(const struct world_decider *d)
{
    uint8_t *told = world_zalloc((size_t)WORLD->rank_count);
    int first = -1;
    for (int r = 0; r < WORLD->rank_count; r++)
        if (asks_of(r, d) && (first < 0 || WORLD->rank[r].turns < WORLD->rank[first].turns))
            first = r;
    if (first < 0)
        return;
    told[first] = 1;
    world_explore_tell(first);
    for (bool more = true; more;) {
        more = false;
        for (int r = 0; r < WORLD->rank_count; r++) {
            const struct world_decider *asks = told[r] ? NULL : asks_of(r, d);
            bool joins = false;
            for (int other = 0; asks && other < WORLD->rank_count && !joins; other++)
                joins = told[other] && conflict(asks, asks_of(other, d));
            if (!joins)
                continue;
            told[r] = more = true;
            world_explore_tell(r);
        }
    }
}

void world_turn_given(struct world_decider *d, const struct world_decider *asks)
{
    CORE_CHECK(d->part == asks->part && d->kind == asks->kind);
    d->exclusive = asks->exclusive;
    d->reads = asks->reads;
    d->op = asks->op;
    d->low = asks->low;
    d->high = asks->high;
    if (d->kind == EXPLORE_LOCK)
        d->part->lock_count++;
    else
        d->part->turn_count++;
}

/* Whoever asks only now might have come before what was decided without it. */
static void might_have_come(const struct world_decider *asks, const struct world_past *past)
{
    for (struct world_decider *d = asks->part->decided; d; d = d->next) {
        CORE_CHECK(d->seen && d->part == asks->part);
        if (d->kind != asks->kind || d->seen[asks->rank->rank] || !conflict(asks, d) ||
            world_past_has(past, d->decided))
            continue;
        d->seen[asks->rank->rank] = 1;
        world_explore_missed(d, asks->rank->rank, past);
    }
}

static void await(struct world_decider *d, const char *why)
{
    CORE_CHECK(d->part && WORLD->fiber->is_rank);
    d->asks = true;
    d->rank = ME;
    WORLD->fiber->why = why;
    might_have_come(d, WORLD->fiber->past);
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
