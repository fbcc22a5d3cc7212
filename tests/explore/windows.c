/* One-sided operations and locks against brute force: small random programs whose every
 * interleaving is gone through here, on a memory of its own, where an operation may be done at any
 * time from its call on until it is completed, and a lock is had by whoever comes when it is free.
 * The search finds the same outcomes, deadlocks among them: no more, no fewer; or it says that it
 * is not all, as it does where one locks everything and another one something exclusively. Some
 * spin until something is there, or nothing: where that never comes, it is a deadlock. A send has a
 * buffer or not; of the deadlocks that there are with fewer buffers it finds one. Of four programs
 * one locks everything to begin with, one what it uses, one has post, start, complete, wait, and
 * one fences. In one of three, ranks call MPI_Abort, some only after what they have seen; which of
 * them may in one run, as the others go on as far as they can, must be the same for both.
 */
#include <mpi.h>

#include "tests/explore/fibers.h"
#include "tests/explore/states.h"
#include "world/exchange/explore_access.h"

enum { PROGRAMS = 6000, RANKS = 3, OPS = 12, PLACES = 2, STATES_MAX = 400000, EVERYONE = -1 };
enum { CELLS = PLACES + RANKS * OPS }; /* behind the places, one for each operation alone */

enum what {
    PUT,
    GET,
    SUM,
    FETCH,
    FLUSH,
    LOOK,
    LOAD,  /* of its own memory, without a call */
    STORE, /* there */
    SEND,
    RECV,
    SHARED, /* locks, also of everyone's memory */
    EXCLUSIVE,
    UNLOCK,
    POST, /* peer: a set of ranks, as bits */
    START,
    COMPLETE,
    WAIT,
    TEST, /* the same, in a loop */
    FENCE,
    FENCED, /* all have come to it */
    SPIN,   /* gets until something is there */
    SWAP,   /* compares with 0 and swaps, until it was */
    ABORT,  /* peer: the code; place: not 0: only after what it has seen */
    WHATS
};
struct op {
    enum what what;
    int peer, place;
};
struct program {
    int ranks, count[RANKS];
    struct op op[RANKS][OPS];
    bool fails; /* some rank may abort */
};

static void add(struct program *p, int rank, struct op op)
{
    if (p->count[rank] < OPS)
        p->op[rank][p->count[rank]++] = op;
}

static int below(struct core_random *random, int count)
{
    return (int)core_random_below(random, (uint64_t)count);
}

static void make_locked(struct program *p, struct core_random *r)
{
    int total = 4 + below(r, 6);
    int spins = below(r, 8) ? 0 : 2; /* failed ones conflict: there are many orders of them */
    for (int rank = 0; rank < p->ranks; rank++)
        add(p, rank, (struct op){SHARED, EVERYONE, 0});
    for (int i = 0; i < total; i++) {
        int rank = below(r, p->ranks), peer = below(r, p->ranks);
        enum what what = (enum what)below(r, RECV);
        if (below(r, 3) == 0)
            what = (enum what)(LOOK + below(r, 3));
        else if (below(r, 2))
            peer = 0;
        if (what == SEND && (peer == rank || p->count[rank] == OPS || p->count[peer] == OPS))
            continue;
        if (spins && below(r, 3) == 0 && p->count[rank] < OPS - 2) {
            spins--;
            add(p, rank, (struct op){FLUSH, EVERYONE, 0});
            add(p, rank, (struct op){below(r, 2) ? SPIN : SWAP, below(r, 2), below(r, PLACES)});
            continue;
        }
        add(p, rank, (struct op){what, peer, below(r, PLACES)});
        if (what == SEND)
            add(p, peer, (struct op){RECV, rank, 0});
    }
    for (int rank = 0; rank < p->ranks; rank++)
        add(p, rank, (struct op){UNLOCK, EVERYONE, 0});
}

