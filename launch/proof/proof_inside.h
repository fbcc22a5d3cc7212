/* Inside of the launcher's proof, shared by proof.c (the graph) and proof_*.c. Nobody
 * else includes this. */
#ifndef LAUNCH_PROOF_PROOF_INSIDE_H
#define LAUNCH_PROOF_PROOF_INSIDE_H

#include "core/trace/ending.h"
#include "core/history/history.h"

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

/* proof_index.c: what is pending, by whom it fits; empty until it is asked for. */
struct proof_index {
    struct proof_posted *posted; /* receives */
    uint32_t posted_count, posted_room;
    struct core_table messages;    /* struct message_sum */
    struct core_table undelivered; /* channels with sends that may not have left their rank */
    struct core_table unclear;     /* ranks with receives of which it is not known what they take */
    bool receives_made, messages_made;
};

struct proof_misfit { /* whether what members say of a collective does not fit */
    uint64_t global, number;
    bool known, is;
};

struct proof_prover {
    struct history history;
    struct proof_index index;
    struct needs needs;
    const uint8_t *standing;  /* enum proof_standing, by rank: the caller's */
    struct ending_wait *wait; /* of the clauses of the graph, by their number (op) */
    uint32_t wait_count, wait_room;
    struct proof_misfit misfit; /* asked for last */
    uint8_t *free;              /* proof_is_free, by rank: 0 not asked yet, 1 yes, 2 no */
    bool no_memory;
};

/* Whether a rank that stands is where its threads say: while a collective is under way the
 * library may be at that for as long as an operation of the program takes, whatever call it is in.
 */
bool proof_is_free(const struct proof_prover *prover, int32_t rank);
/* proof_needs.c: collects what rank `me` waits for in one of its calls. *out_any: one of the needs
 * is enough (MPI_Waitany), else all of them are missing or may be. */
void proof_needs_find(struct proof_prover *prover, int32_t me, const struct history_open *open,
                      bool *out_any);
void proof_peer_add(struct proof_prover *prover, int32_t peer);
/* Closes the need whose peers were just added. */
void proof_need_add(struct proof_prover *prover, struct need need);
/* A need of this kind, on the space. */
struct need proof_need(enum need_state state, enum ending_need kind,
                       const struct history_space *space);
/* One of which nothing is known. */
struct need proof_need_unknown(void);
/* The need with the argument why nothing that there is so far ends it, and its numbers
 * (core/trace/ending.h). */
struct need proof_need_reasoned(struct need need, enum ending_basis basis, uint64_t number,
                                uint64_t rivals);

/* proof_grounds.c: adds to the record of a proof what its arguments stand on: how each rank stood,
 * the messages of channels, the collectives that members had entered. */
enum core_status proof_grounds_add(const struct proof_prover *prover, struct ending *ending);

/* proof_message.c: what a receive of rank `me` waits for. source: a world rank; certain: the
 * receive is known not to be complete. */
struct need proof_recv_need(struct proof_prover *prover, int32_t me,
                            const struct history_space *space, int32_t source, int32_t tag,
                            uint64_t seq, uint64_t entered, bool certain);
/* The same of a send. number: how many-th of its channel it is; 0: not known. bytes: of its
 * message; -1: not known. */
struct need proof_send_need(struct proof_prover *prover, int32_t me,
                            const struct history_space *space, int32_t dest, int32_t tag,
                            uint64_t number, bool certain, int64_t bytes);
/* MPI_Buffer_detach, MPI_Buffer_flush and their like wait for some message that is still in the
 * buffer: one of those that no receive fits, whichever buffer each message is in. */
void proof_detach_needs(struct proof_prover *prover, int32_t me);

struct proof_send {
    uint64_t global;
    int32_t source, dest, tag; /* world ranks */
    uint64_t number;           /* how many-th of its channel */
    int64_t bytes;             /* of its message; -1: not known */
};
struct proof_receive { /* one that waits */
    uint64_t global;
    int32_t dest, source, tag; /* EVENT_ANY: a wildcard */
    uint64_t seq, entered;     /* when it was posted; seq 0: before all others */
    bool certain;              /* it is known not to be complete */
};
/* Whether the open call sends a message: over this channel. */
bool proof_open_sends(const struct history_rank *rank, int32_t source,
                      const struct history_open *open, struct history_channel_key *out_key);
