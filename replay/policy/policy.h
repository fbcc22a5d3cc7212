/* The policy: under which legal conditions a program runs. One text form, which every report prints
 * and every command accepts:
 *
 *   buffering=rendezvous delay=none order=recorded coll=synchronising seed=1
 *
 * Words in any order, each at most once, separated by blanks; what is missing has the default
 * above. Printed canonically: all words, in this order, so that equal policies are equal bytes.
 * threads= concerns few programs: free is not printed.
 *
 *   buffering=rendezvous    a standard send completes when its receive is posted
 *             eager         at once
 *             eager:BYTES   at once up to that size, larger ones as rendezvous
 *             credits:N     each receiver holds at most N messages that no receive has taken;
 *                           further sends wait
 *             pool:BYTES    each receiver holds at most that many bytes of them
 *             random:P      each send completes at once with P percent probability
 *             list:R.E,...  the sends named wait for their receives, all others complete at once:
 *                           rank.event (list: alone is eager)
 *             only:R.E,...  the sends named complete at once, all others wait
 *   delay=none | uniform:NS | exponential:NS | heavy:NS | slow-rank:R | slow-link:A-B | recorded |
 *   swarm
 *                           NS: mean in nanoseconds. The logical clock has no time: there
 *                           slow-rank:R runs R only when nothing else can
 *                           go on, and the random ones pick by chance who goes on next
 *   order=recorded          wildcard receives and waitany take what they took in the recorded run,
 *                           as long as that is possible
 *         first             the first that the engine can give
 *         random            by chance among all that can match once nothing else can go on
 *         list:R.E=W,...    rank.event takes the message of world rank W (waitany: the request of
 *                           index W); the others as recorded
 *   coll=synchronising      no rank leaves a collective before all have entered
 *        relaxed            only what the standard promises
 *   threads=free            the threads of a rank do not wait for each other, but for each other's
 *                           requests
 *           recorded        a call begins when those have returned that had returned when it began
 *                           in the recorded run
 *   seed=N
 *
 * Sizes take K, M, G (powers of 1024). */
#ifndef REPLAY_POLICY_POLICY_H
#define REPLAY_POLICY_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

enum replay_buffering {
    REPLAY_RENDEZVOUS,
    REPLAY_EAGER,
    REPLAY_EAGER_BYTES,
    REPLAY_CREDITS,
    REPLAY_POOL,
    REPLAY_RANDOM,
    REPLAY_SEND_LIST,
    REPLAY_SEND_ONLY
};
enum replay_delay {
    REPLAY_DELAY_NONE,
    REPLAY_DELAY_UNIFORM,
    REPLAY_DELAY_EXPONENTIAL,
    REPLAY_DELAY_HEAVY,
    REPLAY_DELAY_SLOW_RANK,
    REPLAY_DELAY_SLOW_LINK,
    REPLAY_DELAY_RECORDED,
    REPLAY_DELAY_SWARM
};
enum replay_order {
    REPLAY_ORDER_RECORDED,
    REPLAY_ORDER_FIRST,
    REPLAY_ORDER_RANDOM,
    REPLAY_ORDER_LIST
};
enum replay_coll { REPLAY_SYNCHRONISING, REPLAY_RELAXED };
enum replay_threads { REPLAY_THREADS_FREE, REPLAY_THREADS_RECORDED };

struct replay_send_name { /* of buffering=list and only */
    uint32_t rank;
    uint64_t id; /* replay_op_id */
};
struct replay_forced { /* of order=list */
    uint32_t rank;
    int32_t source;
    uint64_t id;
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
    uint64_t seed;
    struct replay_send_name *send; /* sorted by rank, id; owned */
    uint32_t send_count;
    struct replay_forced *forced; /* sorted by rank, id; owned */
    uint32_t forced_count;
};

/* The default policy. */
void replay_policy_init(struct replay_policy *policy);
void replay_policy_done(struct replay_policy *policy);
enum core_status replay_policy_copy(const struct replay_policy *policy,
                                    struct replay_policy *out_policy);

/* Refuses bad text, naming the word and what would be right. Text may be NULL or empty: the
 * default. */
enum core_status replay_policy_parse(const char *text, struct replay_policy *out_policy);
/* Canonical text, to be freed; NULL when out of memory. */
char *replay_policy_text(const struct replay_policy *policy);

/* Adds to the lists, keeping them sorted (a name that is there already is replaced). Set buffering
 * and order yourself. */
enum core_status replay_policy_add_send(struct replay_policy *policy, uint32_t rank, uint64_t id);
enum core_status replay_policy_add_forced(struct replay_policy *policy, uint32_t rank, uint64_t id,
                                          int32_t source);

#endif