/* One more call of a rank that has locked what `held` says; at the end it unlocks all. */
static void make_next(struct program *p, struct core_random *r, int rank, bool held[RANKS],
                      bool *all)
{
    int peer = below(r, 2) ? 0 : below(r, p->ranks), other = below(r, p->ranks),
        place = below(r, 2);
    bool any = held[0] || held[1] || held[2];
    if (!any && !*all && below(r, 16) == 0) {
        add(p, rank, (struct op){SHARED, EVERYONE, 0});
        *all = true;
    } else if (*all && below(r, 4) == 0) {
        add(p, rank, (struct op){UNLOCK, EVERYONE, 0});
        *all = false;
    } else if (*all || (held[peer] && below(r, 3))) {
        enum what what = (enum what)below(r, FLUSH + 1);
        bool look = (held[rank] || *all) && below(r, 4) == 0;
        add(p, rank, (struct op){look ? LOOK : what, peer, place});
    } else if (below(r, 8) == 0) {
        add(p, rank, (struct op){below(r, 2) ? LOAD : STORE, rank, place});
    } else if (held[peer]) {
        add(p, rank, (struct op){UNLOCK, peer, 0});
        held[peer] = false;
    } else if (below(r, 6) == 0 && other != rank) {
        add(p, rank, (struct op){SEND, other, 0});
        add(p, other, (struct op){RECV, rank, 0});
    } else {
        add(p, rank, (struct op){below(r, 2) ? EXCLUSIVE : SHARED, peer, 0});
        held[peer] = true;
    }
}

static void make_locking(struct program *p, struct core_random *r)
{
    bool held[RANKS][RANKS] = {0}, all[RANKS] = {0};
    int total = 5 + below(r, 6);
    for (int i = 0; i < total; i++) {
        int rank = below(r, p->ranks);
        bool room = true;
        for (int k = 0; k < p->ranks; k++)
            room &= p->count[k] < OPS - RANKS - 1;
        if (room)
            make_next(p, r, rank, held[rank], &all[rank]);
    }
    for (int rank = 0; rank < p->ranks; rank++)
        for (int peer = EVERYONE; peer < p->ranks; peer++)
            if (peer == EVERYONE ? all[rank] : held[rank][peer])
                add(p, rank, (struct op){UNLOCK, peer, 0});
}

static void make_operations(struct program *p, struct core_random *r, int rank, int peer)
{
    for (int i = 1 + below(r, 2); i > 0; i--)
        add(p, rank, (struct op){(enum what)below(r, FETCH + 1), peer, below(r, PLACES)});
}

static bool has_room(const struct program *p, int calls)
{
    for (int rank = 0; rank < p->ranks; rank++)
        if (p->count[rank] > OPS - calls)
            return false;
    return true;
}

static void make_message(struct program *p, struct core_random *r)
{
    int rank = below(r, p->ranks), peer = (rank + 1 + below(r, p->ranks - 1)) % p->ranks;
    add(p, rank, (struct op){SEND, peer, 0});
    add(p, peer, (struct op){RECV, rank, 0});
}

/* One rank and some of the others, of which each may reach it, or be reached by it. */
static void make_epoch(struct program *p, struct core_random *r)
{
    int one = below(r, p->ranks), others = 1 + below(r, (1 << (p->ranks - 1)) - 1);
    bool reached = below(r, 3), message = below(r, 2);
    others = (others & ((1 << one) - 1)) | others >> one << (one + 1);
    if (!reached)
        for (int peer = 0; peer < p->ranks; peer++)
            if (others >> peer & 1)
                add(p, peer, (struct op){POST, 1 << one, 0});
    add(p, one, (struct op){reached ? POST : START, others, 0});
    for (int peer = 0; peer < p->ranks; peer++) {
        if (!(others >> peer & 1))
            continue;
        if (reached)
            add(p, peer, (struct op){START, 1 << one, 0});
        make_operations(p, r, reached ? peer : one, reached ? one : peer);
    }
    if (message)
        make_message(p, r);
    if (below(r, 3) == 0)
        add(p, below(r, p->ranks), (struct op){(enum what)(LOOK + below(r, 3)), 0, 0});
    for (int rank = 0; rank < p->ranks; rank++)
        if ((reached && others >> rank & 1) || (!reached && rank == one))
            add(p, rank, (struct op){COMPLETE, EVERYONE, 0});
        else if (others >> rank & 1 || rank == one)
            add(p, rank, (struct op){below(r, 4) ? WAIT : TEST, 0, 0});
}

static void make_epochs(struct program *p, struct core_random *r)
{
    for (int i = 1 + below(r, 3); i > 0 && has_room(p, 9); i--) {
        if (below(r, 3) == 0)
            make_message(p, r);
        make_epoch(p, r);
    }
}

