/* The search against chance: small random programs, whose worlds are sampled as well, with every
 * decision and its time left to chance. What sampling meets the search must have found; what the
 * search finds are worlds that ran (world/exchange/explore.h invariant 2). Behaviours are told
 * apart by what every rank has seen. Where the search finds no deadlock, none may come of sends
 * that are buffered or not by chance, each for itself. */
#include <mpi.h>

#include "tests/explore/fibers.h"

enum {
    PROGRAMS = 1500,
    PAIRED = 1000000,
    SAMPLES = 300,
    OPS_MAX = 7,
    REQUESTS = 4,
    BEHAVIOURS_MAX = 6000
};

struct op {
    int what, peer, tag;
};
struct program {
    int ranks, count[FIBERS_RANKS];
    struct op op[FIBERS_RANKS][OPS_MAX];
};

enum {
    SEND,
    SEND_TOO,
    ISEND,
    RECV,
    RECV_ANY,
    IRECV,
    IRECV_ANY,
    PROBE,
    IPROBE,
    TEST,
    WAITANY,
    WAITSOME,
    TESTANY,
    WAIT,
    BARRIER,
    OPS
};

static struct fibers fibers;

static void make(struct program *p, uint64_t seed)
{
    struct core_random random;
    core_random_init(&random, seed);
    p->ranks = 2 + (int)core_random_below(&random, 4);
    bool barrier = core_random_below(&random, 4) == 0;
    for (int r = 0; r < p->ranks; r++) {
        p->count[r] = 1 + (int)core_random_below(&random, OPS_MAX);
        for (int i = 0; i < p->count[r]; i++) {
            struct op *op = &p->op[r][i];
            op->what = (int)core_random_below(&random, OPS - 1);
            op->peer = (int)core_random_below(&random, (uint64_t)p->ranks);
            op->tag = (int)core_random_below(&random, 3) == 0;
            if (op->what == SEND_TOO || op->what == ISEND)
                op->what = SEND;
            if (core_random_below(&random, 5) < 3) /* the low ranks receive */
                op->what = r < (p->ranks + 1) / 2 ? RECV_ANY : SEND;
            if (op->what == SEND && op->peer >= (p->ranks + 1) / 2)
                op->peer = 0;
        }
        if (barrier)
            p->op[r][p->count[r] / 2].what = BARRIER;
    }
}

/* Messages of which each has its receive, so that with buffers it comes to its end, unless
 * wildcards take one another's. */
static void make_paired(struct program *p, uint64_t seed)
{
    struct core_random random;
    core_random_init(&random, seed);
    memset(p, 0, sizeof *p);
    p->ranks = 3 + (int)core_random_below(&random, 3);
    for (int tries = 0; tries < 3 * p->ranks; tries++) {
        int from = (int)core_random_below(&random, (uint64_t)p->ranks);
        int to = (int)core_random_below(&random, (uint64_t)p->ranks);
        bool any = core_random_below(&random, 3) == 0, tagged = core_random_below(&random, 2);
        if (from == to || p->count[from] == OPS_MAX || p->count[to] == OPS_MAX)
            continue;
        p->op[from][p->count[from]++] = (struct op){SEND, to, tagged};
        p->op[to][p->count[to]++] = (struct op){any ? RECV_ANY : RECV, from, tagged};
    }
}

struct state {
    MPI_Request request[REQUESTS];
    int got[REQUESTS];
};

static void saw(int rank, const MPI_Status *status, int got)
{
    fibers_saw(rank, status->MPI_SOURCE * 1000 + status->MPI_TAG * 100000 + got);
}

static void start(struct state *s, const struct op *op, int source)
{
    for (int i = 0; i < REQUESTS; i++)
        if (s->request[i] == MPI_REQUEST_NULL) {
            MPI_Irecv(&s->got[i], 1, MPI_INT, source, op->tag, MPI_COMM_WORLD, &s->request[i]);
            return;
        }
}

static void complete(struct state *s, int rank, int what)
{
    int index = -1, flag = 1, count = 0, indices[REQUESTS];
    MPI_Status status = {0};
    switch (what) {
    case WAITANY:
        MPI_Waitany(REQUESTS, s->request, &index, &status);
        break;
    case TESTANY:
        MPI_Testany(REQUESTS, s->request, &index, &flag, &status);
        break;
    case WAITSOME:
        MPI_Waitsome(REQUESTS, s->request, &count, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; count != MPI_UNDEFINED && i < count; i++)
            fibers_saw(rank, indices[i] * 7 + s->got[indices[i]]);
        return;
    case TEST:
    case WAIT:
        index = 0;
        if (what == TEST)
            MPI_Test(&s->request[0], &flag, &status);
        else
            MPI_Wait(&s->request[0], &status);
        break;
    default:
        break;
    }
    fibers_saw(rank, flag);
    if (flag && index >= 0)
        saw(rank, &status, s->got[index] + index * 10);
}

