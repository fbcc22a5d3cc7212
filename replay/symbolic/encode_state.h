/* Declares the inside of the encoding for encode.c (operations) and encode_match.c (uncertain
 * receives). No other file includes this. */
#ifndef REPLAY_SYMBOLIC_ENCODE_STATE_H
#define REPLAY_SYMBOLIC_ENCODE_STATE_H

#include "replay/symbolic/encode.h"

struct list { /* list of nodes */
    uint32_t *node;
    uint32_t count, room;
};

struct encoder {
    const struct replay_program *program;
    const struct matches *matches;
    const struct replay_explore_options *options;
    bool recorded;
    struct encoding *encoding;
    struct circuit *circuit;
    struct matches_colls colls;
    uint32_t *coll_all;  /* by first entry of a collective: all have entered; 0: none */
    uint32_t *taken;     /* by send: node that a receive has taken it */
    uint32_t *delivered; /* by send: node that a receive has completed it */
    uint32_t *run_at;    /* by operation: its run plus 1 */
    uint32_t *receive;   /* by operation: the receive is matched; the probe sees a message */
    uint32_t *maker, *maker_base; /* by rank and request: operation that makes it, plus 1 */
    uint32_t *send_at;            /* by operation: its send plus 1 */
    struct list list, clause;     /* scratch */
};

void list_add(struct encoder *e, struct list *list, uint32_t node);
uint32_t encode_reached(const struct encoder *e, uint32_t rank, uint32_t op);
/* Encodes all receives and probes: fills taken, delivered, receive. */
void encode_matches(struct encoder *e);

#endif
