/* Threads against brute force: small random programs in which several threads of a rank send,
 * receive and probe (orders/program.c runs them, in worlds of processes). Every interleaving is
 * gone through here, where a receive is posted and completed in two steps, a message arrives at any
 * time behind those before it between the same ranks, and a send has a buffer or not. A thread that
 * waits in a probe may find a message that is taken as it arrives, by a receive that was posted
 * behind the probe. The search
 * finds the same outcomes of programs that come to their ends, none that cannot be, and a deadlock
 * wherever there is one; or it says that it is not all.
 *
 * In one program of three, threads end their rank by a signal or call MPI_Abort, most only after
 * the message of one peer. Ranks that fail in some world are those that can. Behind a rank that was
 * ended by a signal the search may not say that it is all; it has met such an end wherever there is
 * one, unless a world had more than it could tell. Deadlocks for want of buffers are looked for
 * behind good ends only. */
#include "core/random.h"
#include "explore/search.h"
#include "tests/explore/states.h"
#include "world/processes/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 150, RANKS = 3, THREADS = 3, OPS = 5, MESSAGES = 6, STATES_MAX = 600000 };
enum { ANY = -1, TEXT = 400, ALL = RANKS * THREADS, SLOTS = 2 * THREADS };
enum { BLOCKING, NONBLOCKING }; /* slots of a thread */
enum { SIGNAL, ABORT };         /* how a rank fails */

struct op {
    char what; /* a letter, see orders/program.c */
    int peer, tag;
};
struct program {
    int ranks, threads[RANKS], count[RANKS][THREADS];
    struct op op[RANKS][THREADS][OPS];
};

/* --- a program -------------------------------------------------------------------------------- */

static int below(struct core_random *random, int count)
{
    return (int)core_random_below(random, (uint64_t)count);
}

/* Mostly at the end of a thread. */
static void insert(struct program *p, struct core_random *r, int rank, struct op op)
{
    int thread = below(r, p->threads[rank]), *count = &p->count[rank][thread];
    int at = below(r, 3) ? *count : below(r, *count + 1);
    struct op *list = p->op[rank][thread];
    if (*count == OPS)
        return;
    memmove(&list[at + 1], &list[at], (size_t)(*count - at) * sizeof op);
    list[at] = op;
    ++*count;
}

static void make(struct program *p, uint64_t seed)
{
    struct core_random r;
    core_random_init(&r, seed);
    memset(p, 0, sizeof *p);
    p->ranks = 2 + below(&r, RANKS - 1);
    for (int i = 0; i < p->ranks; i++)
        p->threads[i] = i && below(&r, 3) ? 1 : 2 + (below(&r, 4) == 0);
    for (int i = 2 + below(&r, 3); i > 0; i--) {
        int from = below(&r, p->ranks), to = (from + 1 + below(&r, p->ranks - 1)) % p->ranks;
        int tag = below(&r, 4) == 0;
        insert(p, &r, from, (struct op){below(&r, 5) ? 's' : 'S', to, tag});
        char take = "rrriim"[below(&r, 6)];
        int as = below(&r, 5) ? tag : ANY;
        insert(p, &r, to, (struct op){take, below(&r, 2) ? ANY : from, as});
        if (below(&r, 6) == 0)
            insert(p, &r, to, (struct op){'p', below(&r, 2) ? ANY : from, tag});
        if (below(&r, 6) == 0)
            insert(p, &r, to, (struct op){'w', 0, 0});
    }
    if (below(&r, 3))
        return;
    for (int i = 1 + below(&r, 2); i > 0; i--) {
        int rank = below(&r, p->ranks), after = (rank + 1 + below(&r, p->ranks - 1)) % p->ranks;
        insert(p, &r, rank, (struct op){below(&r, 2) ? 'k' : 'a', below(&r, 4) ? after : ANY, 3});
    }
}

static int words(const struct program *p, char word[ALL][TEXT])
{
    int count = 0;
    for (int rank = 0; rank < p->ranks; rank++)
        for (int t = 0; t < p->threads[rank]; t++, count++) {
            int used = snprintf(word[count], TEXT, "%d:", rank);
            for (int i = 0; i < p->count[rank][t]; i++) {
                const struct op *op = &p->op[rank][t][i];
                used += snprintf(word[count] + used, (size_t)(TEXT - used), "%c%c%c", op->what,
                                 op->peer == ANY ? '*' : '0' + op->peer,
                                 op->tag == ANY ? '*' : '0' + op->tag);
            }
        }
    return count;
}