static void make_fenced(struct program *p, struct core_random *r)
{
    for (int i = 2 + below(r, 2); i > 0 && has_room(p, 5); i--) {
        for (int rank = 0; rank < p->ranks; rank++) {
            add(p, rank, (struct op){FENCE, EVERYONE, 0});
            add(p, rank, (struct op){FENCED, 0, 0});
        }
        for (int rank = 0; rank < p->ranks && i > 1; rank++)
            if (below(r, 3))
                make_operations(p, r, rank, below(r, p->ranks));
            else if (below(r, 2))
                add(p, rank, (struct op){(enum what)(LOOK + below(r, 3)), 0, 0});
        if (i > 1 && below(r, 2))
            make_message(p, r);
    }
    for (int rank = 0; rank < p->ranks; rank++)
        add(p, rank, (struct op){FENCE, EVERYONE, 0});
}

static void make_failing(struct program *p, struct core_random *r)
{
    for (int i = 1 + below(r, 2); i > 0; i--) {
        int rank = below(r, p->ranks), at = below(r, p->count[rank] + 1);
        for (int k = at; k < p->count[rank]; k++) /* the others may wait there for it, or not */
            at = p->op[rank][k].what == FENCE || p->op[rank][k].what == FENCED ? k + 1 : at;
        if (p->count[rank] == OPS)
            continue;
        memmove(&p->op[rank][at + 1], &p->op[rank][at],
                (size_t)(p->count[rank]++ - at) * sizeof p->op[rank][at]);
        p->op[rank][at] = (struct op){ABORT, 1 + below(r, 2), below(r, 3)};
        p->fails = true;
    }
}

static void make(struct program *p, uint64_t seed)
{
    struct core_random random;
    core_random_init(&random, seed);
    memset(p, 0, sizeof *p);
    p->ranks = 2 + below(&random, RANKS - 1);
    static void (*const kind[])(struct program *, struct core_random *) = {
        make_locking, make_locked, make_epochs, make_fenced};
    kind[seed % 4](p, &random);
    if (seed % 3 == 0)
        make_failing(p, &random);
}

static bool is_due(const struct op *op, uint64_t seen)
{
    return !op->place || (seen >> 9 & 1);
}

/* Of the ranks that abort, and with what; 0: none does. */
static uint64_t failures_key(const int aborted[RANKS])
{
    uint64_t key = 0;
    for (int rank = 0; rank < RANKS; rank++)
        if (aborted[rank])
            key = core_random_mix(key ^ (uint64_t)(rank << 8 | aborted[rank]));
    return key;
}

static int value_of(int rank, int pc)
{
    return 1 + rank * OPS + pc;
}

/* --- in worlds -------------------------------------------------------------------------------- */

static bool returned[RANKS];
static int aborted[RANKS];

/* What a call completes that comes behind `to` others: everything, or what is of one peer. */
static unsigned completed(const struct program *p, int rank, int to, int peer)
{
    unsigned set = 0;
    for (int i = 0; i < to; i++)
        if (p->op[rank][i].what <= FETCH && (peer == EVERYONE || p->op[rank][i].peer == peer))
            set |= 1u << i;
    return set;
}

static bool has_result(const struct program *p, int rank, int pc)
{
    return p->op[rank][pc].what == GET || p->op[rank][pc].what == FETCH;
}

static void saw_results(int rank, unsigned *seen, unsigned set, const struct program *p,
                        const int *result)
{
    for (int i = 0; i < p->count[rank]; i++)
        if ((set & ~*seen) >> i & 1 && has_result(p, rank, i))
            fibers_saw(rank, result[i]);
    *seen |= set;
}

static void spin(int rank, const struct op *op, MPI_Win win, int value)
{
    int got = 0, zero = 0;
    do {
        WORLD->fiber->site = op;
        if (op->what == SPIN)
            MPI_Get(&got, 1, MPI_INT, op->peer, op->place, 1, MPI_INT, win);
        else
            MPI_Compare_and_swap(&value, &zero, &got, MPI_INT, op->peer, op->place, win);
        MPI_Win_flush(op->peer, win);
    } while ((got != 0) == (op->what == SWAP));
    fibers_saw(rank, got);
}

