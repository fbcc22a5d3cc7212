/* Messages that each receive and probe of a program can take, in any order and any buffering: more
 * than it can is allowed here, less is not.
 *
 * Receives that stand one behind the other, take the same, and between which their rank does
 * nothing that others see, are a run. A run is `certain` if no more messages can come to it than it
 * has receives, and nobody else can take these: then each of them is taken as soon as it was sent
 * and the run was begun, in whatever order they come. What is left for the others then is known,
 * too, and who is certainly behind whom: `matches_find` goes through the program until nothing more
 * follows.
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
    uint32_t run;   /* that is certain to take it, or MATCHES_NONE */
    bool contended; /* candidate of a run that is not certain */
    uint32_t next;  /* of the same sender and receiver, not taken by a certain run */
};

struct matches_run {         /* of receives, or a single probe */
    uint32_t rank, op, last; /* its first and last receive */
    uint32_t count;          /* receives */
    int32_t peer, tag;
    uint32_t comm;
    bool blocking;    /* a blocked receive holds its rank */
    bool looks;       /* a probe that takes nothing */
    bool certain;     /* see above; of a probe: takes part in no choice */
    uint32_t passed;  /* the operation behind which all of it is complete, or MATCHES_NONE */
    uint32_t deliver; /* of a matched probe: where its message is received, or MATCHES_NONE */
    bool probed;      /* it is a matched probe, or one that a receive refers to */
    uint32_t candidate, candidates; /* into matches->candidate, by sender, in order */
};

struct matches {
    struct matches_send *send; /* by rank, op */
    uint32_t send_count, send_room;
    struct matches_run *run; /* by rank, op */
    uint32_t run_count, run_room;
    uint32_t *candidate; /* indices of sends */
    uint32_t candidate_count, candidate_room;
    uint32_t receives, wildcards, open; /* receives; of any source; of runs that are not certain */
    uint32_t passes;
    char excluded[160]; /* the first thing that nothing here holds; empty: none */
};

/* At most so many candidates are listed, then `excluded` says so. */
enum { MATCHES_CANDIDATES_MAX = 1 << 23 };

enum core_status matches_find(const struct replay_program *program, enum replay_coll coll,
                              struct matches *out_matches);
void matches_done(struct matches *matches);

bool matches_is_send(const struct replay_op *op);
/* Whether the operation neither waits nor is seen by others. */
bool matches_is_quiet(const struct replay_rank *rank, const struct replay_op *op);

/* Whether the operation, between the first and the last of a run, is one of its receives. */
static inline bool matches_run_has(const struct matches_run *run, const struct replay_rank *rank,
                                   uint32_t op)
{
    return op == run->op || (rank->op[op].kind == rank->op[run->op].kind &&
                             rank->op[op].peer == rank->op[run->op].peer);
}

/* The collectives of a program by communicator and number, and who entered each. */
struct matches_entry {
    uint32_t comm, number, rank, op;
};
struct matches_colls {
    struct matches_entry *entry; /* sorted by comm, number, rank */
    uint32_t count, room;
};
enum core_status matches_colls_list(const struct replay_program *program,
                                    struct matches_colls *out_colls);
/* Sets the range of a collective's entries. */
void matches_colls_find(const struct matches_colls *colls, uint32_t comm, uint32_t number,
                        uint32_t *out_first, uint32_t *out_end);

/* How far each rank has certainly come when a message is sent (order.c). */
struct order {
    uint32_t *clock; /* by send and rank: so many operations are passed; NULL: nothing is known */
    uint32_t ranks;
};
enum core_status order_find(const struct replay_program *program, const struct matches *matches,
                            const struct matches_colls *colls, enum replay_coll coll,
                            const uint32_t *run_at, struct order *out_order);

#endif
