/* Runs a program on the timed clock, under alpha, beta and tau on a network, and says when each
 * rank ends, and why then.
 *
 * Rules (the machine of the model): - A message of n bytes costs alpha, then flows for beta * n /
 * word. A message to oneself costs nothing. - Rendezvous: it starts once its send and its receive
 * are posted and its ports are free. Sends of at most `eager_bytes`
 *   start once posted, whether or not a receive waits. A send completes when its message has ended,
 *   a buffered one and a one-sided token at once.
 * - Port `single`: at most one send and one receive of a rank at any moment. A rank's messages
 *   start in the order in which they became ready, then in the order of its sends; one whose
 *   receiver is busy lets later ones pass (only the REPLAY_TIMED_LOOKAHEAD oldest are looked at, so
 *   that no message costs more than another). `multi`: no such limit. `bsp`: supersteps, see below.
 * - k messages that flow over one directed link at the same time each flow at 1/k of their speed,
 *   for as long as they share it. Over several links the slowest counts. On the full network with a
 *   single port no link can be shared.
 * - Half duplex: a link carries messages in one direction at a time; a message waits while another
 *   flows against it.
 * - `bsp`: ranks run until they wait; then all matched messages move at once, for max(alpha, beta *
 *   h), where h is the most words that a rank sends or receives; local work of a superstep costs
 *   its maximum. Links do not count.
 * - Network `pipeline`: a message over h links costs alpha + beta * (h - 1) before it flows.
 * - Matching is MPI's: per communicator, non-overtaking, wildcards in post order; messages match
 *   when posted.
 * - Collectives entered as one operation hold their ranks by their shape and cost alpha * clg P +
 *   beta * n words, which no algorithm for broadcast or reduction can beat; another cost can be
 *   given.
 * - Passive-target locks are granted in the order asked for and cost nothing but the wait.
 * - A test, or a probe that did not block, that succeeded in the recorded run waits; one that
 *   failed costs nothing. A wait-any waits for its recorded choice, else for the first to complete.
 *
 * Time is counted in ticks of 1/scale picosecond, scale chosen per run as large as the program's
 * serial time allows, so that shares of a link stay exact; without shared links scale only has to
 * make beta whole per byte. Equal program and options give equal results on any machine. */
#ifndef REPLAY_TIMED_TIMED_H
#define REPLAY_TIMED_TIMED_H

#include <stdint.h>

#include "core/status.h"
#include "replay/program/program.h"
#include "replay/timed/network.h"

enum replay_port { REPLAY_PORT_SINGLE, REPLAY_PORT_MULTI, REPLAY_PORT_BSP };
enum replay_routing { REPLAY_ROUTING_FIXED, REPLAY_ROUTING_BEST };
enum { REPLAY_TIMED_LOOKAHEAD = 32 };

/* Returns how many picoseconds a collective entered as one operation takes once its condition
 * holds. */
typedef uint64_t (*replay_timed_coll_fn)(void *context, enum replay_coll_shape shape,
                                         uint32_t ranks, uint64_t bytes);

struct replay_timed_route { /* forces the path of every message from one rank to another, by nodes,
                               ends included */
    uint32_t from, to;
    const uint32_t *node;
    uint32_t count;
};

/* Receives each completed message between different ranks; its kind is REPLAY_STEP_MESSAGE. */
struct replay_timed_step;
typedef void (*replay_timed_message_fn)(void *context, const struct replay_timed_step *message);

struct replay_timed_options {
    uint64_t alpha_ps;   /* per message */
    uint64_t beta_ps;    /* per word */
    uint64_t tau_ps;     /* per local operation */
    uint32_t word_bytes; /* > 0 */
    enum replay_port port;
    enum replay_routing routing;
    int half_duplex;
    int64_t eager_bytes; /* -1: every standard send is a rendezvous */
    int ignore_compute;  /* count recorded compute times as 0 */
    int pin_recorded;    /* wildcards match as in the recorded run, where known */
    int want_path;       /* record the critical path: about 48 bytes a message */
    const struct replay_topology *topology; /* NULL: full */
    const struct replay_timed_route *route;
    uint32_t route_count;
    replay_timed_coll_fn coll_cost; /* NULL: the default above */
    void *coll_context;
    replay_timed_message_fn message; /* NULL: no callback */
    void *message_context;
};