static void synchronise(const struct op *op, MPI_Win win)
{
    MPI_Group all, some;
    int member[RANKS], count = 0, flag = 0;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < RANKS; i++)
        if (op->peer >> i & 1)
            member[count++] = i;
    if (op->what == POST || op->what == START) {
        MPI_Group_incl(all, count, member, &some);
        if (op->what == POST)
            MPI_Win_post(some, 0, win);
        else
            MPI_Win_start(some, 0, win);
        MPI_Group_free(&some);
    } else if (op->what == COMPLETE) {
        MPI_Win_complete(win);
    } else if (op->what == WAIT) {
        MPI_Win_wait(win);
    } else if (op->what == FENCE) {
        MPI_Win_fence(0, win);
    }
    while (op->what == TEST && !flag)
        MPI_Win_test(win, &flag);
    MPI_Group_free(&all);
}

static void saw_memory(int rank, const int *memory)
{
    for (int k = 0; k < PLACES; k++)
        fibers_saw(rank, memory[k]);
}

/* Every other operation reaches a cell of its own as well: between the two lie places of others. */
static void operate(int rank, int i, const struct op *op, const int *value, int *result,
                    MPI_Win win)
{
    const bool gaps = (rank + i) % 2;
    const int count = gaps ? 2 : 1, at[] = {0, PLACES + rank * OPS + i - op->place};
    MPI_Datatype here, there;
    MPI_Type_vector(count, 1, OPS, MPI_INT, &here);
    MPI_Type_create_indexed_block(count, 1, at, MPI_INT, &there);
    MPI_Type_commit(&here);
    MPI_Type_commit(&there);
    if (op->what == PUT)
        MPI_Put(value, 1, here, op->peer, op->place, 1, there, win);
    else if (op->what == GET)
        MPI_Get(result, 1, here, op->peer, op->place, 1, there, win);
    else
        MPI_Accumulate(value, 1, here, op->peer, op->place, 1, there, MPI_SUM, win);
    MPI_Type_free(&here);
    MPI_Type_free(&there);
}

