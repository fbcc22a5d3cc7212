/* order=explore: ranks run until none can, and only then one thing is decided: which message a
 * wildcard receive or a probe takes, which completed request a waitany reports, whether a test or
 * an Iprobe finds what is already there. A world of the same answers is the same world in whatever
 * order they are given: a decision is named by its rank and by how many decisions its rank came to
 * before (policy order=explore:RANK.NUMBER=ANSWER,...).
 *
 * For each decision the world reports which answers were possible then, and which others would have
 * been possible if the decision had been put off: those that became possible without it (struct
 * world_missed). So a search through all worlds needs no model of MPI.
 *
 * The answer to a wildcard receive or probe is the world rank of the sender; to a waitany, the
 * index; to a waitsome, the set of indices as bits. For a poll, which may find nothing, the answer
 * 0 means nothing, and others count from 1; for a testsome it is the set, for a test and a testall
 * 1.
 *
 * The answer to a cancelled receive is a world rank as well, or the number of ranks if it gets no
 * message. A receive that has its message by then might still have been cancelled, unless its rank
 * knew of the message; a receive that names its source then has a decision (DECISION_CANCEL).
 *
 * The first MPI_Win_test of an exposure epoch (DECISION_EPOCH) is answered like a test.
 *
 * A send for which a poll is repeated (DECISION_BUFFER) is answered by 1: it has a buffer, so it is
 * complete; or by 0: it has none and waits for its receive.
 *
 * A decision about a window (explore_access.h) is answered by the world rank that gets the lock, or
 * whose operation is done next; one about a rank's threads, by the thread that continues.
 *
 * core/decision/decision.h says how decisions are numbered and counted.
 *
 * A poll that found nothing by choice finds the same thing next time as soon as it is there. Until
 * then it waits, and finds nothing again only when no other rank can continue. If the message of a
 * send was not received, the send is complete only if it has a buffer. That is decided when such a
 * poll waits: for this send alone, and never if no poll asks for it.
 *
 * Invariants
 *  1. A receive that names its source gets its message as soon as nothing that was posted or sent
 *     before can have one of the two; a wildcard receive gets its by decision only.
 *  2. Decisions that are possible at the same time do not exclude each other. */
#ifndef WORLD_EXCHANGE_EXPLORE_H
#define WORLD_EXCHANGE_EXPLORE_H

#include "world/state.h"

enum {
    EXPLORE_TRACKED = 1024, /* decisions of a world whose consequences are tracked */
    EXPLORE_ALONE = 32,     /* calls of a lone running rank after which something is decided */
    EXPLORE_LOOKS = 8,      /* failed polls of a window before polls elsewhere may fail */
    EXPLORE_BITS = 30,      /* requests of a waitsome that are distinguished */
    /* Completed requests up to which every subset is an answer; in a search by states. */
    EXPLORE_SUBSETS = 3,
    EXPLORE_SUBSETS_STATES = 11
};

/* A set of decisions that something depends on; never changed once made. */
struct world_causes {
    uint64_t word[EXPLORE_TRACKED / 64];
    /* By rank: number of its uses of files that came before (ranks/posix.c); NULL: none. */
    const uint32_t *files;
};

_Static_assert(sizeof(((struct world_causes *)NULL)->word) * 8 == EXPLORE_TRACKED,
               "a bit for each decision");

enum world_explore_kind {
    EXPLORE_RECEIVE,
    EXPLORE_PROBE, /* of any kind */
    EXPLORE_ANY,   /* waitany, testany */
    EXPLORE_SOME,
    EXPLORE_ALL, /* test, testall */
    EXPLORE_BUFFER,
    EXPLORE_TURN,  /* an operation on a window (explore_access.h) */
    EXPLORE_LOCK,  /* the lock of a window */
    EXPLORE_THREAD /* a call of a thread before which other threads of its rank may call */
};

struct world_pieces { /* ranges of memory or a file, sorted by address, without overlaps */
    uint32_t count;
    struct world_piece {
        const uint8_t *low, *high;
    } piece[];
};

enum world_turn_use { /* a thread's use of a communicator */
                      TURN_SENDS,
                      TURN_RECEIVES,
                      TURN_PROBES, /* leaves the message there */
                      TURN_COLLECTIVE,
                      TURN_USES,
                      TURN_FREES
};

