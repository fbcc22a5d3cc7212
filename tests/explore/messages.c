/* Messages against brute force: small random programs of nearly every call that sends, receives,
 * looks, completes or cancels. Every interleaving is gone through here, on an MPI that is a few
 * pages long and shares nothing with world/: a message arrives at any time behind those before it
 * between the same ranks, a send has a buffer or not, and the first test of a request may find
 * nothing; a probe finds what has arrived. The search finds the same outcomes of programs that come
 * to their ends, none that cannot be, and a deadlock wherever there is one; or it says that it is
 * not all. A broadcast may hold any rank until all have come, which ours need not.
 *
 * In one program of three, ranks call MPI_Abort or return with a status, some only after what they
 * have seen. Which ranks may abort in one run must be the same sets for both, where each send that
 * may have a buffer has one: the others go on as far as they can, as any of them may be the first.
 *
 * Nobody polls twice for the same: what comes again in vain is not told apart by the search. */
#include <mpi.h>

#include "tests/explore/fibers.h"
#include "tests/explore/states.h"

enum { PROGRAMS = 4000, RANKS = 3, OPS = 8, MESSAGES = 8, SLOTS = 4, STATES_MAX = 600000 };
enum { ANY = -1, NOBODY = -2, GATHERED = SLOTS - 1, CANCELLED = 999 };

enum what {
    SEND,
    SSEND,
    BSEND,
    ISEND,
    ISSEND,
    SEND_INIT,
    SENDS,
    RECV = SENDS,
    MPROBE,
    IRECV,
    RECV_INIT,
    RECVS,
    PROBE = RECVS,
    IPROBE,
    IMPROBE,
    WAIT,
    TEST,
    GET_STATUS,
    WAITANY,
    TESTANY,
    WAITSOME,
    TESTSOME,
    WAITALL,
    TESTALL,
    CANCEL,
    FREE,
    OTHERS,
    BARRIER = OTHERS,
    IBARRIER,
    BCAST,
    ABORT, /* tag: not 0: only after what it has seen; peer: the code */
    LEAVE, /* the same, if nothing of it is under way: returns with that status */
    WHATS
};
static const char *const name[WHATS] = {
    "send",    "ssend",     "bsend",    "isend",    "issend",  "send_init", "recv",   "mprobe",
    "irecv",   "recv_init", "probe",    "iprobe",   "improbe", "wait",      "test",   "get_status",
    "waitany", "testany",   "waitsome", "testsome", "waitall", "testall",   "cancel", "free",
    "barrier", "ibarrier",  "bcast",    "abort",    "leave"};

struct op {
    enum what what;
    int peer, tag, slot;
};
struct program {
    int ranks, count[RANKS];
    struct op op[RANKS][OPS];
    bool fails; /* some ranks may */
};

/* --- a program -------------------------------------------------------------------------------- */

static bool insert(struct program *p, int rank, int at, struct op op)
{
    if (p->count[rank] == OPS)
        return false;
    memmove(&p->op[rank][at + 1], &p->op[rank][at], (size_t)(p->count[rank]++ - at) * sizeof op);
    p->op[rank][at] = op;
    return true;
}

static int below(struct core_random *random, int count)
{
    return (int)core_random_below(random, (uint64_t)count);
}

static int place(struct core_random *random, const struct program *p, int rank)
{
    return below(random, 3) ? p->count[rank] : below(random, p->count[rank] + 1);
}

/* A receive, or one more, is begun, cancelled and waited for. */
static void make_cancelled(struct program *p, uint64_t seed)
{
    struct core_random r;
    core_random_init(&r, ~seed);
    for (int i = 1 + below(&r, 2); i > 0; i--) {
        int rank = below(&r, p->ranks), at = below(&r, p->count[rank] + 1);
        int peer = (rank + 1 + below(&r, p->ranks - 1)) % p->ranks, slot = below(&r, GATHERED);
        if (p->count[rank] > OPS - 3)
            continue;
        for (int k = 0; k < p->count[rank]; k++)
            if (p->op[rank][k].what == RECV && below(&r, 2)) {
                p->op[rank][k].what = IRECV;
                at = k + 1;
                slot = p->op[rank][k].slot;
            }
        if (!at || p->op[rank][at - 1].what != IRECV)
            insert(p, rank, at++, (struct op){IRECV, below(&r, 2) ? peer : ANY, 0, slot});
        at += below(&r, p->count[rank] - at + 1);
        insert(p, rank, at++, (struct op){CANCEL, 0, 0, slot});
        at += below(&r, p->count[rank] - at + 1);
        insert(p, rank, at, (struct op){WAIT, 0, 0, slot});
    }
}

