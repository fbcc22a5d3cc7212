/* Declares the inside of lowering for lower.c (the walk, point to point) and lower_*.c. No other
 * file includes this. */
#ifndef REPLAY_PROGRAM_LOWER_STATE_H
#define REPLAY_PROGRAM_LOWER_STATE_H

#include "core/array.h"
#include "core/trace/collective.h"
#include "core/trace/request.h"
#include "replay/program/lower.h"

#define A_LOWERING "lowering a trace" /* out of memory for ... */

enum {               /* indexes of a request's `own` */
       LOWER_NUMBER, /* number in the program of its latest start, plus 1; 0: none */
       LOWER_OP,     /* the operation of its latest start */
       LOWER_START   /* persistent: index into lower->start, plus 1; 0: unsupported */
};

struct lower_poll {           /* a test or probe that found nothing */
    struct trace_event event; /* its completions are not kept */
    uint64_t *request;        /* requests that it tests */
    uint32_t request_count;
};

struct lower_pair { /* context in which partitioned requests of a communicator match */
    struct {
        int32_t comm;  /* the trace's */
        uint32_t pair; /* of these requests; 0: for the token by which a rank tells itself that all
                          partitions of a send are marked */
    } key;
    int32_t comm; /* the program's; -1: not made yet */
};

struct lower_window { /* trace's window -> program's communicator; -1: not made yet */
    int32_t win, comm;
};

struct lower_epoch { /* post-start-complete-wait on a window: world ranks named by the last start
                        and the last post */
    int32_t win;
    int64_t *target, *origin;
    uint32_t target_count, origin_count;
};

struct lower_thread {   /* a thread of the rank that is lowered now */
    uint64_t inside_of; /* seq of the collective whose inner events are lowered; 0: none */
    struct lower_poll
        *poll; /* its vain polls since its last other call, each different poll only once */
    uint32_t poll_count, poll_room;
    uint32_t probe; /* its last probe of any source, plus 1, if the message was not received yet; 0:
                       none */
    int32_t probe_tag; /* tag of the message that this probe found */
};

enum { LOWER_ANY_ROOM = INT32_MAX }; /* for buffered sends */
struct lower {
    struct trace *trace;
    const struct replay_lower_options *options;
    struct replay_program *program;
    struct replay_lower_notes *notes;
    struct collective_refused_list refused;
    uint32_t rank;
    uint64_t ops;              /* of the ranks before it */
    int32_t *comm;             /* trace's communicator -> program's; -1: not made yet */
    int32_t *inner;            /* the same, for the library's messages inside collectives */
    struct core_table window;  /* of struct lower_window */
    struct core_table pairs;   /* of struct lower_pair */
    struct lower_epoch *epoch; /* of this rank */
    uint32_t epoch_count, epoch_room;
    uint32_t *number; /* for this rank: collectives entered so far, by the program's communicator */
    uint32_t number_room;
    struct requests requests; /* of this rank */
    struct replay_op *start;  /* operations that starts of its persistent requests make */
    uint32_t start_count, start_room;
    uint32_t *cancel; /* by request: operation that cancels it, or UINT32_MAX */
    uint32_t cancel_room;
    int32_t *scratch; /* requests of a set */
    uint32_t scratch_room;
    bool expand;                 /* replace blocking collectives by the library's messages */
    struct lower_thread *thread; /* by number */
    uint32_t thread_count, thread_room;
    struct lower_thread *now; /* made the call that is lowered now */
    bool threads;             /* several threads made calls on this rank */
    uint64_t outer_leave;     /* when the last call outside of callbacks returned: calls that began
                                 before are inside callbacks */
    struct trace_event held;  /* a call that runs callbacks: it comes after their calls */
    bool holds;
    uint64_t attached; /* bytes of the process's attached buffer; 0: none */
    bool own_buffers; /* communicators or sessions had buffers: which message is in which is unknown
                       */
    bool finalized;
    bool inside; /* the rank's last call did not return */
    bool stop;   /* the rank's further acts are not understood: its end is unknown */
};

/* lower.c */
enum core_status lower_add(struct lower *lower, const struct trace_event *event,
                           struct replay_op op);
