/* Encodes a program as a circuit: whether each rank can reach each of its operations, depending on
 * which receive takes which message and which sends are buffered. It has the semantics of the
 * logical engine (replay/logical/run.h).
 *
 * The choices are whether each standard send has a buffer, and which candidate each uncertain
 * receive and probe gets (matches.h). A wait for any or some passes when one request is complete.
 * Further clauses: a message and a receive are in at most one match; a message and a receive that
 * fit do not both stay unmatched; in each group of receives and messages that can match, equally
 * many of both do (count.c: without this, the shortest proof that 127 receives suffice for 127
 * messages is exponential).
 *
 * Invariants
 *  1. The founded nodes of a model form a state of the program in which nothing can proceed, and
 *     each such state is formed by the founded nodes of some model. */
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
    struct encoding_match *match; /* choices of the receives */
    uint32_t match_count, match_room;
    uint32_t *buffered; /* by send: node that says whether it is buffered */
    uint32_t *end;      /* by rank: node of its end */
    uint32_t *reached;  /* by operation, rank after rank, with one more entry per rank */
    uint64_t *base;     /* by rank: its first index in reached */
};

/* Encodes the program. recorded: receives whose source is named by later calls of their rank take
 * the recorded source. */
enum core_status encode(const struct replay_program *program, const struct matches *matches,
                        const struct replay_explore_options *options, bool recorded,
                        struct encoding *out_encoding);
void encoding_done(struct encoding *encoding);

/* Demands that equally many nodes of both lists hold (count.c). */
enum { COUNT_MAX = 1200 };
void count_equal(struct circuit *circuit, const uint32_t *one, uint32_t one_count,
                 const uint32_t *other, uint32_t other_count);

#endif
