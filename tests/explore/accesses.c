/* Accesses to a file against brute force: small random programs whose every interleaving is gone
 * through here, on a file of its own. A write may reach it at any time from its call until its rank
 * synchronises, but behind an earlier one of its rank to the same place; in atomic mode at once, or
 * until it is waited for; a nonblocking read is done until it is waited for. A rank sees its own
 * writes. The search finds the same outcomes: no more, no fewer. Of three programs one has a file
 * that all opened together, one in atomic mode, and in one each rank has opened it by itself. In
 * one of four, ranks call MPI_Abort, some only after what they have seen; which of them may in one
 * run, as the others go on as far as they can, must be the same for both. */
#include <mpi.h>
#include <unistd.h>

#include "tests/explore/fibers.h"
#include "tests/explore/states.h"
#include "world/state.h"

enum { PROGRAMS = 4500, RANKS = 3, OPS = 10, PLACES = 10, STATES_MAX = 400000 };
static const char *const name = "accesses.dat";

enum what {
    WRITE,
    IWRITE, /* begun, and waited for by WAIT */
    READ,   /* two places */
    IREAD,
    SIZE,
    POINTER,       /* the shared pointer goes on by a place */
    WRITE_POINTED, /* where it was */
    READ_POINTED,
    WAIT, /* place: of the call it waits for */
    SEND, /* place: the peer */
    RECV,
    SYNC,
    SYNCED, /* all have come to it */
    ABORT,  /* place: 0: always, else only after what it has seen */
    WHATS
};
struct op {
    enum what what;
    int place;
};
struct program {
    int ranks, count[RANKS];
    struct op op[RANKS][OPS];
    bool atomic, alone;
};

static int below(struct core_random *random, int count)
{
    return (int)core_random_below(random, (uint64_t)count);
}

static bool has_room(const struct program *p, int calls)
{
    for (int rank = 0; rank < p->ranks; rank++)
        if (p->count[rank] > OPS - calls)
            return false;
    return true;
}

static void add(struct program *p, int rank, enum what what, int place)
{
    if (p->count[rank] == OPS)
        abort();
    p->op[rank][p->count[rank]++] = (struct op){what, place};
}

static void make_message(struct program *p, struct core_random *r, int rank)
{
    int peer = (rank + 1 + below(r, p->ranks - 1)) % p->ranks;
    add(p, rank, SEND, peer);
    add(p, peer, RECV, rank);
}

static void make_sync(struct program *p, struct core_random *r)
{
    int one = below(r, p->ranks);
    for (int rank = 0; rank < p->ranks; rank++) {
        if (p->alone && rank != one)
            continue;
        add(p, rank, SYNC, 0);
        if (!p->alone)
            add(p, rank, SYNCED, 0);
    }
}

static void make_any(struct program *p, uint64_t seed)
{
    struct core_random random, *r = &random;
    core_random_init(r, seed);
    memset(p, 0, sizeof *p);
    p->ranks = 2 + below(r, RANKS - 1);
    p->atomic = seed % 3 == 1;
    p->alone = seed % 3 == 2;
    for (int i = 4 + below(r, 5); i > 0 && has_room(p, 6); i--) {
        int rank = below(r, p->ranks), place = below(r, 3), at = p->count[rank];
        switch (below(r, 8)) {
        case 0:
        case 1:
            add(p, rank, WRITE, place);
            break;
        case 2:
        case 3:
            add(p, rank, READ, place);
            break;
        case 4:
            if (below(r, 2)) {
                add(p, rank, SIZE, 0);
                break;
            }
            at = p->count[rank];
            add(p, rank, below(r, 2) ? IWRITE : IREAD, place);
            if (below(r, 2))
                make_message(p, r, rank);
            add(p, rank, WAIT, at);
            break;
        case 5:
            if (!p->alone) {
                add(p, rank, POINTER, 0);
                add(p, rank, below(r, 3) ? WRITE_POINTED : READ_POINTED, at);
                break;
            } /* fall through */
        case 6:
            make_message(p, r, rank);
            break;
        default:
            make_sync(p, r);
        }
    }
}

