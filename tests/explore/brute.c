/* The search of order=explore against brute force: an MPI of messages alone that is a page long
 * and shares nothing with world/. Every step of every rank, every arrival of every message and
 * every completion of a buffered send is tried in every order, with every send buffered or not, and
 * nothing is left out because it would come to the same. What ranks have seen at their ends, or at
 * a deadlock, must be the same set for both, for the core of some tiny collectives.
 *
 * A deadlock is told by what the ranks had seen until then, not by who waits: where one comes with
 * buffers, the search does not ask who else would wait without them. */
#include <mpi.h>

#include "tests/explore/fibers.h"

enum { RANKS = 3, OPS = 6, MESSAGES = 8, SLOTS = 3, OUTCOMES = 4096, ANY = -1 };

/* Operations. Requests lie in slots. What an operation sees is its source, and the value of the
 * message, which is the hash of its sender at its sending. */
enum what { END, SEND, RECV, ISEND, IRECV, TEST, WAIT, WAITANY, PROBE, IPROBE, SSEND };
struct op {
    enum what what;
    int peer, tag, slot;
};
static const struct example {
    const char *name;
    int ranks;
    struct op op[RANKS][OPS];
} example[] = {
    {"bcast, linear",
     3,
     {{{SEND, 1, 0, 0}, {SEND, 2, 0, 0}}, {{RECV, 0, 0, 0}}, {{RECV, 0, 0, 0}}}},
    {"bcast, chain", 3, {{{SEND, 1, 0, 0}}, {{RECV, 0, 0, 0}, {SEND, 2, 0, 0}}, {{RECV, 1, 0, 0}}}},
    {"gather, by arrival",
     3,
     {{{RECV, ANY, 0, 0}, {RECV, ANY, 0, 0}}, {{SEND, 0, 0, 0}}, {{SEND, 0, 0, 0}}}},
    {"gather, first by arrival",
     3,
     {{{RECV, ANY, 0, 0}, {RECV, 1, 0, 0}}, {{SEND, 0, 0, 0}}, {{SEND, 0, 0, 0}}}},
    {"gather, after a probe",
     3,
     {{{PROBE, ANY, 0, 0}, {RECV, ANY, 0, 0}, {RECV, ANY, 0, 0}},
      {{SEND, 0, 0, 0}},
      {{SEND, 0, 0, 0}}}},
    {"exchange, send first",
     2,
     {{{SEND, 1, 0, 0}, {RECV, 1, 0, 0}}, {{SEND, 0, 0, 0}, {RECV, 0, 0, 0}}}},
    {"exchange, synchronous",
     2,
     {{{SSEND, 1, 0, 0}, {RECV, 1, 0, 0}}, {{RECV, 0, 0, 0}, {SSEND, 0, 0, 0}}}},
    {"exchange, nonblocking",
     2,
     {{{IRECV, 1, 0, 0}, {SEND, 1, 0, 0}, {WAIT, 0, 0, 0}},
      {{IRECV, 0, 0, 0}, {SEND, 0, 0, 0}, {WAIT, 0, 0, 0}}}},
    {"ring, send first",
     3,
     {{{SEND, 1, 0, 0}, {RECV, 2, 0, 0}},
      {{SEND, 2, 0, 0}, {RECV, 0, 0, 0}},
      {{SEND, 0, 0, 0}, {RECV, 1, 0, 0}}}},
    {"two tags, out of order",
     2,
     {{{SEND, 1, 0, 0}, {SEND, 1, 1, 0}}, {{RECV, 0, 1, 0}, {RECV, 0, 0, 0}}}},
    {"arrival asked for",
     2,
     {{{SEND, 1, 0, 0}}, {{IRECV, 0, 0, 0}, {TEST, 0, 0, 0}, {WAIT, 0, 0, 0}}}},
    {"arrival asked for, and told on",
     3,
     {{{SEND, 1, 0, 0}, {SEND, 2, 0, 0}},
      {{IRECV, 0, 0, 0}, {TEST, 0, 0, 0}, {WAIT, 0, 0, 0}, {SEND, 2, 0, 0}},
      {{RECV, ANY, 0, 0}, {RECV, ANY, 0, 0}}}},
    {"whichever completes",
     3,
     {{{IRECV, 1, 0, 0}, {IRECV, 2, 0, 1}, {WAITANY, 0, 0, 0}, {WAITANY, 0, 0, 0}},
      {{SEND, 0, 0, 0}},
      {{SEND, 0, 0, 0}}}},
    {"overtaken on another way",
     3,
     {{{SEND, 2, 0, 0}, {SEND, 1, 0, 0}},
      {{RECV, 0, 0, 0}, {SEND, 2, 0, 0}},
      {{RECV, ANY, 0, 0}, {RECV, ANY, 0, 0}}}},
    {"sends that are asked",
     2,
     {{{ISEND, 1, 0, 0}, {TEST, 0, 0, 0}, {RECV, 1, 0, 0}, {WAIT, 0, 0, 0}},
      {{ISEND, 0, 0, 0}, {WAIT, 0, 0, 0}, {RECV, 0, 0, 0}}}},
    {"asked, and told on",
     3,
     {{{ISEND, 1, 0, 0}, {TEST, 0, 0, 0}, {SEND, 2, 0, 0}, {WAIT, 0, 0, 0}},
      {{RECV, ANY, 0, 0}, {RECV, ANY, 0, 0}},
      {{RECV, 0, 0, 0}, {SEND, 1, 0, 0}}}},
    {"looked for, then received",
     3,
     {{{IPROBE, ANY, 0, 0}, {RECV, ANY, 0, 0}, {RECV, ANY, 0, 0}},
      {{SEND, 0, 0, 0}},
      {{SEND, 0, 0, 0}}}},
};
enum { EXAMPLES = sizeof example / sizeof *example };

