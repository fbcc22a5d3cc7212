/* The matcher of the in-process MPI and that of the engine (core/matching/queue.h) are two; here
 * they get the same sends and receives and must make the same pairs
 * (world/exchange/match.c invariant 1). Ranks send, receive, probe and
 * cancel at random; every event is repeated on the engine's matcher as it comes.
 *
 * Messages are told apart by their sizes, each of which occurs once. Where the choice source picks
 * the message of a wildcard, the pick must be what the engine's matcher would give a receive from
 * just that source. Invariant 3 of world/state.h. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "world/world.h"
#include "core/matching/queue.h"

enum { RANKS_MAX = 6, STEPS = 60, WORLDS = 6000, BYTES_MAX = RANKS_MAX * STEPS + 1 };

static struct matching mirror;
static struct core_random plan[RANKS_MAX];
static int ranks, chosen, faults;
static long pairs, wildcards, probes, cancels, kept;
static struct { /* what the last event must be followed by */
    int open, rank;
    uint64_t request, bytes;
} due;
static struct { /* a receive that was posted and got nothing yet, or waits for the pick */
    struct matching_key key;
    uint64_t who;
    int open;
} picking;

static uint64_t receive_of(int rank, int request)
{
    return (uint64_t)rank << 32 | (uint32_t)request;
}

static void fault(const char *what)
{
    if (faults++ < 10)
        printf("seed %d: %s\n", chosen, what);
}

static void settle_pick(void)
{
    int32_t from;
    uint64_t send;
    if (!picking.open)
        return;
    picking.open = 0;
    if (matching_receive(&mirror, &picking.key, picking.who, &from, &send, &(uint32_t){0}))
        fault("nothing was taken where something fits");
}

static void expect(uint64_t receive, uint64_t bytes)
{
    due.open = 1;
    due.rank = (int)(receive >> 32);
    due.request = receive & 0xffffffffu;
    due.bytes = bytes;
}

static void on_match(const struct world_event *e)
{
    pairs++;
    if (picking.open) { /* which of the candidates? */
        picking.open = 0;
        struct matching_key key = picking.key, found;
        uint64_t who = 0;
        key.from = e->peer;
        uint32_t entry = matching_probe(&mirror, &key);
        if (entry != MATCHING_NONE)
            matching_get(&mirror, entry, &found, &who);
        if (entry == MATCHING_NONE || who != e->bytes ||
            picking.who != receive_of(e->rank, e->request))
            fault("not the first message of its source that fits");
        else
            matching_remove(&mirror, entry);
        return;
    }
    if (!due.open || due.rank != e->rank || due.request != (uint32_t)e->request ||
        due.bytes != e->bytes)
        fault("another pair");
    due.open = 0;
}

static void on_event(void *context, const struct world_event *e)
{
    (void)context;
    struct matching_key key = {.comm = e->context, .tag = e->tag};
    int32_t from;
    uint64_t who;
    uint32_t entry;
    if (e->kind == WORLD_EVENT_MATCH) {
        on_match(e);
        return;
    }
    if (e->kind != WORLD_EVENT_SEND && e->kind != WORLD_EVENT_RECV)
        return;
    settle_pick();
    if (due.open)
        fault("a pair was not made");
    due.open = 0;
    if (e->kind == WORLD_EVENT_SEND) {
        key.to = (uint32_t)e->peer;
        key.from = e->rank;
        if (matching_send(&mirror, &key, e->bytes, &who, &entry))
            expect(who, e->bytes);
        return;
    }
    key.to = (uint32_t)e->rank;
    key.from = e->peer;
    wildcards += e->peer < 0;
    if (chosen && e->peer < 0) {
        picking.key = key;
        picking.who = receive_of(e->rank, e->request);
        picking.open = 1;
    } else if (matching_receive(&mirror, &key, receive_of(e->rank, e->request), &from, &who,
                                &entry)) {
        expect(receive_of(e->rank, e->request), who);
    }
}

/* --- a rank ----------------------------------------------------------------------------------- */

struct posted {
    MPI_Request request;
    struct matching_key key;
    int number;
};

static void probe(MPI_Comm comm, uint32_t context, int rank, int from, int tag)
{
    MPI_Status status;
    int flag, bytes = 0;
    struct matching_key key = {.to = (uint32_t)rank, .comm = context, .from = from, .tag = tag},
                        found;
    uint64_t who = 0;
    probes++;
    settle_pick();
    /* The poll lets others go on when it finds nothing: what the engine's matcher says must be
     * asked before. */
    uint32_t entry = matching_probe(&mirror, &key);
    if (entry != MATCHING_NONE)
        matching_get(&mirror, entry, &found, &who);
    MPI_Iprobe(from, tag, comm, &flag, &status);
    if (flag)
        MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (flag != (entry != MATCHING_NONE) || (flag && (uint64_t)bytes != who))
        fault("another probe");
}