static void make(struct program *p, uint64_t seed)
{
    struct core_random random;
    make_any(p, seed);
    core_random_init(&random, ~seed);
    for (int i = seed % 4 ? 0 : 1 + below(&random, 2); i > 0; i--) {
        int rank = below(&random, p->ranks), at = below(&random, p->count[rank] + 1);
        for (int k = at; k < p->count[rank]; k++) /* the others may wait there for it, or not */
            at = p->op[rank][k].what == SYNC || p->op[rank][k].what == SYNCED ? k + 1 : at;
        at += at && p->op[rank][at - 1].what == POINTER; /* it is one call with the next */
        if (p->count[rank] == OPS)
            continue;
        memmove(&p->op[rank][at + 1], &p->op[rank][at],
                (size_t)(p->count[rank]++ - at) * sizeof p->op[rank][at]);
        p->op[rank][at] = (struct op){ABORT, below(&random, 3)};
        for (int k = at + 1; k < p->count[rank]; k++) /* what is waited for has moved */
            p->op[rank][k].place += p->op[rank][k].what == WAIT && p->op[rank][k].place >= at;
    }
}

static bool is_due(const struct op *op, uint64_t seen)
{
    return !op->place || (seen >> 9 & 1);
}

/* Of the ranks that abort; 0: none does. */
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

static void saw_read(int rank, const MPI_Status *status, const int *got)
{
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    fibers_saw(rank, count);
    for (int i = 0; i < count; i++)
        fibers_saw(rank, got[i]);
}