struct world_decider { /* a decision: who asks; once it is made, other answers it may have had */
    struct world_decider *next;
    struct world_decider *polls_next; /* of its rank: polls of windows that wait for news */
    enum world_explore_kind kind;
    struct world_rank *rank;
    struct world_fiber *fiber; /* the asker; NULL for a receive */
    const char *call;
    const void *site;
    uint32_t number;  /* among the rank's decisions; 0: nothing to decide, it only waits */
    int32_t forced;   /* by the rank itself; WORLD_ANSWER_FREE: not forced */
    uint32_t decided; /* index of the decision, once it is made */
    bool poll, polled_before;
    /* of probes and receives */
    uint32_t context;
    int source, tag;
    uint32_t order; /* receives posted earlier come first */
    bool take;
    uint32_t receive;   /* among its rank's receives and probes */
    uint32_t got_place; /* of the message that a receive got; 0: none */
    struct world_message *message;
    struct ompi_request_t *recv; /* of a receive; fiber is NULL until it is cancelled */
    struct ompi_request_t *send; /* of a buffer */
    uint8_t *seen;               /* by answer: it was possible, or reported as missed */
    uint32_t seen_room;
    /* of the others */
    int count;
    struct ompi_request_t **request; /* NULL: inactive */
    uint32_t *serial, serial_most;
    uint32_t certain; /* bits of active requests that every call finds complete */
    bool must_find;   /* a poll of certain requests */
    bool of_others;   /* other threads wait for these requests too, and may free them first */
    /* of windows and threads: the part, and what the turn would do; `asks`: it waits */
    struct world_part *part;
    struct world_effect *effect; /* fiber is NULL until its rank completes the operation */
    int by;                      /* world rank of the caller */
    int name;                    /* the answer that names it */
    uint32_t place;              /* of the decision: position among those of its object, from 1 */
    uint64_t mark;
    const struct world_causes *gained; /* causes that the rank gets with its completion */
    bool asks, exclusive, reads;
    bool touches;                /* the program's own load or store */
    uint32_t reported;           /* value of part->reported when it was an answer */
    struct world_decider *joins; /* next of these answers */
    enum world_turn_use use;
    int op;
    const uint8_t *low, *high;           /* bounds of the bytes that it touches */
    const struct world_pieces *pieces;   /* the bytes between them that it touches; NULL: all */
    const uint8_t *sure_low, *sure_high; /* it touches all between them; equal: unknown */
    size_t element;                      /* of an accumulate: size of what is atomic */
    uint64_t file;                       /* another number is another file; 0: any file */
    uint32_t object, queue;
    const struct world_causes *causes; /* of the asker when it asked */
    const struct world_causes *behind; /* of a turn: causes, and the conflicting turns before it */
    /* the answer */
    int32_t answer;
    bool ready;
};

void world_explore_start(void);
void world_explore_end(void); /* reports what was decided */
/* Decides something when no rank can continue except to poll again. False: nothing to decide. */
bool world_explore_decide(void);
/* Called when the running rank polled in vain while the others wait for a decision or poll in vain
 * too: decides something from time to time. */
void world_explore_beside(void);
/* Tells whether the policy's answer for some receive cannot be given, and cuts the world if so: the
 * receive must get no message but could have one by now, and its rank may never cancel it. */
bool world_explore_refused(void);
/* Tells whether the world ended because an answer of the policy was not possible. */
bool world_explore_cut(void);

void world_explore_send(struct ompi_request_t *send, struct world_message *message,
                        struct world_rank *dest);
void world_explore_receive(struct ompi_request_t *recv);
void world_explore_unposted(struct ompi_request_t *recv);
/* Cancels a receive of the running rank; returns whether that succeeded and it is no longer posted.
 */
bool world_explore_cancel(struct ompi_request_t *recv);
void world_explore_completed(struct ompi_request_t *request);
/* Adds the request's completion to the causes of the running fiber, which continues after it. */
void world_explore_observe(const struct ompi_request_t *request);
const struct world_causes *world_causes_join(const struct world_causes *a,
                                             const struct world_causes *b);
/* Adds that the rank has ended so many uses of files. */
const struct world_causes *world_causes_ended(const struct world_causes *causes, int rank,
                                              uint32_t uses);

/* Asks for a decision of the running rank and returns its answer. */
int32_t world_explore_ask(struct world_decider *decider);
uint32_t world_explore_decided(void); /* number of decisions so far */
void world_explore_again(void);       /* notes that a failed poll is repeated */
/* Blocks the running thread until its call may be done, if its rank has other threads. */
void world_turn_thread(MPI_Comm comm, enum world_turn_use use, int peer, int tag);
/* Does the same before the thread frees the communicator, or the window or file (`what`) that has
 * it. */
void world_turn_frees(MPI_Comm comm, const char *what);
/* Checks a use for which world_turn_thread is not called: ends the job if the communicator is
 * freed. */
void world_turn_uses(MPI_Comm comm);
/* Lets the threads of the rank decide whose call on the attached buffer is first: one that attaches
 * or detaches it, or one that sends from it. */
void world_turn_buffer(bool changes);
/* Returns NULL if the poll found nothing. */
struct world_message *world_explore_probe(MPI_Comm comm, int source, int tag, bool poll, bool take);
/* Returns the answer as defined above; at least one request is active. */
int32_t world_explore_wait(enum world_explore_kind kind, int count, MPI_Request request[],
                           bool poll);
/* Notes a choice that is not explored. */
void world_explore_limited(void);
/* Notes that the library may order the ranks, or spread them over machines, in another way. */
void world_explore_layout(void);
/* Notes that a rank's own accesses to window memory that others reach are not seen. */
void world_explore_blind(void);
/* Notes a send, receive or probe on a communicator whose messages may overtake each other. They
 * never do so here: if two of them could be exchanged, that is reported. */
void world_explore_overtaking(MPI_Comm comm, bool sent, int peer, int tag);
/* For explore_states.c: report the answers that are possible now; give one; let the waiting poll of
 * the rank with the fewest turns, at most `turns_max`, find nothing (false: there is none). */
void world_explore_options(const struct world_decider *decider);
void world_explore_answered(struct world_decider *decider, uint32_t option_first, bool given);
bool world_explore_fail(uint32_t turns_max);
/* For the same: a hash of what the rank has probed for in vain. */
uint64_t world_states_polled(const struct world_rank *rank);
/* Notes that the receive gets the message, in a search by states. */
void world_states_got(struct ompi_request_t *recv, const struct world_message *message);
/* Tells whether the answer of a waitsome or testsome contains a request; bits count active ones. */
bool world_explore_named(int32_t answer, int active_index);

#endif