/* --- what both note --------------------------------------------------------------------------- */

static uint64_t saw(uint64_t hash, int64_t what)
{
    return core_random_mix(hash ^ (uint64_t)what);
}

static uint64_t saw_message(uint64_t hash, int source, int value)
{
    return saw(saw(hash, source + 1), value);
}

struct outcomes {
    uint64_t key[OUTCOMES];
    int count;
};

static void outcome_add(struct outcomes *o, uint64_t key)
{
    for (int i = 0; i < o->count; i++)
        if (o->key[i] == key)
            return;
    if (o->count == OUTCOMES)
        abort();
    o->key[o->count++] = key;
}

static int value_of(uint64_t hash)
{
    return (int)(hash % 1000003);
}

/* --- brute force ------------------------------------------------------------------------------ */

struct message {
    int from, to, tag, value;
    int slot;      /* of a nonblocking send, -1: none */
    bool buffered; /* else its sender is told when it is received */
    bool arrived, gone;
};
struct slot {
    bool used, receives, complete;
    int peer, tag, source, value;
};
struct state {
    int at[RANKS];
    int waits[RANKS]; /* for the message with that number, + 1; 0: none */
    uint64_t hash[RANKS];
    struct message message[MESSAGES];
    int messages;
    struct slot slot[RANKS][SLOTS];
    int order[RANKS][SLOTS], posted[RANKS]; /* receives in the order of their posting */
};

static const struct example *now;
static struct outcomes *brute;
static unsigned long long paths;

static bool fits(const struct message *m, int rank, int peer, int tag)
{
    return !m->gone && m->arrived && m->to == rank && m->tag == tag &&
           (peer == ANY || m->from == peer);
}

static void take(struct state *s, struct message *m)
{
    m->gone = true;
    if (m->buffered)
        return;
    int number = (int)(m - s->message) + 1;
    if (s->waits[m->from] == number)
        s->waits[m->from] = 0;
    if (m->slot >= 0)
        s->slot[m->from][m->slot].complete = true;
}

/* The first posted receive that a message fits takes it. */
static void match_posted(struct state *s, struct message *m)
{
    for (int i = 0; i < s->posted[m->to]; i++) {
        struct slot *slot = &s->slot[m->to][s->order[m->to][i]];
        if (!slot->used || slot->complete || !fits(m, m->to, slot->peer, slot->tag))
            continue;
        slot->complete = true;
        slot->source = m->from;
        slot->value = m->value;
        take(s, m);
        return;
    }
}

static void explore(const struct state *s);

static void slot_done(struct state *s, int rank, int number)
{
    struct slot *slot = &s->slot[rank][number];
    if (slot->receives)
        s->hash[rank] = saw_message(s->hash[rank], slot->source, slot->value);
    slot->used = false;
    int kept = 0;
    for (int i = 0; i < s->posted[rank]; i++)
        if (s->order[rank][i] != number)
            s->order[rank][kept++] = s->order[rank][i];
    s->posted[rank] = kept;
}

static void step_send(const struct state *before, int rank, const struct op *op, bool buffered)
{
    struct state s = *before;
    struct message *m = &s.message[s.messages++];
    *m = (struct message){rank, op->peer, op->tag, value_of(s.hash[rank]),
                          -1,   buffered, false,   false};
    if (op->what == ISEND) {
        m->slot = op->slot;
        s.slot[rank][op->slot] = (struct slot){.used = true, .complete = buffered};
    } else if (!buffered) {
        s.waits[rank] = s.messages;
    }
    s.at[rank]++;
    explore(&s);
}