static int run(int rank, void *context)
{
    const struct program *p = context;
    struct state s = {
        .request = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
    for (int i = 0; i < p->count[rank]; i++) {
        const struct op *op = &p->op[rank][i];
        int value = (int)(fibers_hash[rank] % 1000), got = 0, flag = 1;
        MPI_Status status = {0};
        switch (op->what) {
        case SEND:
            MPI_Send(&value, 1, MPI_INT, op->peer, op->tag, MPI_COMM_WORLD);
            break;
        case RECV:
        case RECV_ANY:
            MPI_Recv(&got, 1, MPI_INT, op->what == RECV ? op->peer : MPI_ANY_SOURCE,
                     op->tag ? MPI_ANY_TAG : 0, MPI_COMM_WORLD, &status);
            saw(rank, &status, got);
            break;
        case IRECV:
        case IRECV_ANY:
            start(&s, op, op->what == IRECV ? op->peer : MPI_ANY_SOURCE);
            break;
        case PROBE:
            MPI_Probe(MPI_ANY_SOURCE, op->tag, MPI_COMM_WORLD, &status);
            saw(rank, &status, 0);
            break;
        case IPROBE:
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
            fibers_saw(rank, flag);
            if (flag)
                saw(rank, &status, 0);
            break;
        case BARRIER:
            MPI_Barrier(MPI_COMM_WORLD);
            break;
        default:
            complete(&s, rank, op->what);
        }
    }
    for (int i = 0; i < REQUESTS; i++)
        if (s.request[i] != MPI_REQUEST_NULL)
            MPI_Wait(&s.request[i], MPI_STATUS_IGNORE);
    return 0;
}

static bool has(const struct explore_search *s, uint64_t key)
{
    for (uint32_t i = 0; i < s->class_count; i++)
        if (s->class[i].key == key && !s->class[i].sends.wait)
            return true;
    return false;
}

/* Worlds in which each send is buffered or not, by chance; false: one of them ends in a deadlock.
 */
static bool mixed_end(const struct program *program, uint64_t seed)
{
    uint64_t before = fibers.deadlocks;
    for (int i = 0; i < SAMPLES && fibers.deadlocks == before; i++) {
        const struct world_outcome *outcome;
        struct explore_events events;
        struct replay_policy policy;
        struct replay_choice choice;
        uint64_t key;
        replay_choice_seed(&choice, seed * SAMPLES + (uint64_t)i);
        replay_policy_init(&policy);
        if (replay_policy_read(&policy, "order=explore buffering=random:50") != CORE_OK ||
            fibers_run(&fibers, &policy, &choice, &outcome, &key, &events) != CORE_OK)
            exit(1);
        replay_policy_done(&policy);
        if (fibers.deadlocks != before)
            printf("program %llu, of %d ranks: sample %d: %s\n", (unsigned long long)seed,
                   program->ranks, i, outcome->finding[0].text);
    }
    return fibers.deadlocks == before;
}

int main(int argc, char **argv)
{
    uint64_t only = argc == 2 ? strtoull(argv[1], NULL, 0) : 0;
    uint64_t programs = argc > 2 ? strtoull(argv[2], NULL, 0) : PROGRAMS;
    int faults = 0, compared = 0, many = 0, ends = 0;
    unsigned long long behaviours = 0, worlds = 0, outcomes = 0, cut = 0;
    for (uint64_t number = 0; number < 2 * programs; number++) {
        uint64_t seed = number / 2 + (number % 2 ? PAIRED : 1);
        static struct program program;
        struct explore_search s;
        if (only && seed != only)
            continue;
        (seed >= PAIRED ? make_paired : make)(&program, seed);
        fibers = (struct fibers){.program = run, .context = &program, .rank_count = program.ranks};
        if (explore_search(fibers_run, &fibers, program.ranks,
                           &(struct explore_options){.worlds_max = BEHAVIOURS_MAX}, &s) != CORE_OK)
            return 1;
        behaviours += s.behaviours;
        worlds += s.worlds - s.unbuffered;
        outcomes += s.class_count;
        cut += s.cut;
        many += !s.complete && !s.limited;
        bool complete = s.complete;
        if (complete && !fibers.deadlocks) {
            ends++;
            faults += !mixed_end(&program, seed);
        }
        for (int i = 0; i < SAMPLES && complete; i++) {
            const struct world_outcome *outcome;
            struct explore_events events;
            struct replay_policy policy;
            struct replay_choice choice;
            uint64_t key;
            replay_choice_seed(&choice, seed * SAMPLES + (uint64_t)i);
            if (explore_policy(&(struct explore_list){0}, &(struct explore_sends){0}, &policy) !=
                    CORE_OK ||
                fibers_run(&fibers, &policy, &choice, &outcome, &key, &events) != CORE_OK)
                return 1;
            if (!has(&s, key)) {
                printf("program %llu: sample %d of %d was not found among %u outcomes\n",
                       (unsigned long long)seed, i, SAMPLES, s.class_count);
                faults++;
                break;
            }
        }
        compared += complete;
        explore_search_done(&s);
    }
    world_done();
    printf("%d programs compared, %d too many behaviours, %d always come to their end: %llu "
           "behaviours "
           "in %llu worlds (%llu cut), %llu outcomes, %d faults\n",
           compared, many, ends, behaviours, worlds, cut, outcomes, faults);
    return faults != 0;
}