struct replay_timed_rank { /* picoseconds, rounded to the nearest */
    uint64_t finish_ps;
    uint64_t compute_ps;       /* local work */
    uint64_t transfer_ps;      /* waiting for a message that moves unhindered */
    uint64_t late_sender_ps;   /* idle: the awaited message was not yet sent */
    uint64_t late_receiver_ps; /* idle: the receive of the message was not yet posted */
    uint64_t port_ps;          /* idle: the message waited for a port */
    uint64_t link_ps;       /* idle: sharing a link slowed the message, or it waited for a link */
    uint64_t collective_ps; /* inside collectives entered as one operation */
    uint32_t op;            /* op_count if the rank ended, else the operation that blocks it */
};

enum { REPLAY_TIMED_COLUMNS = 8 }; /* number of times in struct replay_timed_rank, in its order */

struct replay_timed_link {
    uint64_t
        link; /* replay_topology_link's id; with half duplex the id without its direction bit */
    uint64_t messages;
    uint64_t bytes;
    uint64_t busy_ps;
    uint32_t shared_max; /* most messages at one moment */
};

enum replay_step_kind {
    REPLAY_STEP_MESSAGE,
    REPLAY_STEP_COMPUTE,
    REPLAY_STEP_COMBINE,
    REPLAY_STEP_COLLECTIVE
};

struct replay_timed_step {
    uint64_t start_ps, end_ps;
    uint64_t amount; /* bytes, picoseconds, operations, bytes */
    int32_t rank;    /* sender, or rank that works */
    int32_t peer;    /* receiver; -1: none */
    uint32_t op;     /* index of the operation on rank */
    enum replay_step_kind kind;
};

struct replay_timed_result {
    uint64_t makespan_ps; /* rounded to the nearest; the exact value is ticks / scale */
    uint64_t ticks, scale;
    uint64_t messages; /* between different ranks */
    uint64_t volume_bytes;
    uint64_t superstep_count; /* bsp */
    uint32_t rank_count;
    uint32_t blocked_count;                 /* ranks blocked for ever; 0: the program ended */
    uint64_t *column[REPLAY_TIMED_COLUMNS]; /* by rank; read with replay_timed_rank_at. NULL: all
                                               zero, which is common */
    uint32_t *op;
    struct replay_timed_link
        *link; /* in order of id; none for the full network with a single port */
    uint64_t link_count;
    struct replay_timed_step *step; /* the critical path, first to last, if requested */
    uint64_t step_count;
    uint64_t path_alphas, path_bytes, path_operations, path_compute_ps; /* totals of this path */
    uint64_t peak_bytes; /* most memory that the run used, without the program */
};

/* Returns alpha 1e-6 s, beta 1e-9 s, tau 1e-12 s, words of 8 bytes, full network, single port,
 * rendezvous. */
struct replay_timed_options replay_timed_defaults(void);

/* Runs a program that passed replay_program_check. A program that cannot end is no error: see
 * blocked_count. */
enum core_status replay_timed_run(const struct replay_program *program,
                                  const struct replay_timed_options *options,
                                  struct replay_timed_result *out);
void replay_timed_done(struct replay_timed_result *result);
struct replay_timed_rank replay_timed_rank_at(const struct replay_timed_result *result,
                                              uint32_t rank);

struct replay_measure {   /* quantities that the model compares */
    uint64_t rounds;      /* finish time with alpha 1, beta 0, tau 0 */
    uint64_t words_bytes; /* finish time with alpha 0, beta 1, tau 0, in bytes: exact for any word
                             size; rounded up */
    uint64_t operations;  /* finish time with alpha 0, beta 0, tau 1 */
    uint64_t messages, volume_bytes;
    uint32_t blocked_count;
};

/* Runs the program three times. Of *options it uses only topology, port, duplex, routing, eager and
 * collective cost; it does not call the message callback. NULL: defaults. */
enum core_status replay_timed_measure(const struct replay_program *program,
                                      const struct replay_timed_options *options,
                                      struct replay_measure *out);

#endif
