/* Inside of encoding, shared by encode.c (operations) and encode_match.c (receives that are not
 * certain). Nobody else includes this. */
#ifndef REPLAY_SYMBOLIC_ENCODE_STATE_H
#define REPLAY_SYMBOLIC_ENCODE_STATE_H

#include "replay/symbolic/encode.h"

struct list { /* of nodes */
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
    uint32_t *coll_all;           /* by first entry of a collective: all have entered; or 0 */
    uint32_t *taken;              /* by send: a receive has taken it */
    uint32_t *delivered;          /* by send: and completes it */
    uint32_t *run_at;             /* by operation: its run plus 1 */
    uint32_t *receive;            /* by operation: the receive is matched; of a probe: it sees */
    uint32_t *maker, *maker_base; /* by rank and request: its operation plus 1 */
    uint32_t *send_at;            /* by operation: its send plus 1 */
    struct list list, clause;     /* scratch */
};

void list_add(struct encoder *e, struct list *list, uint32_t node);
uint32_t encode_reached(const struct encoder *e, uint32_t rank, uint32_t op);
/* All receives and probes: fills taken, delivered, receive. */
void encode_matches(struct encoder *e);

#endif
