/* One-sided operations against brute force: small random programs whose every interleaving is gone
 * through here, on a memory of its own, where an operation may be done at any time from its call on
 * until it is completed. The search finds the same outcomes: no more, no fewer. */
#include <mpi.h>

#include "core/table.h"
#include "tests/explore/fibers.h"
#include "world/state.h"

enum { PROGRAMS = 3000, RANKS = 3, OPS = 8, PLACES = 2, STATES_MAX = 400000 };

enum what { PUT, GET, SUM, FETCH, FLUSH, LOOK, SEND, RECV, WHATS };
struct op {
    enum what what;
    int peer, place;
};
struct program {
    int ranks, count[RANKS];
    struct op op[RANKS][OPS];
};

static void add(struct program *p, int rank, struct op op)
{
    if (p->count[rank] < OPS)
        p->op[rank][p->count[rank]++] = op;
}

static void make(struct program *p, uint64_t seed)
{
    struct core_random random;
    core_random_init(&random, seed);
    memset(p, 0, sizeof *p);
    p->ranks = 2 + (int)core_random_below(&random, RANKS - 1);
    int total = 4 + (int)core_random_below(&random, 6);
    for (int i = 0; i < total; i++) {
        int rank = (int)core_random_below(&random, (uint64_t)p->ranks);
        int peer = (int)core_random_below(&random, (uint64_t)p->ranks);
        enum what what = (enum what)core_random_below(&random, RECV);
        if (core_random_below(&random, 3) == 0)
            what = LOOK;
        else if (core_random_below(&random, 2))
            peer = 0;
        if (what == SEND && (peer == rank || p->count[rank] == OPS || p->count[peer] == OPS))
            continue;
        add(p, rank, (struct op){what, peer, (int)core_random_below(&random, PLACES)});
        if (what == SEND)
            add(p, peer, (struct op){RECV, rank, 0});
    }
}

static int value_of(int rank, int pc)
{
    return 1 + rank * OPS + pc;
}

/* --- in worlds -------------------------------------------------------------------------------- */

static void saw_results(int rank, int *from, int to, const struct program *p, const int *result)
{
    for (; *from < to; ++*from)
        if (p->op[rank][*from].what == GET || p->op[rank][*from].what == FETCH)
            fibers_saw(rank, result[*from]);
}

