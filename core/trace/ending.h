/* Records how the launcher ended a job, and what it then saw the ranks wait for. The record goes
 * from the launcher to the trace (tables ended, proof and rank_span) and to the code that words it
 * (checkers/wording.h).
 *
 * The record of a proven deadlock is also a certificate: each wait names the argument (basis) why
 * nothing that was sent or entered completes the call. The record holds the numbers behind the
 * arguments: the state of each rank, the messages of channels, the collectives that members had
 * entered (tables proof_rank, proof_channel and proof_member). checkers/certificate/ checks it
 * against the events of the trace; docs/trace.md describes the tables.
 *
 * Invariants
 *  1. The ranks of a wait ascend, each once, as spans that do not touch; none is left out.
 *  2. Calls stand in the order in which they were added; their waits follow each other. */
#ifndef CORE_TRACE_ENDING_H
#define CORE_TRACE_ENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

/* X(name, text): the trace holds the text. */
#define ENDING_REASONS(X)                                                                        \
    X(NONE, "none")         /* the launcher did not end the job */                               \
    X(DEADLOCK, "deadlock") /* proven hang; limit_ms: time from the last progress to the end; 0: \
                               unknown */                                                        \
    X(BUDGET, "budget")     /* limit_ms: the job's time limit */                                 \
    X(STALL, "stall")       /* limit_ms: time in which no rank completed a call, which proves    \
                               nothing */                                                        \
    X(SNAPSHOT, "snapshot") /* not ended: the trace was made during the run */

/* States of a rank's thread. */
#define ENDING_ROLES(X)                                                                           \
    X(CORE, "core")       /* blocks the others of the core, and they block it */                  \
    X(BEHIND, "behind")   /* can never continue either, but only because it waits for the core */ \
    X(INSIDE, "inside")   /* not proven (nor are the next two): inside a call */                  \
    X(POLLS, "polls")     /* only polls, and finds nothing */                                     \
    X(OUTSIDE, "outside") /* outside of MPI */

/* The action of another rank that a wait needs. */
#define ENDING_NEEDS(X)                                                                           \
    X(MESSAGE, "message")         /* send the message that a receive or probe waits for */        \
    X(RECEIVE, "receive")         /* receive the message that was sent to it */                   \
    X(BUFFER, "buffer")           /* receive the messages in the attached buffer */               \
    X(COLLECTIVE, "collective")   /* enter the collective */                                      \
    X(PART, "part")               /* do its part of a collective that all members have entered */ \
    X(LEADER, "leader")           /* call MPI_Intercomm_create on the other side */               \
    X(POST, "post")               /* expose its window: MPI_Win_post */                           \
    X(COMPLETE, "complete")       /* end its accesses: MPI_Win_complete */                        \
    X(LOCK, "lock")               /* release a lock, or help to grant it */                       \
    X(SEVERAL, "several")         /* one of several of these */                                   \
    X(ORDER, "order")             /* another thread of the rank: the record has its call first */ \
    X(PARTITION, "partition")     /* mark partitions of its send as ready */                      \
    X(GENERALIZED, "generalized") /* complete its generalized request */                          \
    X(START, "start")             /* start its persistent request */                              \
    X(NULL, "null")               /* transfer its data with a null pointer */                     \
    X(OVER, "over")               /* end a wait for a request that is complete */

/* The argument why nothing that was sent, posted or entered so far can end a wait. */
#define ENDING_BASES(X)                                                                            \
    X(NONE, "none")             /* no argument is recorded: nothing was proven */                  \
    X(UNSENT, "unsent")         /* another receive got each message that fits this receive */      \
    X(TAKEN, "taken")           /* receives posted before it take all messages that fit */         \
    X(ARRIVED, "arrived")       /* all messages that fit have arrived, and did not complete the    \
                                   receive */                                                      \
    X(UNRECEIVED, "unreceived") /* too few receives fit the send's message */                      \
    X(LEFT, "left")             /* the receives that fit the message got other messages */         \
    X(HELD, "held")             /* a matched probe holds the message, and no call received it */   \
    X(MISSING, "missing")       /* the ranks have entered the collective less often */             \
    X(MISFIT, "misfit")         /* all members have entered the collective, but their arguments do \
                                   not fit */                                                      \
    X(EPOCHS, "epochs")         /* posts, starts, completions and locks of a window */             \
    X(OWN, "own")               /* only threads of the rank itself can end it */                   \
    X(BRIDGE, "bridge")         /* the ranks are not in the call that makes the communicator */    \
    X(LOST, "lost")       /* the call was idle long enough that only a rank could still end it */  \
    X(SEVERAL, "several") /* several requests, each with its own argument */

/* The state of a rank at the time of the proof; launch/proof/proof.h says what each allows. */
#define ENDING_STANDINGS(X) \
    X(STILL, "still")       \
    X(ENDED, "ended")       \
    X(UNKNOWN, "unknown")   \
    X(SETTLED, "settled")   \
    X(PAUSED, "paused")     \
    X(RESTED, "rested")

/* The evidence that an idle rank has seen all messages sent to it, or that it has ended. */
#define ENDING_LOOKS(X)                                                                       \
    X(NONE, "none")                                                                           \
    X(SLEEPS, "sleeps") /* its threads sleep until there is news */                           \
    X(RAN, "ran")       /* its threads got enough processor time, or were scheduled often     \
                           enough */                                                          \
    X(STOOD, "stood")   /* the kernel does not count processor time, so the rank was idle for \
                           longer */                                                          \
    X(RELAYED, "relayed")                                                                     \
    X(FINALIZED, "finalized")                                                                 \
    X(GONE, "gone") /* its process had ended long enough before */