static void make_failing(struct program *p, uint64_t seed)
{
    struct core_random r;
    core_random_init(&r, seed ^ 0xfa11);
    for (int i = 1 + below(&r, 3); i > 0; i--) {
        int rank = below(&r, p->ranks), at = below(&r, p->count[rank] + 1);
        p->fails |= insert(
            p, rank, at,
            (struct op){below(&r, 3) ? ABORT : LEAVE, 1 + below(&r, 2), below(&r, 3) > 0, 0});
    }
}

/* Rank 0 receives what two ranks send, in any order: 6 to 20 outcomes. */
static void make_many(struct program *p, struct core_random *r)
{
    p->ranks = RANKS;
    for (int i = 4 + below(r, 3); i > 0; i--) {
        int from = 1 + i % 2;
        insert(p, from, p->count[from],
               (struct op){below(r, 4) ? SEND : ISEND, 0, 0, i % GATHERED});
        insert(p, 0, p->count[0], (struct op){below(r, 4) ? RECV : IRECV, ANY, 0, i % GATHERED});
    }
}

static void make_any(struct program *p, uint64_t seed)
{
    struct core_random r;
    core_random_init(&r, seed);
    memset(p, 0, sizeof *p);
    if (seed % 30 == 0) {
        make_many(p, &r);
        return;
    }
    p->ranks = 2 + below(&r, RANKS - 1);
    for (int i = 2 + below(&r, 3); i > 0; i--) {
        int from = below(&r, p->ranks), to = (from + 1 + below(&r, p->ranks - 1)) % p->ranks;
        int tag = below(&r, 3) == 0, many = below(&r, 4);
        int slot = below(&r, GATHERED), other = below(&r, GATHERED);
        bool nobody = below(&r, 16) == 0, any = below(&r, 2);
        enum what how = below(&r, 2) ? RECV : (enum what)(RECV + below(&r, RECVS - RECV));
        if (p->count[from] == OPS || p->count[to] == OPS)
            continue;
        insert(
            p, from, place(&r, p, from),
            (struct op){below(&r, 3) ? (below(&r, 2) ? SEND : ISEND) : (enum what)below(&r, SENDS),
                        nobody && how == RECV ? NOBODY : to, tag, slot});
        if (!nobody || how != RECV)
            insert(p, to, place(&r, p, to),
                   (struct op){how,
                               nobody ? NOBODY
                               : any  ? ANY
                                      : from,
                               many ? tag : ANY, other});
    }
    for (int i = below(&r, 4); i > 0; i--) {
        int rank = below(&r, p->ranks);
        enum what how = (enum what)(PROBE + below(&r, OTHERS - PROBE));
        insert(p, rank, below(&r, p->count[rank] + 1),
               (struct op){how, below(&r, 2) ? ANY : (rank + 1) % p->ranks, below(&r, 4) ? 0 : ANY,
                           below(&r, GATHERED)});
    }
    enum what all = (enum what)(BARRIER + below(&r, ABORT - BARRIER));
    if (seed % 2 == 0)
        make_cancelled(p, seed);
    bool room = below(&r, 5) == 0;
    for (int rank = 0; rank < p->ranks; rank++)
        room &= p->count[rank] < OPS;
    for (int rank = 0; room && rank < p->ranks; rank++)
        insert(p, rank, below(&r, p->count[rank] + 1), (struct op){all, 0, 0, GATHERED});
}

static void make(struct program *p, uint64_t seed)
{
    make_any(p, seed);
    if (seed % 3 == 0)
        make_failing(p, seed);
}

static void show(const struct program *p)
{
    for (int rank = 0; rank < p->ranks; rank++) {
        printf("  rank %d:", rank);
        for (int i = 0; i < p->count[rank]; i++) {
            const struct op *op = &p->op[rank][i];
            printf(op->what < WAIT ? " %s(%d,%d:%d)" : " %s", name[op->what], op->peer, op->tag,
                   op->slot);
            if (op->what >= WAIT)
                printf("(:%d)", op->slot);
        }
        printf("\n");
    }
}

static bool starts(enum what what)
{
    return what == ISEND || what == ISSEND || what == SEND_INIT || what == IRECV ||
           what == RECV_INIT;
}

static uint64_t message_mix(int source, int tag, int value)
{
    return (uint64_t)((source + 5) * 10000 + (tag + 5) * 1000 + value);
}

static bool is_due(const struct op *op, uint64_t seen)
{
    return !op->tag || (seen >> 9 & 1);
}

/* Of the ranks that fail, and how; 0: none does. */
static uint64_t failures_key(const uint8_t failed[RANKS])
{
    uint64_t key = 0;
    for (int rank = 0; rank < RANKS; rank++)
        if (failed[rank])
            key = core_random_mix(key ^ (uint64_t)(rank << 8 | failed[rank]));
    return key;
}

static int value_of(int rank, int pc)
{
    return 1 + rank * OPS + pc;
}