/* Messages on the channel that nobody is known to have received, those of sends that are still
 * pending included. */
uint64_t proof_channel_open(const struct history *history, const struct history_channel_key *key);
/* Whether all that was sent on the channel has left its sender, who has had the time to see to
 * that, or has been announced to a receiver who has had the time to take it: then it has arrived.
 */
bool proof_channel_arrived(const struct proof_prover *prover, const struct history_channel *channel,
                           bool certain);
/* Receives posted before this one that accept all that it accepts, [of any source][of any tag], or
 * else of its own; and all that accept some of it. */
void proof_index_before(struct proof_prover *prover, const struct proof_receive *receive,
                        uint64_t before[2][2], uint64_t *out_rivals);
/* Messages to its rank that nobody is known to have received, [its source fits][its tag fits];
 * true: all those that fit have arrived. */
bool proof_index_messages(struct proof_prover *prover, const struct proof_receive *receive,
                          uint64_t message[2][2]);
/* How many receives, of requests, fit the message; and each of them, until fn gives false. false as
 * well where it is not known of a receive of its destination what it takes. */
typedef bool (*proof_fitting_fn)(int32_t source, int32_t tag, void *context);
uint64_t proof_index_fitting(struct proof_prover *prover, const struct proof_send *send);
/* How many of them name its source and its tag, and have taken a message each if it has arrived. */
uint64_t proof_index_exact(struct proof_prover *prover, const struct proof_send *send);
bool proof_index_fitting_each(const struct proof_prover *prover, const struct proof_send *send,
                              proof_fitting_fn fn, void *context);
void proof_index_done(struct proof_index *index);

/* proof_match.c: whether a message of so many bytes (-1: not known) has arrived, and been carried
 * over if it was matched. */
bool proof_idle_enough(const struct proof_prover *prover, int32_t source, int32_t dest,
                       int64_t bytes);
/* proof_match.c: whether a matched probe found the message, of those that were taken, and nobody
 * has received it since. */
bool proof_send_held(const struct proof_prover *prover, const struct proof_send *send);
/* proof_match.c: a send of which it is not known how many-th of its channel it is, as other threads
 * send there, or info lets messages overtake each other: whether no receive is posted that fits it.
 * Those messages that were received are others, if it has not returned: their sends have. */
bool proof_send_unmatched(const struct proof_prover *prover, const struct proof_send *send);
/* proof_match.c: whether no receive that is posted now has taken the message, or will. */
bool proof_send_left(const struct proof_prover *prover, const struct proof_send *send);
/* proof_match.c: a send that may have completed: whether it has, unless all receives that are
 * posted now and that fit it have taken other messages. */
bool proof_send_done_or_left(const struct proof_prover *prover, const struct proof_send *send);

/* proof_coll.c: members that have not entered as many collectives of the space as `me` is in, and
 * those whose call of this number was another one: they will not make this one any more.
 * certain: the call is known not to be complete. */
struct need proof_coll_need(struct proof_prover *prover, int32_t me,
                            const struct history_space *space, uint64_t number, uint32_t rounds,
                            bool certain);
/* MPI_Intercomm_create: the leaders meet on the bridge communicator, under a tag; the others wait
 * for their leader, who is in the call no shorter than they. */
void proof_intercomm_needs(struct proof_prover *prover, int32_t me,
                           const struct history_space *space, const struct history_open *open);
/* MPI_Comm_create_group: members of the group that are not in the same call: it makes nothing
 * without them. */
struct need proof_party_need(struct proof_prover *prover, int32_t me,
                             const struct history_open *open);

/* proof_rma.c: the needs of rank `me`, which is in MPI_Win_start, _complete, _wait, _lock, _flush
 * or _unlock. */
void proof_rma_needs(struct proof_prover *prover, int32_t me, const struct history_space *space,
                     const struct history_open *open, enum event_class class);

#endif