/* --- by brute force --------------------------------------------------------------------------- */

struct message {
    int8_t from, to, tag;
    int16_t value;
    uint8_t buffered, arrived, gone;
};
struct slot {
    uint8_t used, complete;
    uint8_t behind; /* threads that stood before a probe as it was posted, as bits */
    int8_t peer, tag, source;
    int16_t value;
};
struct state {
    uint8_t at[RANKS][THREADS], waits[RANKS][THREADS]; /* for message number, + 1; 0: none */
    uint8_t posted[RANKS], order[RANKS][SLOTS], messages;
    uint8_t fewer; /* a send that may have a buffer has none */
    struct message message[MESSAGES];
    struct slot slot[RANKS][SLOTS];
    char text[RANKS][THREADS][64]; /* what was seen */
};
static struct core_table states, ends;
static uint32_t deadlocks, deadlocks_fewer;
static unsigned can_fail; /* bits, see failure_bit */

static uint64_t hash_of(const void *from, size_t bytes)
{
    uint64_t hash = bytes;
    for (const uint8_t *at = from; bytes--; at++)
        hash = core_random_mix(hash ^ *at);
    return hash;
}

static void saw(struct state *s, int rank, int thread, int source, int tag, int value)
{
    char *text = s->text[rank][thread];
    size_t used = strlen(text), room = sizeof s->text[rank][thread];
    if ((size_t)snprintf(text + used, room - used, " %d.%d=%d", source, tag, value) >= room - used)
        abort();
}

static bool fits(int peer, int tag, const struct message *m)
{
    return (tag == ANY || tag == m->tag) && (peer == ANY || peer == m->from);
}

/* The probe that the thread stands before or waits in; NULL: none. */
static const struct op *probe_of(const struct program *p, const struct state *s, int rank, int t)
{
    const struct op *op = &p->op[rank][t][s->at[rank][t]];
    return s->at[rank][t] < p->count[rank][t] && op->what == 'p' && !s->waits[rank][t] ? op : NULL;
}

/* The first that was sent by that rank and fits; NULL: there is none, or it has not arrived. */
static struct message *first_from(struct state *s, int rank, int peer, int tag, int from)
{
    for (int i = 0; i < s->messages; i++) {
        struct message *m = &s->message[i];
        if (!m->gone && m->to == rank && m->from == from && fits(peer, tag, m))
            return m->arrived ? m : NULL;
    }
    return NULL;
}

static void take(struct state *s, struct slot *slot, struct message *m)
{
    int number = (int)(m - s->message) + 1;
    slot->complete = 1;
    slot->source = m->from;
    slot->tag = m->tag;
    slot->value = m->value;
    m->gone = 1;
    for (int t = 0; t < THREADS; t++)
        if (s->waits[m->from][t] == number)
            s->waits[m->from][t] = 0;
}

/* Of those from one rank, after one arrived. */
static void match_posted(struct state *s, int rank, int from)
{
    for (int k = 0; k < s->posted[rank]; k++) {
        struct slot *slot = &s->slot[rank][s->order[rank][k]];
        struct message *m =
            slot->complete ? NULL : first_from(s, rank, slot->peer, slot->tag, from);
        if (m) {
            take(s, slot, m);
            k = -1;
        }
    }
}

static void slot_done(struct state *s, int rank, int number)
{
    struct slot *slot = &s->slot[rank][number];
    int kept = 0;
    saw(s, rank, number / 2, slot->source, slot->tag, slot->value);
    *slot = (struct slot){0};
    for (int i = 0; i < s->posted[rank]; i++)
        if (s->order[rank][i] != number)
            s->order[rank][kept++] = s->order[rank][i];
    memset(s->order[rank] + kept, 0, (size_t)(SLOTS - kept));
    s->posted[rank] = (uint8_t)kept;
}

static void go(const struct program *p, const struct state *s);

