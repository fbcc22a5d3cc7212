/* Defines policies: the legal conditions under which a program runs. Every report prints and every
 * command accepts one text form; grammar.c holds its table.
 *
 *   buffering=rendezvous delay=none order=recorded coll=synchronising seed=1
 *
 * Words come in any order, each at most once, separated by blanks; a missing word has the default
 * above, in process buffering=eager order=explore. The canonical form prints the words that differ
 * from these defaults in this order, so equal policies are equal bytes: the buffering of a trace's
 * schedule and the order of a world's (order=explore) always, the seed if chance decides something.
 *
 *   buffering=rendezvous      a standard send completes when its receive is posted
 *             eager           at once
 *             eager:BYTES     at once up to that size, larger ones as rendezvous
 *             random:P        each send completes at once with P percent probability
 *             credits:N       each receiver holds at most N messages that no receive has taken;
 *                             further sends wait
 *             pool:BYTES      each receiver holds at most that many bytes of them
 *             list:NAME,...   the sends named wait for their receives, all others complete at once
 *                             (list: alone is eager)
 *             only:NAME,...   the sends named complete at once, all others wait
 *   delay=none | uniform:NS | heavy:NS | slow-link:A-B | speeds:NS | swarm | exponential:NS |
 *         slow-rank:R | recorded
 *                             NS: mean in nanoseconds; delays.c says what each does where time
 *                             passes. The logical clock has no time: there slow-rank:R runs R only
 *                             when nothing else can go on, and the random ones pick by chance who
 *                             goes on next
 *   order=recorded            wildcard receives and waitany take what they took in the recorded
 *                             run, as long as that is possible
 *         first               the first that can be given
 *         random              by chance among all that can match once nothing else can go on
 *         list:NAME=W,...     that receive takes the message of world rank W (waitany: the request
 *                             of index W); the others as recorded
 *         explore            ranks go on until nobody can; then one thing is decided at a time:
 *                             what a wildcard receive, a probe, a waitany or a test gets
 *         explore:NAME=A,... the same, and the decisions named have these answers. Here R.E is the
 *                             E-th decision of rank R; answers: world/exchange/explore.h
 *   coll=synchronising        no rank leaves a collective before all have entered, but for those
 *                             that the standard expects to be local (MPI_Comm_free)
 *        strict               nor one of those
 *        relaxed              only what the standard promises
 *   threads=free              the threads of a rank do not wait for each other, but for each
 *                             other's requests
 *           recorded          a call begins when those have returned that had returned when it
 *                             began in the recorded run
 *   loads=free                what a rank itself loads and stores in the memory of its windows
 *                             comes when it comes
 *         turns               order=explore in process: such a load or store is a turn at the
 *                             window, and has a number as the operations of calls do
 *   seed=N
 *
 * A NAME is R.E, world rank and event as in the trace, or R.#N: the N-th call of the application on
 * rank R that sends, or that receives or probes (starts of persistent sends and vain probes do not
 * count). R.#N stays right when the number of polls or of messages inside collectives differs
 * between two runs; events may not. In process, R.E of a send is the E-th request of its rank, from
 * 0, including those inside collectives.
 *
 * Sizes and numbers take K, M, G (powers of 1024).
 *
 * A policy applies in three places: the engine on a trace (offline), the recorded job again (live,
 * CROSSWAIT_POLICY), and our own MPI (in process). Each row of the table says which of them support
 * it; the others refuse it by name. coll= and threads= apply to the engine only; the other places
 * accept any value, and their library decides.
 *
 * Relies on core/ alone: interpose/ and world/ link this folder too, hidden.
 *
 * Invariants
 *  1. Names are sorted by rank, events before numbers, then by id; none comes twice. */
#ifndef REPLAY_POLICY_POLICY_H
#define REPLAY_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/decision/decision.h"
#include "core/status.h"
#include "replay/policy/choice.h"

/* The first six of each are also the bytes of a scenario (fuzz/scenario): append only. */
enum replay_buffering {
    REPLAY_RENDEZVOUS,
    REPLAY_EAGER,
    REPLAY_EAGER_BYTES,
    REPLAY_RANDOM,
    REPLAY_CREDITS,
    REPLAY_POOL,
    REPLAY_SEND_LIST,
    REPLAY_SEND_ONLY
};
enum replay_delay {
    REPLAY_DELAY_NONE,
    REPLAY_DELAY_UNIFORM,
    REPLAY_DELAY_HEAVY,
    REPLAY_DELAY_SLOW_LINK,
    REPLAY_DELAY_SPEEDS,
    REPLAY_DELAY_SWARM,
    REPLAY_DELAY_EXPONENTIAL,
    REPLAY_DELAY_SLOW_RANK,
    REPLAY_DELAY_RECORDED
};
enum replay_order {
    REPLAY_ORDER_RECORDED,
    REPLAY_ORDER_FIRST,
    REPLAY_ORDER_RANDOM,
    REPLAY_ORDER_LIST,
    REPLAY_ORDER_EXPLORE
};
enum replay_coll { REPLAY_SYNCHRONISING, REPLAY_RELAXED, REPLAY_STRICT };
enum replay_threads { REPLAY_THREADS_FREE, REPLAY_THREADS_RECORDED };
enum replay_loads { REPLAY_LOADS_FREE, REPLAY_LOADS_TURNS };

enum replay_place { REPLAY_OFFLINE, REPLAY_LIVE, REPLAY_IN_PROCESS, REPLAY_PLACES };