static int run(int rank, void *context)
{
    const struct program *p = context;
    int value[OPS], got[OPS][2] = {{0}}, word;
    MPI_Offset size;
    MPI_Request request[OPS];
    MPI_Status status;
    MPI_File file;
    MPI_File_open(p->alone ? MPI_COMM_SELF : MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_set_atomicity(file, p->atomic);
    for (int i = 0; i < p->count[rank]; i++) {
        const struct op *op = &p->op[rank][i];
        value[i] = value_of(rank, i);
        WORLD->fiber->site = op; /* of a process it is known */
        switch (op->what) {
        case ABORT:
            if (is_due(op, fibers_hash[rank])) {
                aborted[rank] = 1;
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
            break;
        case WRITE:
            MPI_File_write_at(file, op->place, &value[i], 1, MPI_INT, MPI_STATUS_IGNORE);
            break;
        case IWRITE:
            MPI_File_iwrite_at(file, op->place, &value[i], 1, MPI_INT, &request[i]);
            break;
        case READ:
            MPI_File_read_at(file, op->place, got[i], 2, MPI_INT, &status);
            saw_read(rank, &status, got[i]);
            break;
        case IREAD:
            MPI_File_iread_at(file, op->place, got[i], 2, MPI_INT, &request[i]);
            break;
        case SIZE:
            MPI_File_get_size(file, &size);
            fibers_saw(rank, size);
            break;
        case WRITE_POINTED:
            MPI_File_write_shared(file, &value[i], 1, MPI_INT, MPI_STATUS_IGNORE);
            break;
        case READ_POINTED:
            MPI_File_read_shared(file, got[i], 1, MPI_INT, &status);
            saw_read(rank, &status, got[i]);
            break;
        case WAIT:
            MPI_Wait(&request[op->place], &status);
            if (p->op[rank][op->place].what == IREAD)
                saw_read(rank, &status, got[op->place]);
            break;
        case SEND:
            MPI_Send(&rank, 1, MPI_INT, op->place, 0, MPI_COMM_WORLD);
            break;
        case RECV:
            MPI_Recv(&word, 1, MPI_INT, op->place, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        case SYNC:
            MPI_File_sync(file);
            break;
        default:
            break;
        }
    }
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
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
    unlink(name);
    memset(returned, 0, sizeof returned);
    memset(aborted, 0, sizeof aborted);
    enum core_status status = fibers_run(context, policy, choice, out_outcome, out_key, out_events);
    *out_key = 0;
    for (int rank = 0; rank < fibers->rank_count; rank++) {
        ended &= returned[rank];
        *out_key = core_random_mix(*out_key ^ fibers_hash[rank]);
    }
    int content[PLACES] = {0};
    FILE *file = ended ? fopen(name, "r") : NULL;
    size_t count = file ? fread(content, sizeof *content, PLACES, file) : 0;
    for (size_t i = 0; i < count; i++)
        *out_key = core_random_mix(*out_key ^ (uint64_t)content[i]);
    if (file)
        fclose(file);
    *out_key ^= !ended;
    if (failures_key(aborted))
        *out_key = failures_key(aborted);
    return status;
}

/* --- by brute force --------------------------------------------------------------------------- */

struct state {
    int pc[RANKS], content[PLACES], size, pointer, sent[RANKS][RANKS], syncs[RANKS];
    int place[RANKS][OPS];                   /* of what is at the shared pointer */
    int got[RANKS][OPS][2], had[RANKS][OPS]; /* by reads */
    bool pending[RANKS][OPS];
    int aborted[RANKS];
    uint64_t hash[RANKS];
};
static struct core_table states, outcomes;

static void saw(struct state *s, int rank, int64_t what)
{
    s->hash[rank] = core_random_mix(s->hash[rank] ^ (uint64_t)what);
}

static bool writes(const struct program *p, int rank, int pc)
{
    enum what what = p->op[rank][pc].what;
    return what == WRITE || what == IWRITE || what == WRITE_POINTED;
}

/* Whether an earlier write of the rank to the same place has not been done. */
static bool held(const struct program *p, const struct state *s, int rank, int pc)
{
    for (int i = 0; i < pc; i++)
        if (s->pending[rank][i] && writes(p, rank, i) && writes(p, rank, pc) &&
            s->place[rank][i] == s->place[rank][pc])
            return true;
    return false;
}

static int size_for(const struct program *p, const struct state *s, int rank)
{
    int size = s->size;
    for (int i = 0; i < s->pc[rank]; i++)
        if (s->pending[rank][i] && writes(p, rank, i) && s->place[rank][i] >= size)
            size = s->place[rank][i] + 1;
    return size;
}

static void read_at(const struct program *p, struct state *s, int rank, int pc, int count)
{
    int place = s->place[rank][pc], there = size_for(p, s, rank) - place;
    s->had[rank][pc] = there < 0 ? 0 : there < count ? there : count;
    for (int k = 0; k < s->had[rank][pc]; k++) {
        s->got[rank][pc][k] = s->content[place + k];
        for (int i = 0; i < s->pc[rank]; i++)
            if (s->pending[rank][i] && writes(p, rank, i) && s->place[rank][i] == place + k)
                s->got[rank][pc][k] = value_of(rank, i);
    }
}

static void saw_got(struct state *s, int rank, int pc)
{
    saw(s, rank, s->had[rank][pc]);
    for (int i = 0; i < s->had[rank][pc]; i++)
        saw(s, rank, s->got[rank][pc][i]);
}

static void do_one(const struct program *p, struct state *s, int rank, int pc)
{
    s->pending[rank][pc] = false;
    if (!writes(p, rank, pc)) {
        read_at(p, s, rank, pc, 2);
        return;
    }
    s->content[s->place[rank][pc]] = value_of(rank, pc);
    if (s->place[rank][pc] >= s->size)
        s->size = s->place[rank][pc] + 1;
}

static bool all_sync(const struct program *p, const struct state *s, int rank)
{
    for (int peer = 0; peer < p->ranks; peer++)
        if (s->syncs[peer] < s->syncs[rank])
            return false;
    return true;
}

/* The next call of a rank; false: it cannot be made yet. */
static bool step(const struct program *p, struct state *s, int rank)
{
    int pc = s->pc[rank];
    const struct op *op = &p->op[rank][pc];
    s->pc[rank]++;
    s->place[rank][pc] =
        op->what == WRITE_POINTED || op->what == READ_POINTED ? s->place[rank][pc - 1] : op->place;
    switch (op->what) {
    case WRITE:
    case WRITE_POINTED:
        if (p->atomic)
            do_one(p, s, rank, pc);
        else
            s->pending[rank][pc] = true;
        return true;
    case IWRITE:
    case IREAD:
        s->pending[rank][pc] = true;
        return true;
    case READ:
    case READ_POINTED:
        read_at(p, s, rank, pc, op->what == READ ? 2 : 1);
        saw_got(s, rank, pc);
        return true;
    case SIZE:
        saw(s, rank, size_for(p, s, rank) * (int)sizeof(int));
        return true;
    case POINTER:
        s->place[rank][pc] = s->pointer++;
        return true;
    case WAIT:
        if (p->op[rank][op->place].what == IREAD)
            saw_got(s, rank, op->place);
        return !s->pending[rank][op->place] || (writes(p, rank, op->place) && !p->atomic);
    case SEND:
        s->sent[rank][op->place]++;
        return true;
    case RECV:
        return s->sent[op->place][rank]-- > 0;
    case SYNC:
        s->syncs[rank]++;
        for (int i = 0; i < pc; i++)
            if (s->pending[rank][i])
                return false;
        return true;
    case ABORT:
        s->aborted[rank] = is_due(op, s->hash[rank]);
        return true;
    default:
        return all_sync(p, s, rank);
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
        ended &= s->pc[rank] == p->count[rank];
        if (s->pc[rank] < p->count[rank] && !s->aborted[rank] && step(p, &next, rank)) {
            go(p, &next);
            any = true;
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
    for (int rank = 0; rank < p->ranks; rank++)
        key = core_random_mix(key ^ s->hash[rank]);
    for (int i = 0; ended && i < s->size; i++)
        key = core_random_mix(key ^ (uint64_t)s->content[i]);
    uint64_t failures = failures_key(s->aborted);
    is_new(&outcomes, failures ? failures : key ^ !ended);
}

static void show(const struct program *p)
{
    static const char *const word[WHATS] = {
        "write",        "iwrite", "read", "iread", "size", "pointer", "write_pointed",
        "read_pointed", "wait",   "send", "recv",  "sync", "synced",  "abort"};
    printf("  %s\n", p->atomic ? "atomic" : p->alone ? "each alone" : "together");
    for (int rank = 0; rank < p->ranks; rank++) {
        printf("  rank %d:", rank);
        for (int i = 0; i < p->count[rank]; i++)
            printf(" %s(%d)", word[p->op[rank][i].what], p->op[rank][i].place);
        printf("\n");
    }
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
        uint32_t there = 0;
        make(&program, seed);
        states = states_none();
        outcomes = states_none();
        go(&program, &start);
        fibers = (struct fibers){.program = run, .context = &program, .rank_count = program.ranks};
        if (explore_search(run_world, &fibers, program.ranks,
                           &(struct explore_options){.worlds_max = 200000}, &s) != CORE_OK)
            return 1;
        for (uint32_t i = 0; i < s.class_count; i++)
            there += core_table_find(&outcomes, &s.class[i].key) != NULL;
        bool fault = there < s.class_count || states.count > STATES_MAX || there < outcomes.count;
        if (fault || argc == 2) {
            printf("program %llu: %u outcomes in %llu behaviours%s, %u of them among %u by brute "
                   "force\n",
                   (unsigned long long)seed, s.class_count, (unsigned long long)s.behaviours,
                   s.complete ? "" : ", not all", there, outcomes.count);
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
    }
    world_done();
    printf("%llu outcomes of brute force among %llu behaviours, in %llu worlds, %d partly, %d "
           "faults\n",
           (unsigned long long)found, (unsigned long long)behaviours, (unsigned long long)worlds,
           partly, faults);
    return faults != 0;
}