/* --- by brute force --------------------------------------------------------------------------- */

struct message {
    int8_t from, to, tag, value;
    int8_t slot;      /* of a nonblocking send; -1: none */
    uint8_t buffered; /* else its sender is told when it is received */
    uint8_t arrived, gone, freed;
};
struct slot {
    uint8_t used, receives, complete, certain, cancelled, polled;
    int8_t peer, tag, source, got_tag, value;
};
struct state {
    uint64_t hash[RANKS];
    uint8_t at[RANKS];
    uint8_t waits[RANKS]; /* for the message with that number, + 1; 0: none */
    uint8_t entered[RANKS], held[RANKS];
    uint8_t aborted[RANKS], left[RANKS]; /* with that code; 0: not */
    uint8_t fewer;                       /* some send had no buffer; where ranks may fail */
    uint8_t looked[RANKS][4][4];         /* by source and tag: in vain */
    uint8_t order[RANKS][SLOTS], posted[RANKS];
    struct message message[MESSAGES];
    uint8_t messages;
    struct slot slot[RANKS][SLOTS];
};
static struct core_table states, ends;
static struct core_table aborts, aborts_fewer; /* sets of ranks that may; not all sends buffered */
static uint32_t deadlocks, deadlocks_fewer;

static void saw(struct state *s, int rank, int64_t what)
{
    s->hash[rank] = core_random_mix(s->hash[rank] ^ (uint64_t)what);
}

/* The first that was sent by that rank and fits; -1: there is none, or it has not arrived. */
static int first_from(const struct state *s, int rank, int peer, int tag, int from)
{
    for (int i = 0; i < s->messages; i++) {
        const struct message *m = &s->message[i];
        if (!m->gone && m->to == rank && m->from == from && (tag == ANY || m->tag == tag) &&
            (peer == ANY || peer == from))
            return m->arrived ? i : -1;
    }
    return -1;
}

static void take(struct state *s, struct message *m)
{
    m->gone = 1;
    if (m->buffered)
        return;
    int number = (int)(m - s->message) + 1;
    if (s->waits[m->from] == number)
        s->waits[m->from] = 0;
    if (m->slot >= 0 && !m->freed)
        s->slot[m->from][m->slot].complete = 1;
}

static void slot_take(struct state *s, struct slot *slot, struct message *m)
{
    slot->complete = 1;
    slot->source = m->from;
    slot->got_tag = m->tag;
    slot->value = m->value;
    take(s, m);
}

/* Of those from one rank, after one arrived. */
static void match_posted(struct state *s, int rank, int from)
{
    for (int k = 0; k < s->posted[rank]; k++) {
        struct slot *slot = &s->slot[rank][s->order[rank][k]];
        int i = slot->complete ? -1 : first_from(s, rank, slot->peer, slot->tag, from);
        if (i < 0)
            continue;
        slot_take(s, slot, &s->message[i]);
        k = -1;
    }
}

static void slot_end(struct state *s, int rank, int number)
{
    struct slot *slot = &s->slot[rank][number];
    int kept = 0;
    *slot = (struct slot){0};
    for (int i = 0; i < s->posted[rank]; i++)
        if (s->order[rank][i] != number)
            s->order[rank][kept++] = s->order[rank][i];
    for (int i = kept; i < SLOTS; i++)
        s->order[rank][i] = 0;
    s->posted[rank] = (uint8_t)kept;
}

static void slot_done(struct state *s, int rank, int number)
{
    const struct slot *slot = &s->slot[rank][number];
    if (slot->receives && slot->cancelled)
        saw(s, rank, CANCELLED);
    else if (slot->receives)
        saw(s, rank, (int64_t)message_mix(slot->source, slot->got_tag, slot->value));
    slot_end(s, rank, number);
}

static bool all_entered(const struct program *p, const struct state *s)
{
    for (int i = 0; i < p->ranks; i++)
        if (!s->entered[i])
            return false;
    return true;
}

static bool complete(const struct program *p, const struct state *s, int rank, int slot)
{
    const struct slot *of = &s->slot[rank][slot];
    return of->used && (slot == GATHERED ? all_entered(p, s) : of->complete);
}

static void go(const struct program *p, const struct state *s);

static void on(const struct program *p, struct state *s, int rank)
{
    s->at[rank]++;
    go(p, s);
}

