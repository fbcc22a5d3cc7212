/* order=explore: ranks go on until nobody can, and only then is something decided, one thing at a
 * time: which message a wildcard receive or a probe takes, which completed request a waitany
 * reports, whether a test or an Iprobe finds what is there already. A world of the same answers is
 * the same world, in whatever order they are given: a decision is named by its rank and by how
 * many its rank came to before (policy order=explore:RANK.NUMBER=ANSWER,...).
 *
 * For each decision the world tells which answers were possible then, and which others would have
 * been, had the decision been put off: those that came about without it (struct world_missed). So
 * whoever searches through all worlds needs no model of MPI.
 *
 * A wildcard receive or probe is answered by the world rank whose message it gets; a waitany by the
 * index, a waitsome by the set of indices as bits. A poll, which may find nothing, is answered by 0
 * if it does, else by one more; a testsome by the set, a test and a testall by 1.
 *
 * A receive that is cancelled is answered by the world rank as well, or by the number of ranks: it
 * gets nothing. A receive that has its message by then might have been cancelled all the same,
 * unless its rank knew; one that names its source has a decision then (DECISION_CANCEL).
 *
 * The first MPI_Win_test of an exposure epoch (DECISION_EPOCH) is answered as a test is.
 *
 * A send that a poll asks for once more (DECISION_BUFFER) is answered by 1: it is complete, as it
 * has a buffer; or by 0: it has none, and waits for its receive from now on.
 *
 * A window (explore_access.h) is answered by the world rank that gets the lock, or whose operation
 * is done next; the threads of a rank by the thread that goes on.
 *
 * core/decision/decision.h says how decisions are numbered and counted.
 *
 * A poll that has found nothing by choice finds the same thing next time as soon as it is there;
 * until then it waits, and finds nothing again only when nobody else can go on. A send of which the
 * message was not received is there only if it has a buffer, which is decided then: of that send
 * alone, and where nobody asks for it by a poll not at all.
 *
 * Invariants
 *  1. A receive that names its source gets its message as soon as nothing that was posted or sent
 *     before can have one of the two; a wildcard receive gets its by decision only.
 *  2. Decisions that are possible at the same time do not exclude each other. */
#ifndef WORLD_EXCHANGE_EXPLORE_H
#define WORLD_EXCHANGE_EXPLORE_H

#include "world/state.h"

enum {
    EXPLORE_TRACKED = 1024, /* decisions of a world whose consequences are followed */
    EXPLORE_ALONE = 32,     /* calls in which nobody else can go on before that is decided */
    EXPLORE_LOOKS = 8,      /* at a window in vain before polls elsewhere may fail */
    EXPLORE_BITS = 30,      /* requests of a waitsome that are distinguished */
    EXPLORE_SUBSETS = 3     /* completed requests of which every subset may be reported */
};

/* Decisions without which something would not be; never changed once made. */
struct world_causes {
    uint64_t word[EXPLORE_TRACKED / 64];
};

_Static_assert(sizeof(struct world_causes) * 8 == EXPLORE_TRACKED, "a bit for each decision");

enum world_explore_kind {
    EXPLORE_RECEIVE,
    EXPLORE_PROBE, /* of any kind */
    EXPLORE_ANY,   /* waitany, testany */
    EXPLORE_SOME,
    EXPLORE_ALL, /* test, testall */
    EXPLORE_BUFFER,
    EXPLORE_TURN,  /* an operation on a window (explore_access.h) */
    EXPLORE_LOCK,  /* the lock of a window */
    EXPLORE_THREAD /* a call of a thread, where others of its rank may come first */
};

struct world_pieces { /* of memory or a file, by address, none meets another */
    uint32_t count;
    struct world_piece {
        const uint8_t *low, *high;
    } piece[];
};

enum world_turn_use { /* of a communicator, by a thread */
                      TURN_SENDS,
                      TURN_RECEIVES,
                      TURN_PROBES, /* and leaves the message there */
                      TURN_COLLECTIVE,
                      TURN_USES,
                      TURN_FREES
};

