/* Computes which messages each receive and probe of a program can take, in any order and any
 * buffering. The result may contain too many messages, never too few.
 *
 * Consecutive receives of a rank that accept the same messages, with nothing between them that
 * others see, form a run. A run is `certain` if at most as many messages can reach it as it has
 * receives, and no other receive can take these: then it takes each message once the message was
 * sent and the run has begun, in whatever order they arrive. This determines what is left for other
 * receives, and which operation certainly comes after which: `matches_find` repeats until nothing
 * more follows.
 *
 * Invariants
 *  1. A legal execution in which receive r takes message s: s is among the candidates of r's run.
 *  2. The candidates of a certain run are no candidates of any other. */
#ifndef REPLAY_SYMBOLIC_MATCHES_H
#define REPLAY_SYMBOLIC_MATCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "replay/policy/policy.h"
#include "replay/program/program.h"

#define MATCHES_NONE UINT32_MAX

struct matches_send {
    uint32_t rank, op, to;
    int32_t tag;
    uint32_t comm;
    uint32_t run;   /* the run that certainly takes it, or MATCHES_NONE */
    bool contended; /* candidate of an uncertain run */
    uint32_t next;  /* next message of this sender to this receiver that no certain run takes */
};

struct matches_run {         /* a run of receives, or a single probe */
    uint32_t rank, op, last; /* op, last: first and last receive */
    uint32_t count;          /* number of receives */
    int32_t peer, tag;
    uint32_t comm;
    bool blocking;    /* its receives block */
    bool looks;       /* a probe that does not take the message */
    bool certain;     /* see above; for a probe: it affects no choice */
    uint32_t passed;  /* operation after which the whole run is complete, or MATCHES_NONE */
    uint32_t deliver; /* matched probe: the operation that receives its message, or MATCHES_NONE */
    bool probed;      /* a matched probe, or a probe to which a receive refers */
    uint32_t candidate, candidates; /* range in matches->candidate, by sender, in order */
};

struct matches {
    struct matches_send *send; /* by rank, op */
    uint32_t send_count, send_room;
    struct matches_run *run; /* by rank, op */
    uint32_t run_count, run_room;
    uint32_t *candidate; /* indexes of sends */
    uint32_t candidate_count, candidate_room;
    uint32_t receives, wildcards, open; /* receives; those of any source; those in uncertain runs */
    uint32_t passes;
    char excluded[160]; /* first thing that the encoding cannot handle; empty: none */
};

/* Limit of the candidates; beyond it `excluded` says so. */
enum { MATCHES_CANDIDATES_MAX = 1 << 23 };

enum core_status matches_find(const struct replay_program *program, enum replay_coll coll,
                              struct matches *out_matches);
void matches_done(struct matches *matches);

bool matches_is_send(const struct replay_op *op);
/* Tells whether the operation neither waits nor is visible to other ranks. */
bool matches_is_quiet(const struct replay_rank *rank, const struct replay_op *op);

/* Tells whether an operation between the first and the last of a run is a receive of the run. */
static inline bool matches_run_has(const struct matches_run *run, const struct replay_rank *rank,
                                   uint32_t op)
{
    return op == run->op || (rank->op[op].kind == rank->op[run->op].kind &&
                             rank->op[op].peer == rank->op[run->op].peer);
}

/* Lists the collectives of a program by communicator and number, with the ranks that enter each. */
struct matches_entry {
    uint32_t comm, number, rank, op;
};
struct matches_colls {
    struct matches_entry *entry; /* sorted by comm, number, rank */
    uint32_t count, room;
};
enum core_status matches_colls_list(const struct replay_program *program,
                                    struct matches_colls *out_colls);
/* Finds the range of a collective's entries. */
void matches_colls_find(const struct matches_colls *colls, uint32_t comm, uint32_t number,
                        uint32_t *out_first, uint32_t *out_end);

/* How far each rank has certainly come when a message is sent (order.c). */
struct order {
    uint32_t *clock; /* by send and rank: number of operations passed; NULL: unknown */
    uint32_t ranks;
};
enum core_status order_find(const struct replay_program *program, const struct matches *matches,
                            const struct matches_colls *colls, enum replay_coll coll,
                            const uint32_t *run_at, struct order *out_order);

#endif