static void post(const struct program *p, const struct state *before, int rank, int number,
                 const struct op *op)
{
    struct state s = *before;
    struct slot *slot = &s.slot[rank][number];
    bool taken = false;
    *slot = (struct slot){.used = 1, .peer = (int8_t)op->peer, .tag = (int8_t)op->tag};
    for (int t = 0; t < p->threads[rank]; t++)
        if (t != number / 2 && probe_of(p, &s, rank, t))
            slot->behind |= (uint8_t)(1u << t);
    s.order[rank][s.posted[rank]++] = (uint8_t)number;
    const struct state posted = s;
    for (int from = 0; from < p->ranks; from++) {
        s = posted;
        struct message *m = first_from(&s, rank, op->peer, op->tag, from);
        if (!m)
            continue;
        take(&s, slot, m);
        go(p, &s);
        taken = true;
    }
    if (!taken)
        go(p, &posted);
}

static void found(struct state *s, int rank, int t, const struct message *m)
{
    saw(s, rank, t, m->from, m->tag, 0);
    s->at[rank][t]++;
    for (int i = 0; i < SLOTS; i++)
        s->slot[rank][i].behind &= (uint8_t) ~(1u << t);
}

static bool probe(const struct program *p, const struct state *before, int rank, int t,
                  const struct op *op)
{
    bool any = false;
    for (int from = 0; from < p->ranks; from++) {
        struct state s = *before;
        const struct message *m = first_from(&s, rank, op->peer, op->tag, from);
        if (!m)
            continue;
        found(&s, rank, t, m);
        go(p, &s);
        any = true;
    }
    return any;
}

/* Threads that wait in a probe, and may find the message before a receive takes it, as bits. */
static unsigned finders(const struct program *p, const struct state *s, const struct message *m)
{
    unsigned set = 0;
    int rank = m->to;
    for (int t = 0; t < p->threads[rank]; t++) {
        const struct op *op = probe_of(p, s, rank, t);
        bool may = op && fits(op->peer, op->tag, m);
        for (int i = 0; i < SLOTS; i++) {
            const struct slot *slot = &s->slot[rank][i];
            may &= !slot->used || slot->complete || !fits(slot->peer, slot->tag, m) ||
                   slot->behind >> t & 1;
        }
        set |= (unsigned)may << t;
    }
    return set;
}

static void arrive(const struct program *p, const struct state *before, int number)
{
    const unsigned may = finders(p, before, &before->message[number]);
    for (unsigned set = may;; set = (set - 1) & may) { /* each subset */
        struct state s = *before;
        struct message *m = &s.message[number];
        m->arrived = 1;
        for (int t = 0; t < THREADS; t++)
            if (set >> t & 1)
                found(&s, m->to, t, m);
        match_posted(&s, m->to, m->from);
        go(p, &s);
        if (!set)
            return;
    }
}

static void send(const struct program *p, const struct state *before, int rank, int t,
                 const struct op *op, bool buffered)
{
    struct state s = *before;
    if (s.messages == MESSAGES)
        abort();
    s.message[s.messages++] =
        (struct message){.from = (int8_t)rank,
                         .to = (int8_t)op->peer,
                         .tag = (int8_t)op->tag,
                         .value = (int16_t)(100 * rank + 10 * t + s.at[rank][t]),
                         .buffered = buffered};
    if (!buffered)
        s.waits[rank][t] = s.messages;
    s.fewer |= !buffered && op->what == 's';
    s.at[rank][t]++;
    go(p, &s);
}

static unsigned failure_bit(int rank, int how)
{
    return 1u << (2 * rank + how);
}

/* Whether the last message that was seen came from there. */
static bool is_due(const char *text, int peer)
{
    const char *last = strrchr(text, ' ');
    return peer == ANY || (last && last[1] - '0' == peer);
}

