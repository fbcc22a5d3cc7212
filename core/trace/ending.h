/* How the launcher ended a job, and what it saw the ranks wait for then: a record that goes from
 * the launcher to the trace (tables ended, proof and rank_span) and on to whoever makes words of it
 * (checkers/wording.h).
 *
 * The record of a proven deadlock is a certificate as well: each wait says by which argument
 * nothing that was sent or entered completes the call (basis), and the record holds the numbers
 * that the arguments stand on: how each rank stood, the messages of channels, the collectives that
 * members had entered (tables proof_rank, proof_channel and proof_member). checkers/certificate/
 * checks it against the events of the trace; docs/trace.md describes the tables.
 *
 * Invariants
 *  1. The ranks of a wait ascend, each once, as spans that do not touch; none is left out.
 *  2. Calls stand in the order in which they were added; their waits follow each other. */
#ifndef CORE_TRACE_ENDING_H
#define CORE_TRACE_ENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

/* X(name, text): the text is what the trace holds. */
#define ENDING_REASONS(X)                                                                    \
    X(NONE, "none")         /* it was not ended by the launcher */                           \
    X(DEADLOCK, "deadlock") /* proven: it could not go on; limit_ms: so long after its last  \
                               progress it was over; 0: not known */                         \
    X(BUDGET, "budget")     /* limit_ms: the time that it was given */                       \
    X(STALL, "stall")       /* limit_ms: for so long no call of any rank had been completed, \
                               which proves nothing */                                       \
    X(SNAPSHOT, "snapshot") /* it was not: the trace was made while it ran */

/* State of a rank's thread. */
#define ENDING_ROLES(X)                                                                        \
    X(CORE, "core")       /* holds the others of the core, and is held by them */              \
    X(BEHIND, "behind")   /* can never go on either, but only because it waits for the core */ \
    X(INSIDE, "inside")   /* of this and the next ones it is not proven: inside a call */      \
    X(POLLS, "polls")     /* does nothing but poll, and finds nothing */                       \
    X(OUTSIDE, "outside") /* outside of MPI */

/* The action that a rank which is waited for would have to take. */
#define ENDING_NEEDS(X)                                                                            \
    X(MESSAGE, "message")       /* send what a receive or probe waits for */                       \
    X(RECEIVE, "receive")       /* receive what was sent to it */                                  \
    X(BUFFER, "buffer")         /* receive what stands in the attached buffer */                   \
    X(COLLECTIVE, "collective") /* enter the collective */                                         \
    X(PART, "part")             /* do its part of a collective that all have entered */            \
    X(LEADER, "leader")         /* make the other side of MPI_Intercomm_create */                  \
    X(POST, "post")             /* expose its window: MPI_Win_post */                              \
    X(COMPLETE, "complete")     /* end its accesses: MPI_Win_complete */                           \
    X(LOCK, "lock")             /* give a lock back, or help with it */                            \
    X(SEVERAL, "several")       /* one of several of these */                                      \
    X(ORDER, "order")           /* another thread of the rank: its call came first, as recorded */ \
    X(PARTITION, "partition")   /* mark partitions of its send as ready */                         \
    X(GENERALIZED, "generalized") /* complete its generalized request */                           \
    X(START, "start")             /* start its persistent request */                               \
    X(NULL, "null")               /* transfer its data with a null pointer */                      \
    X(OVER, "over")               /* end a wait for a request that is complete */

