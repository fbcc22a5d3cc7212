/* Declares the inside of the launcher's proof for proof.c (the graph) and proof_*.c. No other file
 * includes this. */
#ifndef LAUNCH_PROOF_PROOF_INSIDE_H
#define LAUNCH_PROOF_PROOF_INSIDE_H

#include "core/trace/ending.h"
#include "core/history/history.h"

enum need_state {               /* of one thing that a call waits for */
                  NEED_CERTAIN, /* incomplete: it waits for the listed peers */
                  NEED_MAYBE,   /* complete, or it waits for the listed peers */
                  NEED_UNKNOWN  /* may complete by itself: nothing is claimed */
};

struct need {
    enum need_state state;
    struct ending_wait wait; /* what its peers would have to do */
    uint32_t end;            /* end of its peers in needs.peer */
};

struct needs { /* what one rank waits for */
    int32_t *peer;
    uint32_t peer_count, peer_room;
    struct need *need;
    uint32_t count, room;
};

/* proof_index.c: pending operations by what they match; built when first needed. */
struct proof_index {
    struct proof_posted *posted; /* receives */
    uint32_t posted_count, posted_room;
    struct core_table messages;    /* struct message_sum */
    struct core_table undelivered; /* channels with sends that may not have left their rank */
    struct core_table unclear;     /* ranks with a receive that may take unknown messages */
    bool receives_made, messages_made;
};

struct proof_misfit { /* caches whether a collective's members contradict each other */
    uint64_t global, number;
    bool known, is;
};

struct proof_prover {
    struct history history;
    struct proof_index index;
    struct needs needs;
    const uint8_t *standing;  /* by rank: enum proof_standing, owned by the caller */
    struct ending_wait *wait; /* one per clause of the graph, by clause number (op) */
    uint32_t wait_count, wait_room;
    struct proof_misfit misfit; /* the last answer */
    uint8_t *free;              /* by rank, cache of proof_is_free: 0: unknown, 1: yes, 2: no */
    bool no_memory;
};

/* Tells whether the rank's threads are only where their calls say. While a collective is active,
 * the library may work on it in any call, as long as an operation of the program takes. */
bool proof_is_free(const struct proof_prover *prover, int32_t rank);
/* proof_needs.c: collects what rank `me` waits for in one of its calls. *out_any: one of the needs
 * suffices (MPI_Waitany); otherwise the call needs all. */
void proof_needs_find(struct proof_prover *prover, int32_t me, const struct history_open *open,
                      bool *out_any);
void proof_peer_add(struct proof_prover *prover, int32_t peer);
/* Ends the need to which the latest peers were added. */
void proof_need_add(struct proof_prover *prover, struct need need);
/* Returns a need of this kind on the space. */
struct need proof_need(enum need_state state, enum ending_need kind,
                       const struct history_space *space);
/* Returns a need about which nothing is known. */
struct need proof_need_unknown(void);
/* Returns the need with the argument why nothing that happened so far can end it, and the numbers
 * of that argument (core/trace/ending.h). */
struct need proof_need_reasoned(struct need need, enum ending_basis basis, uint64_t number,
                                uint64_t rivals);

/* proof_grounds.c: adds the facts that support the proof's arguments: how each rank stood, the
 * messages per channel, and the collectives that members had entered. */
enum core_status proof_grounds_add(const struct proof_prover *prover, struct ending *ending);

/* proof_message.c: returns what a receive of rank `me` waits for. source: a world rank; certain:
 * the receive is known to be incomplete. */
struct need proof_recv_need(struct proof_prover *prover, int32_t me,
                            const struct history_space *space, int32_t source, int32_t tag,
                            uint64_t seq, uint64_t entered, bool certain);
/* The same for a send. number: its position in its channel; 0: unknown. bytes: size of its message;
 * -1: unknown. */
struct need proof_send_need(struct proof_prover *prover, int32_t me,
                            const struct history_space *space, int32_t dest, int32_t tag,
                            uint64_t number, bool certain, int64_t bytes);
/* Adds the need of MPI_Buffer_detach, MPI_Buffer_flush and the like: they wait for some buffered
 * message that no receive fits, in whichever buffer it is. */
void proof_detach_needs(struct proof_prover *prover, int32_t me);