#define ENDING_OBJECTS(X) \
    X(NONE, "none") X(COMM, "comm") X(WIN, "win") X(FILE, "file") X(FINALIZE, "finalize")

/* The job of the ranks that a wait is for; they have numbers of that job. */
#define ENDING_JOBS(X)                                                         \
    X(OWN, "own")         /* the job of the waiting rank */                    \
    X(SPAWNED, "spawned") /* a job that it started by MPI_Comm_spawn */        \
    X(PARENT, "parent")   /* the job that started it; traces of their own hold \
                             both */

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
#define X(name, text) ENDING_JOB_##name,
enum ending_job { ENDING_JOBS(X) ENDING_JOB_COUNT };
#undef X
/* Return the text of a value (NULL if out of range), and the value of a text (the COUNT if
 * unknown). */
const char *ending_reason_text(enum ending_reason reason);
const char *ending_role_text(enum ending_role role);
const char *ending_need_text(enum ending_need need);
const char *ending_object_text(enum ending_object object);
const char *ending_basis_text(enum ending_basis basis);
const char *ending_standing_text(enum ending_standing standing);
const char *ending_look_text(enum ending_look look);
const char *ending_job_text(enum ending_job job);
enum ending_reason ending_reason_find(const char *text);
enum ending_role ending_role_find(const char *text);
enum ending_need ending_need_find(const char *text);
enum ending_object ending_object_find(const char *text);
enum ending_basis ending_basis_find(const char *text);
enum ending_standing ending_standing_find(const char *text);
enum ending_look ending_look_find(const char *text);
enum ending_job ending_job_find(const char *text);

struct ending_span { /* ranks from first to last */
    uint32_t first, last;
};
struct ending_wait { /* any one of the ranks can satisfy the wait; a call returns when all its waits
                        are satisfied */
    enum ending_need need;
    enum ending_object object;
    uint64_t global; /* id of the object: column global of tables comm and win */
    int32_t tag;     /* may be EVENT_ANY or EVENT_NONE */
    bool wildcard;   /* MPI_ANY_SOURCE: any rank that could send there */
    bool ended;      /* all of these ranks have ended */
    enum ending_basis basis;
    uint64_t number; /* receive: messages that fit and that no known receive got; send: its number
                        on its channel; collective: its number on its object; 0: unknown */
    uint64_t rivals; /* receive: earlier receives that may take these messages; send: receives that
                        fit its message */
    enum ending_job job;
    uint32_t first, count; /* in ending->span */
};
enum { ENDING_CALL_NAME_BYTES = 64 };
struct ending_call { /* a thread of a rank, in a call or outside of MPI */
    uint32_t rank;
    uint64_t seq; /* of its event in the trace; 0: outside of MPI */
    enum ending_role role;
    uint64_t still_ms;                 /* time in this state; roles INSIDE, POLLS and OUTSIDE
                                          only */
    char call[ENDING_CALL_NAME_BYTES]; /* "MPI_Recv"; empty: outside, or unknown */
    uint32_t first, count;             /* in ending->wait */
};
struct ending_stand { /* evidence that a rank is idle, each value with its required minimum */
    uint64_t still_ms, still_ms_min;
    uint64_t cpu_ns, cpu_ns_min, runs,
        runs_min; /* of the thread with the least; one of the two suffices */
    enum ending_look look;
};
struct ending_rank {
    uint32_t rank;
    enum ending_standing standing;
    uint64_t seq; /* of the last event that the proof knew */
    uint32_t threads;
    struct ending_stand stand;
};
struct ending_channel { /* messages of one tag from one rank to another, as the proof counted
                           them */
    uint64_t global;    /* of the communicator */
    int32_t source, dest, tag;
    uint64_t sent, received; /* sent includes the calls that ranks are still in */
};
struct ending_member { /* a member of a collective in which a call waits */
    enum ending_object object;
    uint64_t global;
    uint32_t rank;
    uint64_t entered; /* number of collectives on the object, the current call included */
};
struct ending_frame { /* one function on the call stack of a call; the innermost comes first */
    uint32_t rank;
    uint64_t seq;     /* of the call's event */
    char *module;     /* path */
    uint64_t address; /* a return address, relative to the module's bias */
};
struct ending { /* zeroed: the job was not ended */
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
    struct ending_frame *frame; /* not read back: the trace keeps them in its table stack */
    uint32_t frame_count, frame_room;
};

/* Add to the record. A wait belongs to the call added last; its ranks may come in any order and
 * more than once. Failures are reported. */
enum core_status ending_call_add(struct ending *ending, const struct ending_call *call);
enum core_status ending_wait_add(struct ending *ending, const struct ending_wait *wait,
                                 const uint32_t *rank, uint32_t rank_count);
/* Adds the next outer function on the stack of the call. */
enum core_status ending_frame_add(struct ending *ending, const struct ending_call *call,
                                  const char *module, uint64_t address);
void ending_frames_drop(struct ending *ending);
/* Adds a span that was read from a trace. Returns CORE_BAD_FORMAT, without a report, unless it lies
 * behind the span before it. */
enum core_status ending_span_add(struct ending *ending, struct ending_span span);
void ending_done(struct ending *ending); /* leaves it zeroed */

/* Returns the number of ranks of the wait. */
uint32_t ending_wait_ranks(const struct ending *ending, const struct ending_wait *wait);
/* Tells whether a call waits for ranks of another job. */
bool ending_reaches_jobs(const struct ending *ending);

#endif