/* The argument by which a wait is none that what was sent, posted or entered so far can end. */
#define ENDING_BASES(X)                                                                           \
    X(NONE, "none")             /* none is recorded: nothing was proven */                        \
    X(UNSENT, "unsent")         /* each message that fits the receive was received by another */  \
    X(TAKEN, "taken")           /* receives posted before it take all messages that fit */        \
    X(ARRIVED, "arrived")       /* all messages that fit have arrived, and did not complete it */ \
    X(UNRECEIVED, "unreceived") /* too few receives fit the send's message */                     \
    X(LEFT, "left")             /* the receives that fit the message have taken others */         \
    X(HELD, "held")             /* a matched probe holds the message; nobody has received it */   \
    X(MISSING, "missing")       /* the ranks have not entered the collective as often */          \
    X(MISFIT, "misfit")         /* all have entered, and what they gave does not fit */           \
    X(EPOCHS, "epochs")         /* posts, starts, completions and locks of a window */            \
    X(OWN, "own")               /* the rank's own threads alone can bring it about */             \
    X(BRIDGE, "bridge")         /* the ranks are not in the call that makes the communicator */   \
    X(LOST, "lost")       /* the call rested, and only an act of a rank could still end it */     \
    X(SEVERAL, "several") /* several requests, each with an argument of its own */

/* How a rank stood when the proof was made; launch/proof/proof.h says what each allows. */
#define ENDING_STANDINGS(X) \
    X(STILL, "still")       \
    X(ENDED, "ended")       \
    X(UNKNOWN, "unknown")   \
    X(SETTLED, "settled")   \
    X(PAUSED, "paused")     \
    X(RESTED, "rested")

/* The evidence that a rank which stands has seen what there is to see, or that it has ended. */
#define ENDING_LOOKS(X)                                                                       \
    X(NONE, "none")                                                                           \
    X(SLEEPS, "sleeps") /* its threads sleep until there is news */                           \
    X(RAN, "ran")       /* its threads had so much of a processor, or had it so often */      \
    X(STOOD, "stood")   /* the kernel does not count that: it has stood for so much longer */ \
    X(RELAYED, "relayed")                                                                     \
    X(FINALIZED, "finalized")                                                                 \
    X(GONE, "gone") /* its process had ended so long before */

#define ENDING_OBJECTS(X) \
    X(NONE, "none") X(COMM, "comm") X(WIN, "win") X(FILE, "file") X(FINALIZE, "finalize")

#define X(name, text) ENDING_##name,
enum ending_reason { ENDING_REASONS(X) ENDING_REASON_COUNT };
#undef X
#define X(name, text) ENDING_##name,
enum ending_role { ENDING_ROLES(X) ENDING_ROLE_COUNT };
#undef X
#define X(name, text) ENDING_NEED_##name,
enum ending_need { ENDING_NEEDS(X) ENDING_NEED_COUNT };
#undef X
#define X(name, text) ENDING_OBJECT_##name,
enum ending_object { ENDING_OBJECTS(X) ENDING_OBJECT_COUNT };
#undef X
#define X(name, text) ENDING_BASIS_##name,
enum ending_basis { ENDING_BASES(X) ENDING_BASIS_COUNT };
#undef X
#define X(name, text) ENDING_STANDING_##name,
enum ending_standing { ENDING_STANDINGS(X) ENDING_STANDING_COUNT };
#undef X
#define X(name, text) ENDING_LOOK_##name,
enum ending_look { ENDING_LOOKS(X) ENDING_LOOK_COUNT };
#undef X
/* The texts, and back: the count where there is none. */
const char *ending_reason_text(enum ending_reason reason);
const char *ending_role_text(enum ending_role role);
const char *ending_need_text(enum ending_need need);
const char *ending_object_text(enum ending_object object);
const char *ending_basis_text(enum ending_basis basis);
const char *ending_standing_text(enum ending_standing standing);
const char *ending_look_text(enum ending_look look);
enum ending_reason ending_reason_find(const char *text);
enum ending_role ending_role_find(const char *text);
enum ending_need ending_need_find(const char *text);
enum ending_object ending_object_find(const char *text);
enum ending_basis ending_basis_find(const char *text);
enum ending_standing ending_standing_find(const char *text);
enum ending_look ending_look_find(const char *text);