static void send(const struct program *p, const struct state *before, int rank, bool buffered)
{
    const struct op *op = &p->op[rank][before->at[rank]];
    struct state s = *before;
    int slot = starts(op->what) ? op->slot : -1;
    if (slot >= 0)
        s.slot[rank][slot] = (struct slot){
            .used = 1, .complete = buffered || op->peer == NOBODY, .certain = op->peer == NOBODY};
    if (op->peer != NOBODY) {
        bool standard = op->what == SEND || op->what == ISEND || op->what == SEND_INIT;
        struct message *m = &s.message[s.messages++];
        s.fewer |= p->fails && standard && !buffered;
        *m = (struct message){.from = (int8_t)rank,
                              .to = (int8_t)op->peer,
                              .tag = (int8_t)op->tag,
                              .value = (int8_t)value_of(rank, s.at[rank]),
                              .slot = (int8_t)slot,
                              .buffered = buffered};
        if (slot < 0 && !buffered)
            s.waits[rank] = s.messages;
    }
    on(p, &s, rank);
}

static void post(const struct program *p, const struct state *before, int rank)
{
    const struct op *op = &p->op[rank][before->at[rank]];
    struct state s = *before;
    struct slot *slot = &s.slot[rank][op->slot];
    bool taken = false;
    *slot =
        (struct slot){.used = 1, .receives = 1, .peer = (int8_t)op->peer, .tag = (int8_t)op->tag};
    if (op->peer == NOBODY) {
        slot->complete = slot->certain = 1;
        slot->source = MPI_PROC_NULL;
        slot->got_tag = MPI_ANY_TAG;
    } else {
        s.order[rank][s.posted[rank]++] = (uint8_t)op->slot;
    }
    const struct state posted = s;
    bool nobody = slot->complete;
    for (int from = 0; from < p->ranks && !nobody; from++) {
        int i = first_from(&posted, rank, op->peer, op->tag, from);
        if (i < 0)
            continue;
        s = posted;
        slot_take(&s, slot, &s.message[i]);
        on(p, &s, rank);
        taken = true;
    }
    if (!taken)
        on(p, &s, rank);
}

/* The first that arrived of any one sender is received or found. */
static bool receive(const struct program *p, const struct state *before, int rank)
{
    const struct op *op = &p->op[rank][before->at[rank]];
    bool poll = op->what == IPROBE || op->what == IMPROBE, any = poll;
    bool takes = op->what == RECV || op->what == MPROBE || op->what == IMPROBE, there = false;
    struct state s = *before;
    if (op->peer == NOBODY) {
        saw(&s, rank, (int64_t)message_mix(MPI_PROC_NULL, MPI_ANY_TAG, 0));
        on(p, &s, rank);
        return true;
    }
    uint8_t *looked = &s.looked[rank][op->peer + 1][op->tag + 1];
    if (poll && *looked) {
        on(p, &s, rank);
        return true;
    }
    for (int from = 0; from < p->ranks; from++) {
        int i = first_from(before, rank, op->peer, op->tag, from);
        if (i < 0)
            continue;
        const struct message *m = &before->message[i];
        there = true;
        s = *before;
        if (poll)
            saw(&s, rank, 1);
        saw(&s, rank, (int64_t)message_mix(from, m->tag, takes ? m->value : 0));
        if (takes)
            take(&s, &s.message[i]);
        on(p, &s, rank);
        any = true;
    }
    if (poll && !there) {
        s = *before;
        *looked = 1;
        saw(&s, rank, 0);
        on(p, &s, rank);
    }
    return any;
}

static bool polls(enum what what)
{
    return what == TEST || what == GET_STATUS || what == TESTANY || what == TESTSOME ||
           what == TESTALL;
}

/* Of the slots that the call names, as bits: which are used, complete, certainly so. */
static bool finish(const struct program *p, const struct state *before, int rank)
{
    const struct op *op = &p->op[rank][before->at[rank]];
    bool one = op->what == WAIT || op->what == TEST || op->what == GET_STATUS;
    bool some = op->what == WAITSOME || op->what == TESTSOME, poll = polls(op->what);
    bool each = op->what == WAITANY || op->what == TESTANY, any = false, again = false;
    unsigned used = 0, done = 0, certain = 0;
    struct state s = *before;
    for (int i = one ? op->slot : 0; i < (one ? op->slot + 1 : SLOTS); i++) {
        const struct slot *slot = &s.slot[rank][i];
        used |= (unsigned)slot->used << i;
        done |= (unsigned)complete(p, &s, rank, i) << i;
        certain |= (unsigned)slot->certain << i;
        again |= slot->polled;
    }
    if (!used || (poll && again)) {
        on(p, &s, rank);
        return true;
    }
    for (unsigned set = 1; set < 1u << SLOTS; set++) {
        if (set & ~done)
            continue;
        if (each ? (set & (set - 1)) != 0 : some ? (set & certain) != certain : set != used)
            continue;
        s = *before;
        saw(&s, rank, (int64_t)set);
        for (int i = 0; i < SLOTS && op->what != GET_STATUS; i++)
            if (set >> i & 1)
                slot_done(&s, rank, i);
        if (op->what == GET_STATUS)
            s.slot[rank][op->slot].certain = 1;
        on(p, &s, rank);
        any = true;
    }
    bool must = some || each ? certain != 0 : certain == used;
    if (poll && !must) {
        s = *before;
        saw(&s, rank, 0);
        for (int i = 0; i < SLOTS; i++)
            if (used >> i & 1)
                s.slot[rank][i].polled = 1;
        on(p, &s, rank);
        any = true;
    }
    return any;
}