static void cancel(struct posted *p)
{
    int done;
    MPI_Status status;
    settle_pick();
    uint32_t entry = matching_find(&mirror, &p->key, true, receive_of((int)p->key.to, p->number));
    MPI_Cancel(&p->request);
    MPI_Wait(&p->request, &status);
    MPI_Test_cancelled(&status, &done);
    if (done != (entry != MATCHING_NONE))
        fault("cancelled one that was matched, or not one that was not");
    if (entry != MATCHING_NONE)
        matching_remove(&mirror, entry);
    cancels++;
}

static int run(int rank, void *context)
{
    static char buffer[BYTES_MAX]; /* of all: nobody looks into it */
    MPI_Comm comm[2] = {MPI_COMM_WORLD};
    struct posted posted[STEPS];
    MPI_Request send;
    int count = 0, numbers = 0, own;
    struct core_random *random = &plan[rank];
    (void)context;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    for (int step = 0; step < STEPS; step++) {
        int c = (int)core_random_below(random, 2), tag = (int)core_random_below(random, 3),
            kind = (int)core_random_below(random, 20);
        int other = (int)core_random_below(random, (uint64_t)ranks),
            any = (int)core_random_below(random, 4);
        int from = any & 1 ? MPI_ANY_SOURCE : other, which = any & 2 ? MPI_ANY_TAG : tag;
        /* Contexts as the world gives them out: MPI_COMM_WORLD has 0, the first made one 4. */
        uint32_t number = c ? 4 : 0;
        if (kind < 9) {
            MPI_Isend(buffer, 1 + rank * STEPS + step, MPI_BYTE, other, tag, comm[c], &send);
            MPI_Request_free(&send);
            numbers++;
        } else if (kind < 17) {
            posted[count] =
                (struct posted){.key = {(uint32_t)rank, number, from, which}, .number = numbers++};
            MPI_Irecv(buffer, BYTES_MAX, MPI_BYTE, from, which, comm[c], &posted[count].request);
            count++;
        } else if (kind < 19 &&
                   !chosen) { /* with chosen orders others may run in the middle of these */
            probe(comm[c], number, rank, from, which);
        } else if (count && !chosen &&
                   posted[own = (int)core_random_below(random, (uint64_t)count)].request !=
                       MPI_REQUEST_NULL) {
            cancel(&posted[own]);
        }
    }
    for (int i = 0; i < count; i++)
        if (posted[i].request != MPI_REQUEST_NULL && !chosen)
            cancel(&posted[i]);
    MPI_Comm_free(&comm[1]);
    return 0;
}

static void world(int seed)
{
    static struct world_outcome outcome;
    struct core_random random;
    core_random_init(&random, (uint64_t)seed);
    ranks = 1 + (int)core_random_below(&random, RANKS_MAX);
    chosen = seed % 2 ? seed : 0;
    struct world_options options = {.rank_count = ranks,
                                    .run = run,
                                    .initialized = true,
                                    .event = on_event,
                                    .policy.buffering =
                                        seed % 3 ? REPLAY_EAGER : REPLAY_RENDEZVOUS};
    if (chosen) {
        options.policy.order = REPLAY_ORDER_RANDOM;
        replay_choice_seed(&options.choice, (uint64_t)seed);
    }
    for (int i = 0; i < ranks; i++)
        core_random_init(&plan[i], (uint64_t)seed * 64 + (uint64_t)i);
    due.open = picking.open = 0;
    if (matching_init(&mirror, (uint32_t)ranks, true, false) != CORE_OK ||
        world_run(&options, &outcome) != CORE_OK)
        exit(2);
    settle_pick();
    int left = outcome.finding_dropped;
    for (int i = 0; i < outcome.finding_count; i++)
        left += outcome.finding[i].rule == WORLD_RULE_LEFTOVER_MESSAGE;
    if (!chosen && !outcome.finding_dropped && left != (int)matching_count(&mirror))
        fault("another number of messages is left");
    kept += !chosen * matching_count(&mirror);
    matching_done(&mirror);
}

int main(void)
{
    for (int seed = 0; seed < WORLDS; seed++)
        world(seed);
    world_done();
    printf("%ld pairs, %ld receives from any source, %ld probes, %ld receives to be cancelled, %ld "
           "messages left: %d differ\n",
           pairs, wildcards, probes, cancels, kept, faults);
    printf("%d cases\n", WORLDS);
    return faults > 0;
}