struct ending_span { /* ranks from first to last */
    uint32_t first, last;
};
struct ending_wait { /* any one of the ranks can bring it about; a call goes on when all its waits
                        have come true */
    enum ending_need need;
    enum ending_object object;
    uint64_t global; /* the object: column global of tables comm and win */
    int32_t tag;     /* EVENT_ANY, EVENT_NONE */
    bool wildcard;   /* MPI_ANY_SOURCE: any of the ranks that could send there */
    bool ended;      /* none of the ranks does anything any more */
    enum ending_basis basis;
    uint64_t number; /* messages that fit the receive and that nobody is known to have received; how
                        many-th send of its channel, or collective of its object; 0: not known */
    uint64_t rivals; /* receives posted before this one that may take these messages; receives that
                        fit the send's message */
    uint32_t first, count; /* in ending->span */
};
enum { ENDING_CALL_NAME_BYTES = 64 };
struct ending_call { /* a thread of a rank, in a call or outside of MPI */
    uint32_t rank;
    uint64_t seq; /* of its event in the trace; 0: outside */
    enum ending_role role;
    uint64_t still_ms;                 /* for how long; roles INSIDE, POLLS and OUTSIDE only */
    char call[ENDING_CALL_NAME_BYTES]; /* "MPI_Recv"; empty: outside, or not known */
    uint32_t first, count;             /* in ending->wait */
};
struct ending_stand { /* evidence of a rank that stands, with what its standing needs */
    uint64_t still_ms, still_ms_min;
    uint64_t cpu_ns, cpu_ns_min, runs,
        runs_min; /* of the thread that had least; either is enough */
    enum ending_look look;
};
struct ending_rank {
    uint32_t rank;
    enum ending_standing standing;
    uint64_t seq; /* of its last event that the proof knew of */
    uint32_t threads;
    struct ending_stand stand;
};
struct ending_channel { /* messages of one tag from a rank to another, as the proof counted them */
    uint64_t global;    /* of the communicator */
    int32_t source, dest, tag;
    uint64_t sent, received; /* sent: those of calls that ranks are in included */
};
struct ending_member { /* of a collective that a call waits in */
    enum ending_object object;
    uint64_t global;
    uint32_t rank;
    uint64_t entered; /* collectives of the object, the call that it is in included */
};
struct ending_frame { /* of the functions that led to a call, the innermost first */
    uint32_t rank;
    uint64_t seq;     /* of the call's event */
    char *module;     /* path */
    uint64_t address; /* a return address, relative to the module's bias */
};
struct ending { /* zeroed: not ended */
    enum ending_reason reason;
    uint64_t limit_ms;
    struct ending_call *call;
    struct ending_wait *wait;
    struct ending_span *span;
    uint32_t call_count, wait_count, span_count;
    uint32_t call_room, wait_room, span_room;
    struct ending_rank *rank; /* of a proof: all ranks of the job, ascending */
    struct ending_channel *channel;
    struct ending_member *member;
    uint32_t rank_count, channel_count, member_count;
    uint32_t rank_room, channel_room, member_room;
    struct ending_frame *frame; /* not read back: the trace has them in its table stack */
    uint32_t frame_count, frame_room;
};

/* Building. A wait belongs to the call added last; its ranks come in any order, and any number of
 * times. A status was reported. */
enum core_status ending_call_add(struct ending *ending, const struct ending_call *call);
enum core_status ending_wait_add(struct ending *ending, const struct ending_wait *wait,
                                 const uint32_t *rank, uint32_t rank_count);
/* The next function outwards on the way to the call. */
enum core_status ending_frame_add(struct ending *ending, const struct ending_call *call,
                                  const char *module, uint64_t address);
void ending_frames_drop(struct ending *ending);
/* For a reader that has spans: each lies behind the one before, or CORE_BAD_FORMAT, without a
 * report. */
enum core_status ending_span_add(struct ending *ending, struct ending_span span);
void ending_done(struct ending *ending); /* leaves it zeroed */

/* How many ranks the wait has. */
uint32_t ending_wait_ranks(const struct ending *ending, const struct ending_wait *wait);

#endif