static bool gather(const struct program *p, const struct state *before, int rank)
{
    const struct op *op = &p->op[rank][before->at[rank]];
    struct state s = *before;
    if (!s.entered[rank]) {
        s.entered[rank] = 1;
        if (op->what == IBARRIER) {
            s.slot[rank][GATHERED] = (struct slot){.used = 1};
            on(p, &s, rank);
            return true;
        }
        go(p, &s);
        s.held[rank] = op->what == BCAST; /* it waits for all */
        if (s.held[rank])
            go(p, &s);
        return true;
    }
    if (op->what == BCAST && !s.held[rank] ? s.entered[0] : all_entered(p, &s)) {
        on(p, &s, rank);
        return true;
    }
    return false;
}

static bool fail(const struct program *p, const struct state *before, int rank)
{
    const struct op *op = &p->op[rank][before->at[rank]];
    struct state s = *before;
    bool under_way = false;
    for (int i = 0; i < SLOTS; i++)
        under_way |= s.slot[rank][i].used;
    if (!is_due(op, s.hash[rank]) || (op->what == LEAVE && under_way)) {
        on(p, &s, rank);
        return true;
    }
    *(op->what == ABORT ? &s.aborted[rank] : &s.left[rank]) = (uint8_t)op->peer;
    go(p, &s);
    return true;
}

/* Every step that the rank can make now. */
static bool step(const struct program *p, const struct state *before, int rank)
{
    const struct op *op = &p->op[rank][before->at[rank]];
    struct state s = *before;
    if (s.waits[rank] || s.aborted[rank] || s.left[rank])
        return false;
    if (before->at[rank] == p->count[rank]) { /* waits for what is left */
        bool any = false;
        for (int i = 0; i < SLOTS; i++) {
            if (s.slot[rank][i].used && !complete(p, &s, rank, i))
                return false;
            any |= s.slot[rank][i].used;
        }
        for (int i = 0; i < SLOTS; i++)
            if (s.slot[rank][i].used)
                slot_done(&s, rank, i);
        if (any)
            go(p, &s);
        return any;
    }
    if (starts(op->what) && s.slot[rank][op->slot].used) {
        on(p, &s, rank);
        return true;
    }
    if (op->what < SENDS) {
        bool standard = op->what == SEND || op->what == ISEND || op->what == SEND_INIT;
        if (standard || op->what == BSEND)
            send(p, before, rank, true);
        if (op->peer != NOBODY ? op->what != BSEND : !standard)
            send(p, before, rank, op->peer == NOBODY);
        return true;
    }
    if (op->what == IRECV || op->what == RECV_INIT) {
        post(p, before, rank);
        return true;
    }
    if (op->what <= IMPROBE)
        return receive(p, before, rank);
    if (op->what >= ABORT)
        return fail(p, before, rank);
    if (op->what >= BARRIER)
        return gather(p, before, rank);
    struct slot *slot = &s.slot[rank][op->slot];
    if (op->what == CANCEL) {
        if (slot->used && slot->receives && !slot->complete)
            slot->complete = slot->cancelled = 1;
    } else if (op->what == FREE) {
        if (slot->used && !slot->receives) {
            for (int i = 0; i < s.messages; i++)
                if (s.message[i].from == rank && s.message[i].slot == op->slot)
                    s.message[i].freed = 1;
            slot_end(&s, rank, op->slot);
        }
    } else {
        return finish(p, before, rank);
    }
    on(p, &s, rank);
    return true;
}

static void go(const struct program *p, const struct state *s)
{
    uint64_t hash = 0, key = 0, word;
    bool any = false, ended = true;
    for (size_t i = 0; i < sizeof *s / sizeof word; i++) {
        memcpy(&word, (const char *)s + i * sizeof word, sizeof word);
        hash = core_random_mix(hash ^ word);
    }
    if (states.count > STATES_MAX || !is_new(&states, hash))
        return;
    for (int rank = 0; rank < p->ranks; rank++)
        any |= step(p, s, rank);
    for (int i = 0; i < s->messages; i++) {
        bool first = !s->message[i].arrived;
        for (int before = 0; before < i; before++)
            first &= s->message[before].arrived || s->message[before].from != s->message[i].from ||
                     s->message[before].to != s->message[i].to;
        if (!first)
            continue;
        struct state next = *s;
        next.message[i].arrived = 1;
        match_posted(&next, next.message[i].to, next.message[i].from);
        go(p, &next);
        any = true;
    }
    if (any)
        return;
    for (int rank = 0; rank < p->ranks; rank++) {
        ended &= s->left[rank] || (!s->waits[rank] && s->at[rank] == p->count[rank]);
        for (int i = 0; i < SLOTS; i++)
            ended &= !s->slot[rank][i].used;
        key = core_random_mix(key ^ s->hash[rank]);
    }
    uint64_t failures = failures_key(s->aborted);
    if (failures)
        is_new(s->fewer ? &aborts_fewer : &aborts, failures);
    else if (ended)
        is_new(&ends, key ^ failures_key(s->left));
    else
        *(s->fewer ? &deadlocks_fewer : &deadlocks) += 1;
}

