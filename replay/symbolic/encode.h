/* A program as a circuit: whether each rank can come to each of its operations, by which messages
 * are taken by whom and which sends are buffered. The meaning is that of the logical engine
 * (replay/logical/run.h).
 *
 * Free are whether each standard send has a buffer, and which of its candidates each receive and
 * probe gets that is not certain (matches.h). A wait for any or some goes on when one
 * is complete. Clauses besides the circuit: a message and a receive are in one match at most; no
 * message and no receive that fit each other are left alone; in each group of receives and messages
 * that can meet, as many of the ones as of the others are in a match (count.c: without that,
 * the shortest proof that 127 receives are enough for 127 messages is exponential).
 *
 * Invariants
 *  1. The founded nodes of a model are a state of the program in which nothing can go on, and each
 *     such state is the founded nodes of a model. */
#ifndef REPLAY_SYMBOLIC_ENCODE_H
#define REPLAY_SYMBOLIC_ENCODE_H

#include "replay/search/explore.h"
#include "replay/symbolic/circuit.h"
#include "replay/symbolic/matches.h"

struct encoding_match {
    uint32_t node, send, run;
    uint32_t op; /* of the receive */
    bool looks;
};

struct encoding {
    struct circuit circuit;
    struct encoding_match *match; /* the choices of receives */
    uint32_t match_count, match_room;
    uint32_t *buffered; /* by send: the node that says so */
    uint32_t *end;      /* by rank: it is at its end */
    uint32_t *reached;  /* by operation of all ranks, one behind the other, and one more a rank */
    uint64_t *base;     /* by rank: its first in reached */
};

/* recorded: receives whose source later calls of their rank name take the one that they took. */
enum core_status encode(const struct replay_program *program, const struct matches *matches,
                        const struct replay_explore_options *options, bool recorded,
                        struct encoding *out_encoding);
void encoding_done(struct encoding *encoding);

/* As many of the one as of the other (count.c). */
enum { COUNT_MAX = 1200 };
void count_equal(struct circuit *circuit, const uint32_t *one, uint32_t one_count,
                 const uint32_t *other, uint32_t other_count);

#endif
