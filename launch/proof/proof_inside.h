/* Inside of the launcher's proof, shared by proof.c (messages, collectives, the graph) and
 * proof_rma.c (one-sided epochs). Nobody else includes this. */
#ifndef LAUNCH_PROOF_PROOF_INSIDE_H
#define LAUNCH_PROOF_PROOF_INSIDE_H

#include "core/trace/ending.h"
#include "launch/proof/history.h"

enum need_state {               /* of one thing that a call waits for */
                  NEED_CERTAIN, /* it is not complete: waits for the peers listed */
                  NEED_MAYBE,   /* complete, or waits for the peers listed */
                  NEED_UNKNOWN  /* may complete by itself: nothing is claimed */
};

struct need {
    enum need_state state;
    struct ending_wait wait; /* what its peers would have to do */
    uint32_t end;            /* of its peers */
};

struct needs { /* what one rank waits for */
    int32_t *peer;
    uint32_t peer_count, peer_room;
    struct need *need;
    uint32_t count, room;
};

struct proof_prover {
    struct proof_history history;
    struct needs needs;
    const uint8_t *standing;  /* enum proof_standing, by rank: the caller's */
    struct ending_wait *wait; /* of the clauses of the graph, by their number (op) */
    uint32_t wait_count, wait_room;
    bool no_memory;
};

void proof_peer_add(struct proof_prover *prover, int32_t peer);
/* Closes the need whose peers were just added. */
void proof_need_add(struct proof_prover *prover, struct need need);
/* A need of this kind, on the space. */
struct need proof_need(enum need_state state, enum ending_need kind,
                       const struct proof_space *space);
/* One of which nothing is known. */
struct need proof_need_unknown(void);

struct proof_send {
    uint64_t global;
    int32_t source, dest, tag; /* world ranks */
    uint64_t number;           /* how many-th of its channel */
    int64_t bytes;             /* of its message; -1: not known */
};
/* proof_match.c: whether a message of so many bytes (-1: not known) has arrived, and been carried
 * over if it was matched. */
bool proof_rested(const struct proof_prover *prover, int32_t source, int32_t dest, int64_t bytes);
/* proof_match.c: whether no receive that is posted now has taken the message, or will. */
bool proof_send_left(const struct proof_prover *prover, const struct proof_send *send);
/* proof_match.c: a send that may have completed: whether it has, unless all receives that are
 * posted now and that fit it have taken other messages. */
bool proof_send_done_or_left(const struct proof_prover *prover, const struct proof_send *send);

/* proof_rma.c: the needs of rank `me`, which is in MPI_Win_start, _complete, _wait, _lock, _flush
 * or _unlock. */
void proof_rma_needs(struct proof_prover *prover, int32_t me, const struct proof_space *space,
                     const struct proof_open *open, enum event_class class);

#endif