struct proof_send {
    uint64_t global;
    int32_t source, dest, tag; /* world ranks */
    uint64_t number;           /* position in its channel */
    int64_t bytes;             /* size of its message; -1: unknown */
};
struct proof_receive { /* a pending receive */
    uint64_t global;
    int32_t dest, source, tag; /* EVENT_ANY: a wildcard */
    uint64_t seq, entered;     /* when it was posted; seq 0: before all others */
    bool certain;              /* it is known to be incomplete */
};
/* Tells whether the open call sends a message, and over which channel. */
bool proof_open_sends(const struct history_rank *rank, int32_t source,
                      const struct history_open *open, struct history_channel_key *out_key);
/* Counts the messages on the channel that no rank is known to have received, including those of
 * pending sends. */
uint64_t proof_channel_open(const struct history *history, const struct history_channel_key *key);
/* Tells whether all messages of the channel have arrived: each left a sender that had time to send
 * it, or was announced to a receiver that had time to take it. */
bool proof_channel_arrived(const struct proof_prover *prover, const struct history_channel *channel,
                           bool certain);
/* Counts the receives posted before this one. before: those that accept all that it accepts, [from
 * any source][with any tag]. *out_rivals: those that accept some of it. */
void proof_index_before(struct proof_prover *prover, const struct proof_receive *receive,
                        uint64_t before[2][2], uint64_t *out_rivals);
/* Counts the messages to its rank that no rank is known to have received, [its source fits][its tag
 * fits]. Returns whether all that fit have arrived. */
bool proof_index_messages(struct proof_prover *prover, const struct proof_receive *receive,
                          uint64_t message[2][2]);
/* Count the receives, of requests, that fit the message, or call fn for each until it returns
 * false. The latter also returns false if it is unknown what a receive of the destination takes. */
typedef bool (*proof_fitting_fn)(int32_t source, int32_t tag, void *context);
uint64_t proof_index_fitting(struct proof_prover *prover, const struct proof_send *send);
/* Counts those that name the message's source and tag: each of them has taken one message, if it
 * has arrived. */
uint64_t proof_index_exact(struct proof_prover *prover, const struct proof_send *send);
bool proof_index_fitting_each(const struct proof_prover *prover, const struct proof_send *send,
                              proof_fitting_fn fn, void *context);
void proof_index_done(struct proof_index *index);

/* proof_match.c: tells whether a message of this size (-1: unknown) must have arrived, and must
 * have been transferred if it was matched. */
bool proof_idle_enough(const struct proof_prover *prover, int32_t source, int32_t dest,
                       int64_t bytes);
/* proof_match.c: tells whether a matched probe has taken the message, and no rank has received it
 * since. */
bool proof_send_held(const struct proof_prover *prover, const struct proof_send *send);
/* proof_match.c: tells whether no posted receive fits the send. For sends of unknown position in
 * their channel, because other threads send there or info lets messages overtake. If such a send
 * has not returned, the messages received so far are of other sends, which have. */
bool proof_send_unmatched(const struct proof_prover *prover, const struct proof_send *send);
/* proof_match.c: tells whether no receive that is posted now has taken the message, or will. */
bool proof_send_left(const struct proof_prover *prover, const struct proof_send *send);
/* proof_match.c: for a send that may have completed, tells whether it has, or else all posted
 * receives that fit it have taken other messages. */
bool proof_send_done_or_left(const struct proof_prover *prover, const struct proof_send *send);

/* proof_coll.c: returns the need for members that have not entered as many collectives of the space
 * as `me` is in, or whose call of this number was another one: they will not make this call any
 * more. certain: the call is known to be incomplete. */
struct need proof_coll_need(struct proof_prover *prover, int32_t me,
                            const struct history_space *space, uint64_t number, uint32_t rounds,
                            bool certain);
/* Adds the needs of MPI_Intercomm_create. The leaders meet on the bridge communicator, under a tag.
 * Other members wait for their leader if it is not in the call: it leaves the call no earlier than
 * they do. */
void proof_intercomm_needs(struct proof_prover *prover, int32_t me,
                           const struct history_space *space, const struct history_open *open);
/* Returns the need of MPI_Comm_create_group: members of the group that are not in the same call,
 * which makes nothing without them. */
struct need proof_party_need(struct proof_prover *prover, int32_t me,
                             const struct history_open *open);

/* proof_rma.c: adds the needs of rank `me` in MPI_Win_start, _complete, _wait, _lock, _flush or
 * _unlock. */
void proof_rma_needs(struct proof_prover *prover, int32_t me, const struct history_space *space,
                     const struct history_open *open, enum event_class class);

#endif