/* Every step that the rank can make now. */
static bool step(const struct state *before, int rank)
{
    const struct op *op = &now->op[rank][before->at[rank]];
    struct state s = *before;
    bool any = false;
    if (s.waits[rank] || op->what == END)
        return false;
    switch (op->what) {
    case SEND:
    case ISEND:
        step_send(before, rank, op, true);
        step_send(before, rank, op, false);
        return true;
    case SSEND:
        step_send(before, rank, op, false);
        return true;
    case IRECV:
        s.slot[rank][op->slot] = (struct slot){true, true, false, op->peer, op->tag, 0, 0};
        s.order[rank][s.posted[rank]++] = op->slot;
        for (int i = 0; i < s.messages && !s.slot[rank][op->slot].complete; i++)
            if (fits(&s.message[i], rank, op->peer, op->tag)) {
                s.slot[rank][op->slot].complete = true;
                s.slot[rank][op->slot].source = s.message[i].from;
                s.slot[rank][op->slot].value = s.message[i].value;
                take(&s, &s.message[i]);
            }
        s.at[rank]++;
        explore(&s);
        return true;
    case RECV: /* the first that arrived of any one sender */
    case PROBE:
    case IPROBE:
        for (int from = 0; from < now->ranks; from++)
            for (int i = 0; i < s.messages; i++) {
                if (s.message[i].from != from || !fits(&s.message[i], rank, op->peer, op->tag))
                    continue;
                s = *before;
                if (op->what == IPROBE)
                    s.hash[rank] = saw(s.hash[rank], 1);
                s.hash[rank] =
                    saw_message(s.hash[rank], from, op->what == RECV ? s.message[i].value : 0);
                if (op->what == RECV)
                    take(&s, &s.message[i]);
                s.at[rank]++;
                explore(&s);
                any = true;
                break;
            }
        if (op->what == IPROBE && !any) {
            s = *before;
            s.hash[rank] = saw(s.hash[rank], 0);
            s.at[rank]++;
            explore(&s);
            any = true;
        }
        return any;
    case TEST:
        s.hash[rank] = saw(s.hash[rank], s.slot[rank][op->slot].complete);
        if (s.slot[rank][op->slot].complete)
            slot_done(&s, rank, op->slot);
        s.at[rank]++;
        explore(&s);
        return true;
    case WAIT:
        if (!s.slot[rank][op->slot].used || s.slot[rank][op->slot].complete) {
            if (s.slot[rank][op->slot].used)
                slot_done(&s, rank, op->slot);
            s.at[rank]++;
            explore(&s);
            return true;
        }
        return false;
    case WAITANY:
        for (int slot = 0; slot < SLOTS; slot++) {
            s = *before;
            if (!s.slot[rank][slot].used || !s.slot[rank][slot].complete)
                continue;
            s.hash[rank] = saw(s.hash[rank], slot);
            slot_done(&s, rank, slot);
            s.at[rank]++;
            explore(&s);
            any = true;
        }
        return any;
    case END:
        break;
    }
    return any;
}

static void explore(const struct state *s)
{
    bool any = false, ended = true;
    for (int rank = 0; rank < now->ranks; rank++)
        any |= step(s, rank);
    for (int i = 0; i < s->messages; i++) { /* a message arrives behind those before it */
        bool first = !s->message[i].arrived;
        for (int before = 0; before < i; before++)
            first &= s->message[before].arrived || s->message[before].from != s->message[i].from ||
                     s->message[before].to != s->message[i].to;
        if (!first)
            continue;
        struct state next = *s;
        next.message[i].arrived = true;
        match_posted(&next, &next.message[i]);
        explore(&next);
        any = true;
    }
    if (any)
        return;
    uint64_t key = 0;
    for (int rank = 0; rank < now->ranks; rank++) {
        ended &= !s->waits[rank] && now->op[rank][s->at[rank]].what == END;
        key = core_random_mix(key ^ s->hash[rank]);
    }
    outcome_add(brute, key ^ (ended ? 0 : 1));
    paths++;
}

/* --- the same on our own MPI ------------------------------------------------------------------ */

static bool returned[RANKS];