static int run(int rank, void *context)
{
    const struct program *p = context;
    int *memory, result[OPS] = {0}, value[OPS], from = 0, word;
    MPI_Win win;
    MPI_Win_allocate(PLACES * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    memset(memory, 0, PLACES * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < p->count[rank]; i++) {
        const struct op *op = &p->op[rank][i];
        value[i] = value_of(rank, i);
        WORLD->fiber->site = op; /* of a process it is known */
        switch (op->what) {
        case PUT:
            MPI_Put(&value[i], 1, MPI_INT, op->peer, op->place, 1, MPI_INT, win);
            break;
        case GET:
            MPI_Get(&result[i], 1, MPI_INT, op->peer, op->place, 1, MPI_INT, win);
            break;
        case SUM:
            MPI_Accumulate(&value[i], 1, MPI_INT, op->peer, op->place, 1, MPI_INT, MPI_SUM, win);
            break;
        case FETCH:
            MPI_Fetch_and_op(&value[i], &result[i], MPI_INT, op->peer, op->place, MPI_SUM, win);
            break;
        case FLUSH:
            MPI_Win_flush_all(win);
            saw_results(rank, &from, i, p, result);
            break;
        case LOOK:
            MPI_Win_sync(win);
            for (int k = 0; k < PLACES; k++)
                fibers_saw(rank, memory[k]);
            break;
        case SEND:
            MPI_Send(&rank, 1, MPI_INT, op->peer, 0, MPI_COMM_WORLD);
            break;
        default:
            MPI_Recv(&word, 1, MPI_INT, op->peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Win_unlock_all(win);
    saw_results(rank, &from, p->count[rank], p, result);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < PLACES; k++)
        fibers_saw(rank, memory[k]);
    MPI_Win_free(&win);
    return 0;
}

/* --- by brute force --------------------------------------------------------------------------- */

struct state {
    int pc[RANKS], from[RANKS], memory[RANKS][PLACES], sent[RANKS][RANKS], result[RANKS][OPS];
    bool pending[RANKS][OPS];
    uint64_t hash[RANKS];
};
struct met {
    uint64_t hash;
};
static struct core_table states, outcomes;

static bool is_new(struct core_table *table, uint64_t hash)
{
    struct met *met;
    uint32_t count = table->count;
    if (core_table_put(table, &hash, "states", &met) != CORE_OK)
        exit(1);
    return table->count > count;
}

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

static void results(const struct program *p, struct state *s, int rank, int to)
{
    for (; s->from[rank] < to; s->from[rank]++) {
        enum what what = p->op[rank][s->from[rank]].what;
        if (what == GET || what == FETCH)
            saw(s, rank, s->result[rank][s->from[rank]]);
    }
}

/* The next call of a rank; false: it cannot be made yet. */
static bool step(const struct program *p, struct state *s, int rank)
{
    int pc = s->pc[rank]++;
    const struct op *op = &p->op[rank][pc];
    bool all = true;
    for (int i = 0; i < pc; i++)
        all &= !s->pending[rank][i];
    if (op->what <= FETCH) {
        s->pending[rank][pc] = true;
    } else if (op->what == FLUSH) {
        results(p, s, rank, pc);
        return all;
    } else if (op->what == LOOK) {
        for (int k = 0; k < PLACES; k++)
            saw(s, rank, s->memory[rank][k]);
    } else if (op->what == SEND) {
        s->sent[rank][op->peer]++;
    } else {
        return s->sent[op->peer][rank]-- > 0;
    }
    return true;
}

static void go(const struct program *p, const struct state *s)
{
    uint64_t hash = 0;
    bool over = true;
    for (size_t i = 0; i < sizeof *s / sizeof(int); i++)
        hash = core_random_mix(hash ^ (uint32_t)((const int *)s)[i]);
    if (states.count > STATES_MAX || !is_new(&states, hash))
        return;
    for (int rank = 0; rank < p->ranks; rank++) {
        struct state next = *s;
        over &= s->pc[rank] == p->count[rank];
        if (s->pc[rank] < p->count[rank] && step(p, &next, rank))
            go(p, &next);
        for (int i = 0; i < s->pc[rank]; i++)
            if (s->pending[rank][i]) {
                over = false;
                if (held(p, s, rank, i))
                    continue;
                next = *s;
                do_one(p, &next, rank, i);
                go(p, &next);
            }
    }
    if (!over)
        return;
    struct state last = *s;
    uint64_t key = 0;
    for (int rank = 0; rank < p->ranks; rank++) {
        results(p, &last, rank, p->count[rank]);
        for (int k = 0; k < PLACES; k++)
            saw(&last, rank, s->memory[rank][k]);
        key = core_random_mix(key ^ last.hash[rank]);
    }
    is_new(&outcomes, key);
}

static void show(const struct program *p)
{
    static const char *const name[WHATS] = {"put",   "get",  "sum",  "fetch",
                                            "flush", "look", "send", "recv"};
    for (int rank = 0; rank < p->ranks; rank++) {
        printf("  rank %d:", rank);
        for (int i = 0; i < p->count[rank]; i++)
            printf(" %s(%d,%d)", name[p->op[rank][i].what], p->op[rank][i].peer,
                   p->op[rank][i].place);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    static struct fibers fibers;
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, found = 0, behaviours = 0,
             worlds = 0;
    uint64_t last = argc > 2 ? strtoull(argv[2], NULL, 0) : argc > 1 ? first : PROGRAMS;
    int faults = 0;
    for (uint64_t seed = first; seed <= last; seed++) {
        struct program program;
        struct explore_search s;
        static struct state start;
        make(&program, seed);
        states = (struct core_table)CORE_TABLE(struct met, hash);
        outcomes = (struct core_table)CORE_TABLE(struct met, hash);
        go(&program, &start);
        fibers = (struct fibers){.program = run, .context = &program, .rank_count = program.ranks};
        if (explore_search(fibers_run, &fibers, program.ranks,
                           &(struct explore_options){.worlds_max = 200000}, &s) != CORE_OK)
            return 1;
        if (!s.complete || s.class_count != outcomes.count || states.count > STATES_MAX ||
            argc == 2) {
            printf("program %llu: %u outcomes in %llu behaviours%s, %u by brute force\n",
                   (unsigned long long)seed, s.class_count, (unsigned long long)s.behaviours,
                   s.complete ? "" : ", not all", outcomes.count);
            show(&program);
            faults += !s.complete || s.class_count != outcomes.count;
        }
        for (uint32_t i = 0; i < s.class_count; i++)
            found += outcomes.count && !is_new(&outcomes, s.class[i].key);
        behaviours += s.behaviours;
        worlds += s.worlds;
        explore_search_done(&s);
        core_table_done(&states);
        core_table_done(&outcomes);
    }
    world_done();
    printf("%llu outcomes of brute force among %llu behaviours, in %llu worlds, %d faults\n",
           (unsigned long long)found, (unsigned long long)behaviours, (unsigned long long)worlds,
           faults);
    return faults != 0;
}