/* --- in worlds -------------------------------------------------------------------------------- */

static bool returned[RANKS];
static uint8_t aborted[RANKS], left_with[RANKS];

struct own { /* of a rank */
    MPI_Request request[SLOTS];
    int got[SLOTS], sent[SLOTS];
    bool receives[SLOTS], polled[SLOTS], looked[4][4];
};

static void got(int rank, const MPI_Status *status, int value)
{
    fibers_saw(rank, (int64_t)message_mix(status->MPI_SOURCE, status->MPI_TAG, value));
}

static void own_done(struct own *own, int rank, int slot, const MPI_Status *status)
{
    int cancelled = 0;
    if (own->receives[slot])
        MPI_Test_cancelled(status, &cancelled);
    if (cancelled)
        fibers_saw(rank, CANCELLED);
    else if (own->receives[slot])
        got(rank, status, own->got[slot]);
    if (own->request[slot] != MPI_REQUEST_NULL) /* a persistent one */
        MPI_Request_free(&own->request[slot]);
    own->polled[slot] = false;
}

/* Those that the call completed, as bits. */
static void own_set(struct own *own, int rank, unsigned set, const MPI_Status status[SLOTS])
{
    fibers_saw(rank, (int64_t)set);
    for (int i = 0; i < SLOTS; i++)
        if (set >> i & 1)
            own_done(own, rank, i, &status[i]);
}

static void own_finish(struct own *own, int rank, const struct op *op)
{
    bool one = op->what == WAIT || op->what == TEST || op->what == GET_STATUS;
    int first = one ? op->slot : 0, end = one ? op->slot + 1 : SLOTS, flag = 1, count = 0;
    int index[SLOTS];
    MPI_Status status[SLOTS] = {{0}}, list[SLOTS] = {{0}};
    unsigned used = 0, set;
    bool again = false;
    for (int i = first; i < end; i++)
        if (own->request[i] != MPI_REQUEST_NULL) {
            used |= 1u << i;
            again |= own->polled[i];
        }
    if (!used || (polls(op->what) && again))
        return;
    set = used;
    switch (op->what) {
    case WAIT:
        MPI_Wait(&own->request[first], &status[first]);
        break;
    case TEST:
        MPI_Test(&own->request[first], &flag, &status[first]);
        break;
    case GET_STATUS:
        MPI_Request_get_status(own->request[first], &flag, &status[first]);
        break;
    case WAITANY:
    case TESTANY:
        if (op->what == WAITANY)
            MPI_Waitany(SLOTS, own->request, index, list);
        else
            MPI_Testany(SLOTS, own->request, index, &flag, list);
        if (flag) {
            set = 1u << index[0];
            status[index[0]] = list[0];
        }
        break;
    case WAITSOME:
    case TESTSOME:
        if (op->what == WAITSOME)
            MPI_Waitsome(SLOTS, own->request, &count, index, list);
        else
            MPI_Testsome(SLOTS, own->request, &count, index, list);
        flag = count > 0;
        set = 0;
        for (int i = 0; i < count; i++) {
            set |= 1u << index[i];
            status[index[i]] = list[i];
        }
        break;
    case WAITALL:
        MPI_Waitall(SLOTS, own->request, status);
        break;
    default:
        MPI_Testall(SLOTS, own->request, &flag, status);
    }
    if (op->what == GET_STATUS && flag)
        fibers_saw(rank, (int64_t)set);
    else if (flag)
        own_set(own, rank, set, status);
    if (flag)
        return;
    fibers_saw(rank, 0);
    for (int i = 0; i < SLOTS; i++)
        own->polled[i] |= used >> i & 1;
}