struct world_decider { /* what asks, and once it has its answer what may have had another */
    struct world_decider *next;
    struct world_decider *polls_next; /* of its rank: looks that wait for news */
    enum world_explore_kind kind;
    struct world_rank *rank;
    struct world_fiber *fiber; /* who asks; of a receive, NULL */
    const char *call;
    const void *site;
    uint32_t number;  /* of its rank's; 0: there is nothing to decide, it only waits */
    int32_t forced;   /* of the rank itself; WORLD_ANSWER_FREE: none */
    uint32_t decided; /* index of the decision, once it is made */
    bool poll, polled_before;
    /* of probes and receives */
    uint32_t context;
    int source, tag;
    uint32_t order; /* receives posted before it come first */
    bool take;
    uint32_t receive;   /* among its rank's receives and probes */
    uint32_t got_place; /* of the message that a receive got; 0: none */
    struct world_message *message;
    struct ompi_request_t *recv; /* of a receive; fiber is NULL until its rank cancels it */
    struct ompi_request_t *send; /* of a buffer */
    uint8_t *seen;               /* by answer: was among those that were possible, or was missed */
    uint32_t seen_room;
    /* of the others */
    int count;
    struct ompi_request_t **request; /* NULL: not active */
    uint32_t *serial;
    uint32_t certain; /* of active requests, as bits: complete at once, so that all see it */
    bool must_find;   /* a poll of such ones */
    bool of_others;   /* other threads wait for them, too, and may free them first */
    /* of windows and threads: whose turn it is, and what it would do; `asks` of whoever waits */
    struct world_part *part;
    struct world_effect *effect; /* fiber is NULL until its rank completes it */
    int by;                      /* the world rank whose call it is */
    int name;                    /* the answer that it is */
    uint32_t place;              /* of the decision: among those of its kind there, from 1 */
    uint64_t mark;
    const struct world_causes *gained; /* causes that whoever completes it gets */
    bool asks, exclusive, reads;
    bool touches;                /* the program's own load or store */
    uint32_t reported;           /* part->reported: it is among the answers */
    struct world_decider *joins; /* the next of those */
    enum world_turn_use use;
    int op;
    const uint8_t *low, *high;           /* what it touches lies between them */
    const struct world_pieces *pieces;   /* and is that; NULL: all */
    const uint8_t *sure_low, *sure_high; /* it touches all between them; equal: unknown */
    size_t element;                      /* of an accumulate: the bytes that are atomic */
    uint64_t file;                       /* another one is elsewhere; 0: it may be any */
    uint32_t object, queue;
    const struct world_causes *causes; /* of whose turn it was, when it asked */
    const struct world_causes *behind; /* of a turn: that, and what conflicts and came before it */
    /* the answer */
    int32_t answer;
    bool ready;
};

void world_explore_start(void);
void world_explore_end(void); /* hands over what was decided */
/* Nobody can go on, but to look again: decides something. False: there is nothing to decide. */
bool world_explore_decide(void);
/* The running rank has looked for something in vain, and the others wait until it is decided who
 * goes on, or look in vain too: now and then that is decided. */
void world_explore_beside(void);
/* A receive that is to get nothing could have its message by now, and its rank may never come to
 * cancel it: if so, the answer cannot be given. */
bool world_explore_refused(void);
/* Whether the world ended because the policy's answers could not be given. */
bool world_explore_cut(void);

void world_explore_send(struct ompi_request_t *send, struct world_message *message,
                        struct world_rank *dest);
void world_explore_receive(struct ompi_request_t *recv);
void world_explore_unposted(struct ompi_request_t *recv);
/* The running rank cancels it: whether that is done, and it is posted no longer. */
bool world_explore_cancel(struct ompi_request_t *recv);
void world_explore_completed(struct ompi_request_t *request);
/* The running fiber goes on after the request's completion. */
void world_explore_observe(const struct ompi_request_t *request);
const struct world_causes *world_causes_join(const struct world_causes *a,
                                             const struct world_causes *b);

/* The running rank asks, and goes on once it has its answer. */
int32_t world_explore_ask(struct world_decider *decider);
uint32_t world_explore_decided(void); /* so many were made so far */
void world_explore_again(void);       /* a poll that had found nothing is repeated */
/* The running thread waits until its call may be done, where its rank has others. */
void world_turn_thread(MPI_Comm comm, enum world_turn_use use, int peer, int tag);
/* The same, before it frees the communicator, or the window or file (`what`) that has this one. */
void world_turn_frees(MPI_Comm comm, const char *what);
/* Before it uses it, where no world_turn_thread does so: ends the job where it is freed by then. */
void world_turn_uses(MPI_Comm comm);
/* NULL: the poll found nothing. */
struct world_message *world_explore_probe(MPI_Comm comm, int source, int tag, bool poll, bool take);
/* The answer as told above; at least one request is active. */
int32_t world_explore_wait(enum world_explore_kind kind, int count, MPI_Request request[],
                           bool poll);
/* There is a choice that is not explored. */
void world_explore_limited(void);
/* Accesses of a rank itself to window memory that others reach are not seen. */
void world_explore_blind(void);
/* A message is sent, or a receive or probe posted, on a communicator where messages may overtake
 * each other. They never do here: if they could be taken for one another, that is told. */
void world_explore_overtaking(MPI_Comm comm, bool sent, int peer, int tag);
/* For explore_states.c: tells the answers that are possible now; one is given; the waiting poll of
 * the rank with the fewest turns, so many at most, finds nothing, false: there is none. */
void world_explore_options(const struct world_decider *decider);
void world_explore_answered(struct world_decider *decider, uint32_t option_first, bool given);
bool world_explore_fail(uint32_t turns_max);
/* The same: a hash of what the rank has probed for in vain. */
uint64_t world_states_polled(const struct world_rank *rank);
/* The receive of a world that goes on from its states gets the message. */
void world_states_got(struct ompi_request_t *recv, const struct world_message *message);
/* The requests of a waitsome or testsome that the answer names: bits in the order of the active
 * ones. */
bool world_explore_named(int32_t answer, int active_index);

#endif