/* Every step that the thread can make now. */
static bool step(const struct program *p, const struct state *before, int rank, int t)
{
    const struct op *op = &p->op[rank][t][before->at[rank][t]];
    bool end = before->at[rank][t] == p->count[rank][t];
    char what = end ? 'w' : op->what;
    int number = 2 * t + (what == 'r' || what == 'm' ? BLOCKING : NONBLOCKING);
    const struct slot *slot = &before->slot[rank][number];
    struct state s = *before;
    if (s.waits[rank][t])
        return false;
    switch (what) {
    case 's':
        send(p, before, rank, t, op, true);
        send(p, before, rank, t, op, false);
        return true;
    case 'S':
        send(p, before, rank, t, op, false);
        return true;
    case 'p':
        return probe(p, before, rank, t, op);
    case 'k':
    case 'a':
        if (is_due(s.text[rank][t], op->peer)) {
            can_fail |= failure_bit(rank, what == 'k' ? SIGNAL : ABORT);
            return true;
        }
        s.at[rank][t]++;
        go(p, &s);
        return true;
    case 'i': /* the one before is waited for */
        if (!slot->used) {
            s.at[rank][t]++;
            post(p, &s, rank, number, op);
            return true;
        }
        break;
    case 'r':
    case 'm': /* finds what a receive would have taken there */
        if (!slot->used) {
            post(p, &s, rank, number, op);
            return true;
        }
        break;
    default:
        break;
    }
    if (slot->used && !slot->complete)
        return false;
    if (!slot->used && end)
        return false;
    if (slot->used)
        slot_done(&s, rank, number);
    s.at[rank][t] += !end && what != 'i';
    go(p, &s);
    return true;
}

static uint64_t key_of(char text[RANKS][TEXT], int ranks)
{
    uint64_t key = 0;
    for (int rank = 0; rank < ranks; rank++)
        key = core_random_mix(key ^ hash_of(text[rank], strlen(text[rank])));
    return key;
}

static void ended(const struct program *p, const struct state *s)
{
    char text[RANKS][TEXT] = {""};
    for (int rank = 0; rank < p->ranks; rank++)
        for (int t = 0, used = 0; t < p->threads[rank]; t++)
            used +=
                snprintf(text[rank] + used, (size_t)(TEXT - used), "%d:%s\n", t, s->text[rank][t]);
    is_new(&ends, key_of(text, p->ranks));
}

static void go(const struct program *p, const struct state *s)
{
    bool any = false, end = true;
    if (states.count > STATES_MAX || !is_new(&states, hash_of(s, sizeof *s)))
        return;
    for (int rank = 0; rank < p->ranks; rank++)
        for (int t = 0; t < p->threads[rank]; t++) {
            any |= step(p, s, rank, t);
            end &= s->at[rank][t] == p->count[rank][t] && !s->waits[rank][t];
        }
    for (int i = 0; i < s->messages; i++) {
        bool first = !s->message[i].arrived;
        for (int before = 0; before < i; before++)
            first &= s->message[before].arrived || s->message[before].from != s->message[i].from ||
                     s->message[before].to != s->message[i].to;
        if (!first)
            continue;
        arrive(p, s, i);
        any = true;
    }
    for (int rank = 0; rank < p->ranks; rank++)
        end &= s->posted[rank] == 0;
    if (!any && end)
        ended(p, s);
    if (!any && !end)
        ++*(s->fewer ? &deadlocks_fewer : &deadlocks);
}

/* --- in worlds -------------------------------------------------------------------------------- */

struct worlds {
    struct world_processes *worlds;
    struct world_process_outcome outcome;
    int ranks;
    bool stands;     /* one has stood still */
    unsigned failed; /* in one of them */
};

static enum core_status run_world(void *context, const struct replay_policy *policy,
                                  const struct replay_choice *choice,
                                  const struct world_outcome **out_outcome, uint64_t *out_key,
                                  struct explore_events *out_events)
{
    struct worlds *w = context;
    const struct world_options options = {.policy = *policy, .choice = *choice};
    char text[RANKS][TEXT];
    enum core_status status = world_processes_run(w->worlds, &options, &w->outcome);
    if (status != CORE_OK)
        return status;
    for (int i = 0; i < w->outcome.world.finding_count; i++)
        w->stands |= w->outcome.world.finding[i].rule == WORLD_RULE_DEADLOCK;
    for (int rank = 0; rank < w->ranks; rank++) {
        const struct world_rank_outcome *of = &w->outcome.rank[rank];
        snprintf(text[rank], TEXT, "%s", of->output);
        if (of->end == WORLD_RANK_KILLED)
            w->failed |= failure_bit(rank, SIGNAL);
        if (of->end == WORLD_RANK_ABORTED)
            w->failed |= failure_bit(rank, ABORT);
    }
    *out_outcome = &w->outcome.world;
    *out_key = w->outcome.world.finished ? key_of(text, w->ranks) : 1;
    *out_events = (struct explore_events){w->outcome.event, w->outcome.event_count};
    return CORE_OK;
}