static void own_start(struct own *own, int rank, const struct op *op, int pc)
{
    MPI_Request *request = &own->request[op->slot];
    int *got = &own->got[op->slot], *sent = &own->sent[op->slot];
    int peer = op->peer == NOBODY ? MPI_PROC_NULL : op->peer == ANY ? MPI_ANY_SOURCE : op->peer;
    int tag = op->tag == ANY ? MPI_ANY_TAG : op->tag;
    MPI_Comm comm = MPI_COMM_WORLD;
    if (*request != MPI_REQUEST_NULL)
        return;
    *got = 0;
    *sent = value_of(rank, pc);
    own->receives[op->slot] = op->what >= SENDS;
    if (op->what == ISEND)
        MPI_Isend(sent, 1, MPI_INT, peer, tag, comm, request);
    else if (op->what == ISSEND)
        MPI_Issend(sent, 1, MPI_INT, peer, tag, comm, request);
    else if (op->what == SEND_INIT)
        MPI_Send_init(sent, 1, MPI_INT, peer, tag, comm, request);
    else if (op->what == IRECV)
        MPI_Irecv(got, 1, MPI_INT, peer, tag, comm, request);
    else
        MPI_Recv_init(got, 1, MPI_INT, peer, tag, comm, request);
    if (op->what == SEND_INIT || op->what == RECV_INIT)
        MPI_Start(request);
}

static void own_receive(struct own *own, int rank, const struct op *op)
{
    int peer = op->peer == NOBODY ? MPI_PROC_NULL : op->peer == ANY ? MPI_ANY_SOURCE : op->peer;
    int tag = op->tag == ANY ? MPI_ANY_TAG : op->tag, flag = 1, value = 0;
    bool poll = op->what == IPROBE || op->what == IMPROBE;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Message message = MPI_MESSAGE_NO_PROC;
    MPI_Status status;
    bool *looked = op->peer == NOBODY ? NULL : &own->looked[op->peer + 1][op->tag + 1];
    if (poll && looked && *looked)
        return;
    if (op->what == RECV)
        MPI_Recv(&value, 1, MPI_INT, peer, tag, comm, &status);
    else if (op->what == PROBE)
        MPI_Probe(peer, tag, comm, &status);
    else if (op->what == IPROBE)
        MPI_Iprobe(peer, tag, comm, &flag, &status);
    else if (op->what == MPROBE)
        MPI_Mprobe(peer, tag, comm, &message, &status);
    else
        MPI_Improbe(peer, tag, comm, &flag, &message, &status);
    if (flag && (op->what == MPROBE || op->what == IMPROBE))
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    if (poll)
        fibers_saw(rank, flag);
    if (flag)
        got(rank, &status, value);
    else if (looked)
        *looked = true;
}

static bool own_used(const struct own *own)
{
    bool used = false;
    for (int i = 0; i < SLOTS; i++)
        used |= own->request[i] != MPI_REQUEST_NULL;
    return used;
}

static int run(int rank, void *context)
{
    const struct program *p = context;
    char buffer[OPS * (sizeof(int) + MPI_BSEND_OVERHEAD)];
    struct own own = {.got = {0}};
    MPI_Status status[SLOTS];
    unsigned left = 0;
    for (int i = 0; i < SLOTS; i++)
        own.request[i] = MPI_REQUEST_NULL;
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int i = 0; i < p->count[rank]; i++) {
        const struct op *op = &p->op[rank][i];
        int value = value_of(rank, i), peer = op->peer == NOBODY ? MPI_PROC_NULL : op->peer;
        MPI_Request *request = &own.request[op->slot];
        if (starts(op->what))
            own_start(&own, rank, op, i);
        else if (op->what == SEND)
            MPI_Send(&value, 1, MPI_INT, peer, op->tag, MPI_COMM_WORLD);
        else if (op->what == SSEND)
            MPI_Ssend(&value, 1, MPI_INT, peer, op->tag, MPI_COMM_WORLD);
        else if (op->what == BSEND)
            MPI_Bsend(&value, 1, MPI_INT, peer, op->tag, MPI_COMM_WORLD);
        else if (op->what <= IMPROBE)
            own_receive(&own, rank, op);
        else if (op->what < CANCEL)
            own_finish(&own, rank, op);
        else if (op->what == CANCEL && *request != MPI_REQUEST_NULL && own.receives[op->slot])
            MPI_Cancel(request);
        else if (op->what == FREE && *request != MPI_REQUEST_NULL && !own.receives[op->slot])
            MPI_Request_free(request);
        else if (op->what == BARRIER)
            MPI_Barrier(MPI_COMM_WORLD);
        else if (op->what == IBARRIER)
            MPI_Ibarrier(MPI_COMM_WORLD, &own.request[GATHERED]);
        else if (op->what == BCAST)
            MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        else if (op->what == ABORT && is_due(op, fibers_hash[rank])) {
            aborted[rank] = (uint8_t)op->peer;
            MPI_Abort(MPI_COMM_WORLD, op->peer);
        } else if (op->what == LEAVE && is_due(op, fibers_hash[rank]) && !own_used(&own)) {
            left_with[rank] = (uint8_t)op->peer;
            returned[rank] = true;
            return op->peer;
        }
        if (op->what == FREE && *request == MPI_REQUEST_NULL)
            own.polled[op->slot] = false;
    }
    for (int i = 0; i < SLOTS; i++)
        left |= (unsigned)(own.request[i] != MPI_REQUEST_NULL) << i;
    MPI_Waitall(SLOTS, own.request, status);
    for (int i = 0; i < SLOTS; i++)
        if (left >> i & 1)
            own_done(&own, rank, i, &status[i]);
    returned[rank] = true;
    return 0;
}