static int run(int rank, void *context)
{
    MPI_Request request[SLOTS] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int got[SLOTS], value = 0, flag, index;
    bool receives[SLOTS] = {0};
    MPI_Status status;
    (void)context;
    for (const struct op *op = now->op[rank]; op->what != END; op++) {
        uint64_t *hash = &fibers_hash[rank];
        int peer = op->peer == ANY ? MPI_ANY_SOURCE : op->peer, sent[SLOTS];
        value = value_of(*hash);
        switch (op->what) {
        case SEND:
            MPI_Send(&value, 1, MPI_INT, peer, op->tag, MPI_COMM_WORLD);
            break;
        case SSEND:
            MPI_Ssend(&value, 1, MPI_INT, peer, op->tag, MPI_COMM_WORLD);
            break;
        case ISEND:
            sent[op->slot] = value;
            MPI_Isend(&sent[op->slot], 1, MPI_INT, peer, op->tag, MPI_COMM_WORLD,
                      &request[op->slot]);
            receives[op->slot] = false;
            break;
        case IRECV:
            MPI_Irecv(&got[op->slot], 1, MPI_INT, peer, op->tag, MPI_COMM_WORLD,
                      &request[op->slot]);
            receives[op->slot] = true;
            break;
        case RECV:
            MPI_Recv(&value, 1, MPI_INT, peer, op->tag, MPI_COMM_WORLD, &status);
            *hash = saw_message(*hash, status.MPI_SOURCE, value);
            break;
        case PROBE:
            MPI_Probe(peer, op->tag, MPI_COMM_WORLD, &status);
            *hash = saw_message(*hash, status.MPI_SOURCE, 0);
            break;
        case IPROBE:
            MPI_Iprobe(peer, op->tag, MPI_COMM_WORLD, &flag, &status);
            *hash = saw(*hash, flag);
            if (flag)
                *hash = saw_message(*hash, status.MPI_SOURCE, 0);
            break;
        case TEST:
            MPI_Test(&request[op->slot], &flag, &status);
            *hash = saw(*hash, flag);
            if (flag && receives[op->slot])
                *hash = saw_message(*hash, status.MPI_SOURCE, got[op->slot]);
            break;
        case WAIT:
            flag = request[op->slot] != MPI_REQUEST_NULL;
            MPI_Wait(&request[op->slot], &status);
            if (flag && receives[op->slot])
                *hash = saw_message(*hash, status.MPI_SOURCE, got[op->slot]);
            break;
        case WAITANY:
            MPI_Waitany(SLOTS, request, &index, &status);
            *hash = saw(*hash, index);
            if (receives[index])
                *hash = saw_message(*hash, status.MPI_SOURCE, got[index]);
            break;
        case END:
            break;
        }
    }
    returned[rank] = true;
    return 0;
}

static enum core_status run_world(void *context, const struct replay_policy *policy,
                                  const struct replay_choice *choice,
                                  const struct world_outcome **out_outcome, uint64_t *out_key,
                                  struct explore_events *out_events)
{
    uint64_t key = 0;
    bool ended = true;
    memset(returned, 0, sizeof returned);
    enum core_status status = fibers_run(context, policy, choice, out_outcome, out_key, out_events);
    for (int rank = 0; rank < now->ranks; rank++) {
        ended &= returned[rank];
        key = core_random_mix(key ^ fibers_hash[rank]);
    }
    *out_key = key ^ (ended ? 0 : 1);
    return status;
}

int main(void)
{
    static struct outcomes outcomes, searched;
    int faults = 0, all = 0;
    for (int i = 0; i < EXAMPLES; i++) {
        static struct fibers fibers;
        struct explore_search search;
        now = &example[i];
        brute = &outcomes;
        outcomes.count = searched.count = 0;
        paths = 0;
        const struct state start = {.messages = 0};
        explore(&start);
        fibers = (struct fibers){.program = run, .rank_count = now->ranks};
        if (explore_search(run_world, &fibers, now->ranks, &(struct explore_options){0}, &search) !=
            CORE_OK)
            return 1;
        for (uint32_t class = 0; class < search.class_count; class ++)
            outcome_add(&searched, search.class[class].key);
        int missing = 0, more = 0;
        for (int k = 0; k < outcomes.count; k++) {
            int at = 0;
            while (at < searched.count && searched.key[at] != outcomes.key[k])
                at++;
            missing += at == searched.count;
        }
        more = searched.count - (outcomes.count - missing);
        printf("%s: %d outcome%s of %llu path%s\n", now->name, outcomes.count,
               outcomes.count == 1 ? "" : "s", paths, paths == 1 ? "" : "s");
        if (missing || more || !search.complete) {
            printf("  the search, %s, misses %d and has %d that cannot be\n",
                   search.complete ? "complete" : "not complete", missing, more);
            faults++;
        }
        all += outcomes.count;
        explore_search_done(&search);
    }
    printf("%d examples, %d outcomes, %d differ\n", EXAMPLES, all, faults);
    return faults != 0;
}