static int run(int rank, void *context)
{
    const struct program *p = context;
    int *memory, result[2 * OPS] = {0}, value[2 * OPS], word;
    unsigned seen = 0;
    MPI_Win win;
    MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    memset(memory, 0, CELLS * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < p->count[rank]; i++) {
        const struct op *op = &p->op[rank][i];
        value[i] = value[i + OPS] = value_of(rank, i);
        WORLD->fiber->site = op; /* of a process it is known */
        switch (op->what) {
        case PUT:
        case GET:
        case SUM:
            operate(rank, i, op, value + i, result + i, win);
            break;
        case FETCH:
            MPI_Fetch_and_op(&value[i], &result[i], MPI_INT, op->peer, op->place, MPI_SUM, win);
            break;
        case FLUSH:
            MPI_Win_flush_all(win);
            saw_results(rank, &seen, completed(p, rank, i, EVERYONE), p, result);
            break;
        case LOOK:
            MPI_Win_sync(win);
            saw_memory(rank, memory);
            break;
        case LOAD:
            world_access_touch(win->part[rank], NULL, false);
            saw_memory(rank, memory);
            break;
        case STORE:
            world_access_touch(win->part[rank], NULL, true);
            memory[op->place] = value[i];
            break;
        case SEND:
            MPI_Send(&rank, 1, MPI_INT, op->peer, 0, MPI_COMM_WORLD);
            break;
        case RECV:
            MPI_Recv(&word, 1, MPI_INT, op->peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case SHARED:
        case EXCLUSIVE:
            if (op->peer == EVERYONE)
                MPI_Win_lock_all(0, win);
            else
                MPI_Win_lock(op->what == SHARED ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, op->peer, 0,
                             win);
            break;
        case UNLOCK:
            if (op->peer == EVERYONE)
                MPI_Win_unlock_all(win);
            else
                MPI_Win_unlock(op->peer, win);
            saw_results(rank, &seen, completed(p, rank, i, op->peer), p, result);
            break;
        case SPIN:
        case SWAP:
            spin(rank, op, win, value[i]);
            break;
        case ABORT:
            if (is_due(op, fibers_hash[rank])) {
                aborted[rank] = op->peer;
                MPI_Abort(MPI_COMM_WORLD, op->peer);
            }
            break;
        default:
            synchronise(op, win);
            if (op->what == COMPLETE || op->what == FENCE)
                saw_results(rank, &seen, completed(p, rank, i, EVERYONE), p, result);
            else if (op->what == WAIT || op->what == TEST)
                saw_memory(rank, memory);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    saw_memory(rank, memory);
    MPI_Win_free(&win);
    returned[rank] = true;
    return 0;
}

static enum core_status run_world(void *context, const struct replay_policy *policy,
                                  const struct replay_choice *choice,
                                  const struct world_outcome **out_outcome, uint64_t *out_key,
                                  struct explore_events *out_events)
{
    const struct fibers *fibers = context;
    bool ended = true;
    memset(returned, 0, sizeof returned);
    memset(aborted, 0, sizeof aborted);
    enum core_status status = fibers_run(context, policy, choice, out_outcome, out_key, out_events);
    *out_key = 0;
    for (int rank = 0; rank < fibers->rank_count; rank++) {
        ended &= returned[rank];
        *out_key = core_random_mix(*out_key ^ fibers_hash[rank]);
    }
    *out_key ^= !ended;
    if (failures_key(aborted))
        *out_key = failures_key(aborted);
    return status;
}

/* --- by brute force --------------------------------------------------------------------------- */

struct state {
    int pc[RANKS], memory[RANKS][PLACES], sent[RANKS][RANKS], result[RANKS][OPS];
    int lock[RANKS][RANKS];            /* what each rank has locked: 0, SHARED or EXCLUSIVE */
    int posted[RANKS], started[RANKS]; /* sets: of whom may start, of whom is reached */
    int missing[RANKS], fences[RANKS];
    int waits[RANKS]; /* for the receive of what it sent without a buffer: to whom, + 1 */
    int unbuffered;   /* there was such a send */
    int aborted[RANKS];
    unsigned seen[RANKS];
    bool pending[RANKS][OPS];
    uint64_t hash[RANKS];
};
static struct core_table states, outcomes, stuck; /* the last: with fewer buffers */
static struct core_table aborts_fewer;
static int deadlocks; /* with all */

static void saw(struct state *s, int rank, int64_t what)
{
    s->hash[rank] = core_random_mix(s->hash[rank] ^ (uint64_t)what);
}

/* Whether an earlier accumulate of the rank to the same target is still to be done. */
static bool held(const struct program *p, const struct state *s, int rank, int pc)
{
    for (int i = 0; i < pc; i++) {
        const struct op *op = &p->op[rank][i];
        if (s->pending[rank][i] && op->what >= SUM && op->peer == p->op[rank][pc].peer)
            return p->op[rank][pc].what >= SUM;
    }
    return false;
}

static void do_one(const struct program *p, struct state *s, int rank, int pc)
{
    const struct op *op = &p->op[rank][pc];
    int *at = &s->memory[op->peer][op->place];
    s->pending[rank][pc] = false;
    s->result[rank][pc] = *at;
    if (op->what == PUT)
        *at = value_of(rank, pc);
    else if (op->what != GET)
        *at += value_of(rank, pc);
}

static void results(const struct program *p, struct state *s, int rank, unsigned set)
{
    for (int i = 0; i < p->count[rank]; i++)
        if ((set & ~s->seen[rank]) >> i & 1 && has_result(p, rank, i))
            saw(s, rank, s->result[rank][i]);
    s->seen[rank] |= set;
}

static bool lock_take(const struct program *p, struct state *s, int rank, const struct op *op)
{
    for (int peer = 0; peer < p->ranks; peer++)
        for (int by = 0; by < p->ranks; by++)
            if ((op->peer == EVERYONE || op->peer == peer) && s->lock[by][peer] &&
                (s->lock[by][peer] == EXCLUSIVE || op->what == EXCLUSIVE))
                return false;
    for (int peer = 0; peer < p->ranks; peer++)
        if (op->peer == EVERYONE || op->peer == peer)
            s->lock[rank][peer] = op->what;
    return true;
}

static void saw_all(struct state *s, int rank)
{
    for (int k = 0; k < PLACES; k++)
        saw(s, rank, s->memory[rank][k]);
}

static bool epoch_step(const struct program *p, struct state *s, int rank, const struct op *op)
{
    if (op->what == POST) {
        s->posted[rank] |= op->peer;
        s->missing[rank] = __builtin_popcount((unsigned)op->peer);
    }
    for (int peer = 0; peer < p->ranks && op->what == START; peer++) {
        if (op->peer >> peer & 1 && !(s->posted[peer] >> rank & 1))
            return false;
        s->posted[peer] &= ~((op->peer >> peer & 1) << rank);
    }
    if (op->what == START)
        s->started[rank] = op->peer;
    for (int peer = 0; peer < p->ranks && op->what == COMPLETE; peer++)
        s->missing[peer] -= s->started[rank] >> peer & 1;
    if (op->what == WAIT || op->what == TEST)
        saw_all(s, rank);
    return (op->what != WAIT && op->what != TEST) || !s->missing[rank];
}

static bool all_fence(const struct program *p, const struct state *s, int rank)
{
    for (int peer = 0; peer < p->ranks; peer++)
        if (s->fences[peer] < s->fences[rank])
            return false;
    return true;
}

/* The next call of a rank; false: it cannot be made yet. */
static bool step(const struct program *p, struct state *s, int rank)
{
    if (s->waits[rank]) {
        bool received = !s->sent[rank][s->waits[rank] - 1];
        s->waits[rank] = 0;
        return received;
    }
    int pc = s->pc[rank]++;
    const struct op *op = &p->op[rank][pc];
    unsigned set = completed(p, rank, pc, op->what == UNLOCK ? op->peer : EVERYONE);
    bool all = true;
    for (int i = 0; i < pc; i++)
        all &= !(set >> i & 1 && s->pending[rank][i]);
    switch (op->what) {
    case FLUSH:
        results(p, s, rank, set);
        return all;
    case LOOK:
    case LOAD:
        saw_all(s, rank);
        return true;
    case STORE:
        s->memory[rank][op->place] = value_of(rank, pc);
        return true;
    case SEND:
        s->sent[rank][op->peer]++;
        return true;
    case RECV:
        return s->sent[op->peer][rank]-- > 0;
    case SHARED:
    case EXCLUSIVE:
        return lock_take(p, s, rank, op);
    case UNLOCK:
        results(p, s, rank, set);
        for (int peer = 0; peer < p->ranks; peer++)
            if (op->peer == EVERYONE || op->peer == peer)
                s->lock[rank][peer] = 0;
        return all;
    case COMPLETE:
        results(p, s, rank, set);
        return epoch_step(p, s, rank, op) && all;
    case POST:
    case START:
    case WAIT:
    case TEST:
        return epoch_step(p, s, rank, op);
    case FENCE:
        results(p, s, rank, set);
        s->fences[rank]++;
        return all;
    case FENCED:
        return all_fence(p, s, rank);
    case SPIN:
    case SWAP:
        saw(s, rank, s->memory[op->peer][op->place]);
        if ((s->memory[op->peer][op->place] != 0) == (op->what == SWAP))
            return false;
        if (op->what == SWAP)
            s->memory[op->peer][op->place] = value_of(rank, pc);
        return true;
    case ABORT:
        s->aborted[rank] = is_due(op, s->hash[rank]) ? op->peer : 0;
        return true;
    default:
        s->pending[rank][pc] = true;
        return true;
    }
}

static void go(const struct program *p, const struct state *s)
{
    uint64_t hash = 0, key = 0;
    bool any = false, ended = true;
    for (size_t i = 0; i < sizeof *s / sizeof(int); i++)
        hash = core_random_mix(hash ^ (uint32_t)((const int *)s)[i]);
    if (states.count > STATES_MAX || !is_new(&states, hash))
        return;
    for (int rank = 0; rank < p->ranks; rank++) {
        struct state next = *s;
        bool waits = s->waits[rank], last = s->pc[rank] == p->count[rank] && !waits;
        ended &= last;
        last |= s->aborted[rank] != 0;
        if (!last && step(p, &next, rank)) {
            go(p, &next);
            any = true;
        }
        if (!last && !waits && p->op[rank][s->pc[rank]].what == SEND) {
            next.waits[rank] = 1 + p->op[rank][s->pc[rank]].peer;
            next.unbuffered = 1;
            go(p, &next);
        }
        for (int i = 0; i < s->pc[rank]; i++)
            if (s->pending[rank][i] && !held(p, s, rank, i)) {
                next = *s;
                do_one(p, &next, rank, i);
                go(p, &next);
                any = true;
            }
    }
    if (any)
        return;
    struct state last = *s;
    for (int rank = 0; rank < p->ranks; rank++) {
        if (ended)
            saw_all(&last, rank);
        key = core_random_mix(key ^ last.hash[rank]);
    }
    if (failures_key(s->aborted)) {
        is_new(s->unbuffered ? &aborts_fewer : &outcomes, failures_key(s->aborted));
        return;
    }
    deadlocks += !ended && !s->unbuffered;
    is_new(ended || !s->unbuffered ? &outcomes : &stuck, key ^ !ended);
}

static void show(const struct program *p)
{
    static const char *const name[WHATS] = {
        "put",  "get",  "sum",    "fetch",     "flush",  "look", "load",  "store",
        "send", "recv", "shared", "exclusive", "unlock", "post", "start", "complete",
        "wait", "test", "fence",  "fenced",    "spin",   "swap", "abort"};
    for (int rank = 0; rank < p->ranks; rank++) {
        printf("  rank %d:", rank);
        for (int i = 0; i < p->count[rank]; i++)
            printf(" %s(%d,%d)", name[p->op[rank][i].what], p->op[rank][i].peer,
                   p->op[rank][i].place);
        printf("\n");
    }
}

/* Somebody locks everything, and somebody something exclusively. */
static bool is_mixed(const struct program *p)
{
    bool all = false, exclusive = false;
    for (int rank = 0; rank < p->ranks; rank++)
        for (int i = 0; i < p->count[rank]; i++) {
            all |= p->op[rank][i].what == SHARED && p->op[rank][i].peer == EVERYONE;
            exclusive |= p->op[rank][i].what == EXCLUSIVE;
        }
    return all && exclusive;
}

int main(int argc, char **argv)
{
    static struct fibers fibers;
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, found = 0, behaviours = 0,
             worlds = 0;
    uint64_t last = argc > 2 ? strtoull(argv[2], NULL, 0) : argc > 1 ? first : PROGRAMS;
    int faults = 0, partly = 0;
    for (uint64_t seed = first; seed <= last; seed++) {
        struct program program;
        struct explore_search s;
        static struct state start;
        uint32_t there = 0, cannot = 0, stands = 0;
        make(&program, seed);
        states = states_none();
        outcomes = states_none();
        stuck = states_none();
        aborts_fewer = states_none();
        deadlocks = 0;
        go(&program, &start);
        fibers = (struct fibers){.program = run, .context = &program, .rank_count = program.ranks};
        if (explore_search(run_world, &fibers, program.ranks,
                           &(struct explore_options){.worlds_max = 200000}, &s) != CORE_OK)
            return 1;
        for (uint32_t i = 0; i < s.class_count; i++) {
            bool fewer = core_table_find(&stuck, &s.class[i].key);
            bool known = core_table_find(&outcomes, &s.class[i].key);
            there += known;
            stands += fewer;
            cannot += !known && !fewer && !core_table_find(&aborts_fewer, &s.class[i].key);
        }
        bool fault = cannot || states.count > STATES_MAX ||
                     (s.complete && stuck.count && !stands && !deadlocks && !program.fails) ||
                     (s.complete ? there < outcomes.count : !is_mixed(&program));
        if (fault || argc == 2) {
            printf("program %llu: %u outcomes in %llu behaviours%s, %u of them among %u by brute "
                   "force, with fewer buffers %u among %u\n",
                   (unsigned long long)seed, s.class_count, (unsigned long long)s.behaviours,
                   s.complete ? "" : ", not all", there, outcomes.count, stands, stuck.count);
            show(&program);
        }
        faults += fault;
        partly += !s.complete;
        found += there;
        behaviours += s.behaviours;
        worlds += s.worlds;
        explore_search_done(&s);
        core_table_done(&states);
        core_table_done(&outcomes);
        core_table_done(&stuck);
        core_table_done(&aborts_fewer);
    }
    world_done();
    printf("%llu outcomes of brute force among %llu behaviours, in %llu worlds, %d partly, %d "
           "faults\n",
           (unsigned long long)found, (unsigned long long)behaviours, (unsigned long long)worlds,
           partly, faults);
    return faults != 0;
}