/* Returns the request's number in the program; -1: none, or NULL. */
static inline int32_t lower_number(const struct request *request)
{
    return request ? (int32_t)request->own[LOWER_NUMBER] - 1 : -1;
}
/* Keeps the operation that a start of the persistent request makes. */
enum core_status lower_persistent(struct lower *lower, const struct trace_event *event,
                                  const struct replay_op *op);
void lower_unsupported(struct lower *lower, const struct trace_event *event);
/* Finds the program's communicator for the trace's, cached in *slot; *out_comm -1: its members are
 * unknown. */
enum core_status lower_comm(struct lower *lower, int32_t *slot, int32_t comm, int32_t *out_comm);
/* Adds a nonblocking operation, which the trace's request id names from now on. id 0: no call can
 * wait for it. */
enum core_status lower_start(struct lower *lower, const struct trace_event *event,
                             struct replay_op op, uint64_t id);

/* Side of a call that sends and receives. */
enum lower_side { LOWER_SENDS, LOWER_RECEIVES };
/* Fills in the fields that name the message. *out_bad: no such message can exist, or the
 * communicator is unknown. */
enum core_status lower_message_op(struct lower *lower, const struct trace_event *event,
                                  enum lower_side side, struct replay_op *op, bool *out_bad);

/* lower_wait.c: starts, waits, tests, cancels; generalized requests, attached buffers. */
enum core_status lower_starts(struct lower *lower, const struct trace_event *event);
enum core_status lower_general(struct lower *lower, const struct trace_event *event);
enum core_status lower_wait(struct lower *lower, const struct trace_event *event, bool polling);
/* Tells whether a test succeeded: MPI_Testall if all are complete, the others if any is. */
bool lower_test_true(const struct trace_event *event);
enum core_status lower_cancel(struct lower *lower, const struct trace_event *event);
enum core_status lower_free(struct lower *lower, const struct trace_event *event);
enum core_status lower_buffer(struct lower *lower, const struct trace_event *event);
/* Learns from the completion of a request about the operation that made it; context: struct lower.
 */
enum core_status lower_learn(enum request_step step, const struct trace_event *event,
                             struct request *request, const struct trace_completion *done,
                             void *context);

/* lower_partition.c: partitioned requests. */
/* Finds the context in which a request of this pair matches its partner; see struct lower_pair.
 */
enum core_status lower_pair_comm(struct lower *lower, int32_t comm, uint32_t pair,
                                 uint32_t *out_comm);
/* Sends the message of a started send whose partitions are all marked. */
enum core_status lower_armed(struct lower *lower, const struct trace_event *event,
                             const struct request *request);
enum core_status lower_marked(struct lower *lower, const struct trace_event *event);

/* lower_poll.c: what a thread polled when its record ended. */
enum core_status lower_poll_keep(struct lower_thread *thread, const struct trace_event *event);
void lower_poll_forget(struct lower_thread *thread);
enum core_status lower_poll_end(struct lower *lower, struct lower_thread *thread);

/* lower_choice.c: waits, tests, probes and calls on windows as options->choices has them. */
enum core_status lower_choice(struct lower *lower, const struct trace_event *event, bool polling);
enum core_status lower_choice_probe(struct lower *lower, const struct trace_event *event);
bool lower_choice_is_window(const struct trace_event *event);
enum core_status lower_choice_window(struct lower *lower, const struct trace_event *event);

/* lower_coll.c: collectives, communicator creation, fences. */
enum core_status lower_collective(struct lower *lower, const struct trace_event *event);
/* Lowers a collective that MPI refused on this rank alone, while the others entered it. */
enum core_status lower_collective_refused(struct lower *lower, const struct trace_event *event);
/* Fills in the communicator (of_window: the window's own context) and the number. *out_skip:
 * nothing to wait for, or not understood. */
enum core_status lower_place(struct lower *lower, const struct trace_event *event, bool of_window,
                             int32_t id, struct replay_op *op, bool *out_skip);

/* lower_rma.c: locks; post, start, complete, wait, test. */
enum core_status lower_rma_test(struct lower *lower, const struct trace_event *event);
enum core_status lower_rma(struct lower *lower, const struct trace_event *event);
/* Finds the slot that caches a window's context, as lower->comm does for a communicator; valid
 * until the next call. */
enum core_status lower_window_slot(struct lower *lower, int32_t win, int32_t **out_slot);
void lower_epochs_done(struct lower *lower);

#endif