struct sums {
    unsigned long long outcomes, behaviours, stand, large, limited, killed, aborted, many;
    int faults;
};

static void compare(const char *path, uint64_t seed, bool all, struct sums *sums)
{
    static const struct state start;
    struct program p;
    struct worlds w = {0};
    struct explore_search s;
    char word[ALL][TEXT];
    const char *argv[ALL + 2] = {path};
    uint32_t there = 0, passed = 0;
    make(&p, seed);
    for (int i = words(&p, word); i > 0; i--)
        argv[i] = word[i - 1];
    states = states_none();
    ends = states_none();
    deadlocks = deadlocks_fewer = can_fail = 0;
    go(&p, &start);
    w.ranks = p.ranks;
    const struct world_program program = {.argv = argv, .rank_count = p.ranks};
    if (world_processes_start(&program, &w.worlds) != CORE_OK ||
        explore_search(run_world, &w, p.ranks, &(struct explore_options){.worlds_max = 3000}, &s) !=
            CORE_OK)
        exit(1);
    for (uint32_t i = 0; i < s.class_count; i++) {
        there += core_table_find(&ends, &s.class[i].key) != NULL;
        passed += s.class[i].key != 1;
    }
    bool large = states.count > STATES_MAX, limited = !s.complete;
    bool killed = false;
    for (int rank = 0; rank < p.ranks; rank++)
        killed |= (can_fail & failure_bit(rank, SIGNAL)) != 0;
    bool can_stand = deadlocks || deadlocks_fewer;
    bool stands_so = deadlocks || (deadlocks_fewer && !can_fail);
    bool fault =
        !large &&
        (there < passed || (w.stands && !can_stand) || (w.failed & ~can_fail) ||
         (can_fail && !w.failed && !s.limited) || (killed && !limited) ||
         (!limited && (there < ends.count || (stands_so && !w.stands) || w.failed != can_fail)));
    if (fault || all) {
        printf("program %llu: %u outcomes in %llu behaviours%s%s, %u of them among %u by brute "
               "force%s; failures %#x and %#x\n ",
               (unsigned long long)seed, passed, (unsigned long long)s.behaviours,
               w.stands ? " and a deadlock" : "", s.complete ? "" : ", not all", there, ends.count,
               can_stand ? " with a deadlock" : "", w.failed, can_fail);
        for (int i = 1; argv[i]; i++)
            printf(" '%s'", argv[i]);
        printf("\n");
    }
    sums->outcomes += there;
    sums->behaviours += s.behaviours;
    sums->stand += can_stand;
    sums->large += large;
    sums->limited += limited;
    sums->killed += killed;
    sums->aborted += can_fail && !killed;
    sums->many += ends.count > 8 && !limited;
    sums->faults += fault;
    explore_search_done(&s);
    world_processes_end(w.worlds);
    core_table_done(&states);
    core_table_done(&ends);
}

/* orders PROGRAM [FIRST [LAST]] */
int main(int argc, char **argv)
{
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    uint64_t last = argc > 3 ? strtoull(argv[3], NULL, 0) : argc > 2 ? first : PROGRAMS;
    struct sums sums = {0};
    if (argc < 2)
        return 2;
    for (uint64_t seed = first; seed <= last; seed++)
        compare(argv[1], seed, argc == 3, &sums);
    printf(
        "%llu outcomes in %llu behaviours; of %llu programs %llu can stand still, %llu are too "
        "large, %llu have more than is told, %llu can end by a signal, %llu abort, %llu have more "
        "than 8 outcomes, which are all told; %d faults\n",
        sums.outcomes, sums.behaviours, (unsigned long long)(last - first + 1), sums.stand,
        sums.large, sums.limited, sums.killed, sums.aborted, sums.many, sums.faults);
    return sums.faults != 0;
}