struct replay_name {
    uint32_t rank;
    bool by_number; /* id counts calls (R.#N) */
    int32_t source; /* for order=list and explore */
    uint64_t id;    /* replay_op_id, or a number (order=explore: core/decision/decision.h) */
};
struct replay_names {
    struct replay_name *name; /* owned */
    uint32_t count, room;
};

enum { REPLAY_POLICY_LIST_MAX = 1 << 24 };

struct replay_policy {
    enum replay_buffering buffering;
    uint64_t bytes; /* EAGER_BYTES, POOL: bytes; CREDITS: messages; RANDOM: percent */
    enum replay_delay delay;
    uint64_t delay_ns; /* mean; or SLOW_RANK: the rank */
    uint32_t link_from, link_to;
    enum replay_order order;
    enum replay_coll coll;
    enum replay_threads threads;
    enum replay_loads loads;
    uint64_t seed;
    struct replay_names send;   /* for buffering=list and only */
    struct replay_names forced; /* for order=list and explore */
};

/* Sets the default policy. */
void replay_policy_init(struct replay_policy *policy);
void replay_policy_done(struct replay_policy *policy);
enum core_status replay_policy_copy(const struct replay_policy *policy,
                                    struct replay_policy *out_policy);

/* --- text ------------------------------------------------------------------------------------- */

/* Parses a policy for use at the place; missing words get their defaults there. Refuses bad text
 * and names the word and what would be right. NULL or empty text: the default. */
enum core_status replay_policy_parse(const char *text, enum replay_place place,
                                     struct replay_policy *out_policy);
/* Applies the words of the text to the policy. The caller must free the policy even on an error. */
enum core_status replay_policy_read(struct replay_policy *policy, const char *text);
/* Sets one word. */
enum core_status replay_policy_set(struct replay_policy *policy, const char *key,
                                   const char *value);
/* Checks that the place supports the whole policy; an error names the unsupported word. */
enum core_status replay_policy_check(const struct replay_policy *policy, enum replay_place place);
/* Writes for completion in shells: a line for each "KEY=VALUE" that offline or live runs support,
 * or each VALUE if key is a key; those that take an argument end in ":". */
void replay_policy_words(const char *key, FILE *file);
/* Returns the canonical text; the caller frees it. NULL: out of memory. */
char *replay_policy_text(const struct replay_policy *policy);
/* Returns the value of one word; the caller frees it. NULL: out of memory. */
char *replay_policy_value(const struct replay_policy *policy, const char *key);
/* Write and read a name: R.E, R.#N, R.E=A with its source or answer. Reading moves *text past it,
 * and returns false for other text. */
void replay_name_write(const struct replay_name *name, bool source, FILE *file);
bool replay_name_read(const char **text, bool source, struct replay_name *out_name);

/* --- names ------------------------------------------------------------------------------------ */

/* Add a name, or replace an equal one. The caller sets buffering and order. */
enum core_status replay_policy_add(struct replay_names *names, const struct replay_name *name);
enum core_status replay_policy_add_send(struct replay_policy *policy, uint32_t rank, uint64_t id);
enum core_status replay_policy_add_forced(struct replay_policy *policy, uint32_t rank, uint64_t id,
                                          int32_t source);
/* Returns NULL if the operation is not named. */
const struct replay_name *replay_policy_find(const struct replay_names *names, uint32_t rank,
                                             bool by_number, uint64_t id);

/* --- what it decides -------------------------------------------------------------------------- */

/* Describes a standard send; the caller fills in what its policies need. */
struct replay_send {
    uint64_t bytes;
    uint64_t held_count, held_bytes; /* what its receiver holds, for CREDITS and POOL */
    uint32_t rank;                   /* of the sender, for LIST and ONLY */
    uint64_t event, number;          /* 0: unknown */
};

bool replay_policy_names_send(const struct replay_policy *policy, const struct replay_send *send);
/* Draws with `percent` probability, as a fraction in lowest terms to consume as little chance as
 * possible. */
bool replay_policy_draw(uint64_t percent, struct replay_choice *choice);

/* Tells whether a standard send completes although no receive has taken its message. */
static inline bool replay_policy_buffers(const struct replay_policy *policy,
                                         const struct replay_send *send,
                                         struct replay_choice *choice)
{
    switch (policy->buffering) {
    case REPLAY_RENDEZVOUS:
        return false;
    case REPLAY_EAGER:
        return true;
    case REPLAY_EAGER_BYTES:
        return send->bytes <= policy->bytes;
    case REPLAY_RANDOM:
        return replay_policy_draw(policy->bytes, choice);
    case REPLAY_CREDITS:
        return send->held_count < policy->bytes;
    case REPLAY_POOL:
        return send->bytes <= policy->bytes && send->held_bytes <= policy->bytes - send->bytes;
    case REPLAY_SEND_LIST:
        return !replay_policy_names_send(policy, send);
    case REPLAY_SEND_ONLY:
        return replay_policy_names_send(policy, send);
    }
    return false;
}

/* Returns how long the number-th message from source to dest is under way; with dest -1: how long
 * source takes before its number-th call. In units of unit_ns nanoseconds; at most
 * REPLAY_DELAY_NS_MAX units. Depends on its arguments only. */
enum { REPLAY_DELAY_NS_MAX = 1000000000 };
uint64_t replay_policy_delay(const struct replay_policy *policy, uint64_t unit_ns, int source,
                             int dest, uint64_t number);

#endif