static enum core_status run_world(void *context, const struct replay_policy *policy,
                                  const struct replay_choice *choice,
                                  const struct world_outcome **out_outcome, uint64_t *out_key,
                                  struct explore_events *out_events)
{
    const struct fibers *fibers = context;
    uint64_t key = 0;
    bool ended = true;
    memset(returned, 0, sizeof returned);
    memset(aborted, 0, sizeof aborted);
    memset(left_with, 0, sizeof left_with);
    enum core_status status = fibers_run(context, policy, choice, out_outcome, out_key, out_events);
    for (int rank = 0; rank < fibers->rank_count; rank++) {
        ended &= returned[rank];
        key = core_random_mix(key ^ fibers_hash[rank]);
    }
    uint64_t failures = failures_key(aborted);
    *out_key = failures ? failures : ended ? key ^ failures_key(left_with) : 0;
    return status;
}

/* --- both ------------------------------------------------------------------------------------- */

struct sums {
    unsigned long long outcomes, behaviours, deadlocks, large, limited, failing, many;
    int faults;
};

static void compare(uint64_t seed, bool told, struct sums *sums)
{
    static struct fibers fibers;
    static const struct state start;
    struct program program;
    struct explore_search s;
    uint32_t more = 0, common = 0;
    bool stuck = false, bcast = false;
    make(&program, seed);
    for (int i = 0; i < program.count[0]; i++)
        bcast |= program.op[0][i].what == BCAST;
    states = states_none();
    ends = states_none();
    aborts = states_none();
    aborts_fewer = states_none();
    deadlocks = deadlocks_fewer = 0;
    go(&program, &start);
    fibers = (struct fibers){.program = run, .context = &program, .rank_count = program.ranks};
    if (explore_search(run_world, &fibers, program.ranks,
                       &(struct explore_options){.worlds_max = 100000}, &s) != CORE_OK)
        exit(1);
    bool large = states.count > STATES_MAX;
    uint32_t count = ends.count + (bcast ? 0 : aborts.count), all = ends.count + aborts.count;
    for (uint32_t i = 0; i < s.class_count; i++) {
        const uint64_t *key = &s.class[i].key;
        bool ends_so = core_table_find(&ends, key), abort = core_table_find(&aborts, key);
        stuck |= !*key;
        common += *key && (ends_so || (abort && !bcast));
        more += *key && !ends_so && !abort && !core_table_find(&aborts_fewer, key);
    }
    bool differs = !large && (more || (s.complete && common < count) ||
                              (stuck && !deadlocks && !deadlocks_fewer) ||
                              (deadlocks && !stuck && s.complete && !bcast));
    sums->failing += aborts.count > 0 && s.complete;
    sums->many += all > 8 && s.complete;
    if (differs || told) {
        printf("program %llu: %llu behaviours%s; of %u outcomes it misses %u, and has %u that "
               "cannot be; deadlock: %s, by brute force %s\n",
               (unsigned long long)seed, (unsigned long long)s.behaviours,
               s.complete ? "" : ", not all", count, count - common, more, stuck ? "yes" : "no",
               deadlocks ? "yes" : "no");
        show(&program);
    }
    sums->outcomes += all;
    sums->behaviours += s.behaviours;
    sums->limited += !s.complete;
    sums->deadlocks += deadlocks > 0;
    sums->large += large;
    sums->faults += differs;
    explore_search_done(&s);
    core_table_done(&states);
    core_table_done(&ends);
    core_table_done(&aborts);
    core_table_done(&aborts_fewer);
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    uint64_t last = argc > 2 ? strtoull(argv[2], NULL, 0) : argc > 1 ? first : PROGRAMS;
    struct sums sums = {0};
    for (uint64_t seed = first; seed <= last; seed++)
        compare(seed, argc == 2, &sums);
    world_done();
    printf(
        "%llu outcomes in %llu behaviours; of %llu programs %llu can stand still, %llu are too "
        "large, %llu have more than is told; all is told of %llu that can abort and of %llu with "
        "more than 8 outcomes; %d faults\n",
        sums.outcomes, sums.behaviours, (unsigned long long)(last - first + 1), sums.deadlocks,
        sums.large, sums.limited, sums.failing, sums.many, sums.faults);
    return sums.faults != 0;
}
