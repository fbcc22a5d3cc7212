/* Runs a program on the logical clock: no time, only progress. It runs every rank as far as
 * possible and says how the world ends.
 *
 * Semantics, where the standard leaves room: a synchronous send completes when its receive is
 * posted; a standard send as the policy says; a buffered send at once, or with an error of the
 * program if the attached buffer has no room; a ready send without a posted receive is an error,
 * and continues as a standard send. Collectives complete as coll= says. Locks of one-sided epochs
 * are taken at the lock call (synchronising) or not at all (relaxed). MPI_Finalize never waits. A
 * test whose recorded outcome was true waits.
 *
 * Invariants
 *  1. Every context (a rank, or a thread of a rank that has several: run_threads.c) is on the work
 *     list, blocked on its operation pc, or past its end.
 *  2. A request is done at most once; a context blocked in a wait counts exactly its undone awaited
 *     requests.
 *  3. Equal program, policy and choices give equal results, byte for byte. */
#ifndef REPLAY_LOGICAL_RUN_H
#define REPLAY_LOGICAL_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "replay/policy/choice.h"
#include "replay/policy/policy.h"
#include "replay/program/program.h"
#include "replay/logical/waitfor.h"

enum replay_outcome {
    REPLAY_FINISHED, /* every rank finished */
    REPLAY_DEADLOCK, /* no operation can proceed: result.waitfor says which rank blocks which */
    REPLAY_STALLED,  /* the same, but each waiting rank may wait for a rank whose record ends early:
                        nothing is claimed */
    REPLAY_OUTCOME_COUNT
};
const char *
replay_outcome_text(enum replay_outcome outcome); /* "finished", "deadlock" or "cannot say" */

struct replay_leftover { /* an operation without a partner, although the world finished (or stalled)
                          */
    uint32_t rank, op;
    uint64_t event;
    uint8_t kind; /* of the operation */
    bool is_send;
    bool complete; /* for a send: it completed into a buffer, so the message is lost */
    int32_t peer, tag;
    uint32_t comm;
    uint64_t bytes;
};

enum replay_error_kind {
    REPLAY_ERROR_READY,      /* ready send without a receive posted in this schedule */
    REPLAY_ERROR_BUFFER,     /* buffered send without room in the attached buffer in this schedule;
                                bytes: how many were missing */
    REPLAY_ERROR_TRUNCATED,  /* message longer than its receive; other: the send */
    REPLAY_ERROR_COLLECTIVE, /* ranks disagree on what the n-th collective of a communicator is, or
                                on its root; other: the first to enter */
    REPLAY_ERROR_COUNT
};
struct replay_error {
    enum replay_error_kind kind;
    uint32_t rank, op;
    uint64_t event;
    int32_t other_rank; /* -1: none */
    uint32_t other_op;
    uint64_t other_event, bytes;
};

struct replay_result {
    enum replay_outcome outcome;
    bool by_threads; /* the verdict assumes an order of threads: they compete for messages, or the
                        deadlock needs their recorded order */
    bool assumed; /* the verdict rests on operations that the trace does not prove: a wildcard took
                     another message than recorded, or a test was assumed to succeed, and the
                     program was assumed to continue as recorded */
    uint32_t assumed_rank; /* the first such operation, if assumed */
    uint64_t assumed_event;
    uint64_t ops;            /* operations executed */
    uint64_t messages;       /* matched */
    uint64_t held_bytes_max; /* largest number of unreceived bytes at one receiver at a time, and
                                that receiver */
    uint32_t held_rank;
    uint32_t held_count_max;
    struct replay_waitfor waitfor; /* empty when finished */
    struct replay_leftover
        *leftover; /* ascending by rank and op, messages first; at most REPLAY_LEFTOVERS_MAX */
    uint64_t leftover_count;
    uint32_t leftover_listed;
    struct replay_error *error; /* in the order of occurrence; at most REPLAY_ERRORS_MAX */
    uint64_t error_count;
    uint32_t error_listed, error_room;
};
enum { REPLAY_LEFTOVERS_MAX = 1000, REPLAY_ERRORS_MAX = 1000 };
void replay_result_done(struct replay_result *result);

enum replay_option_kind {
    REPLAY_OPTION_MATCH, /* the rank's wildcard receive or matched probe op takes the message that
                            `from` sent by from_op */
    REPLAY_OPTION_RELAX, /* the rank's waitany, waitsome or probe op accepts `from` instead of the
                            recorded choice */
    REPLAY_OPTION_BUFFER /* the rank's send op to `from` completes without its receive */
};
struct replay_option {
    uint8_t kind;
    bool diverges; /* the recorded run chose otherwise */
    bool blocking; /* BUFFER: the rank waits until this send completes */
    uint32_t rank, op;
    int32_t from;
    uint32_t from_op;
    uint32_t entry, message; /* private */
};

/* Callbacks for each match, decision and completion, for callers that need more than the verdict
 * (need, explore, reports). */
struct replay_hooks {
    void *context;
    /* a message matched: sender and its operation, receiver and its operation; choice: a wildcard
     * had several candidates */
    void (*matched)(void *context, uint32_t from, uint32_t send_op, uint32_t to,
                    uint32_t receive_op, bool choice);
    /* a standard send was posted; buffered: it completed at once */
    void (*sent)(void *context, uint32_t rank, uint32_t op, bool buffered);
    /* messages waiting at a receiver; called only in runs with a result */
    void (*held)(void *context, uint32_t rank, uint64_t bytes, uint32_t count);
    bool late_buffering; /* offers REPLAY_OPTION_BUFFER to decide */
    /* Decides when nothing proceeds by itself, instead of the policy: returns an index into option,
     * or REPLAY_STOP to end the run. With this hook wildcards wait for their decision, and sends
     * that wait for their receive can be buffered late. */
    uint32_t (*decide)(void *context, const struct replay_option *option, uint32_t count);
    /* Tells whether the options of one wildcard, the first of its rank, suffice: decide then gets
     * only these. NULL: decide wants all. */
    bool (*enough)(void *context, const struct replay_option *option, uint32_t count);
};
#define REPLAY_STOP UINT32_MAX

/* A machine for one program. It can run any number of times, each at a cost proportional to the
 * operations run. The program must have passed replay_program_check and must not change. */
struct replay_run;
enum core_status replay_run_open(const struct replay_program *program, struct replay_run **out_run);
void replay_run_close(struct replay_run *run);
void replay_run_hooks(struct replay_run *run,
                      const struct replay_hooks *hooks); /* copied; NULL: none */

/* Runs from start to end under a policy. choice NULL: policy->seed decides by chance. Fills
 * *out_result (free it with replay_result_done); NULL: computes only *out_outcome, which is faster.
 */
enum core_status replay_run_all(struct replay_run *run, const struct replay_policy *policy,
                                struct replay_choice *choice, enum replay_outcome *out_outcome,
                                struct replay_result *out_result);

/* Returns, for hooks, the operation at which a rank is in the middle of a run; op_count at its end.
 * With several threads it is the first unfinished operation. */
uint32_t replay_run_at(const struct replay_run *run, uint32_t rank);
/* Tells whether the program leaves choices: wildcard receives, probes of any source, waits for any
 * or some of several. */
bool replay_run_has_choices(const struct replay_run *run);
/* Tells whether threads of a rank compete for messages, so that their order, which is kept as
 * recorded, matters. */
bool replay_run_competes(const struct replay_run *run);
/* Returns the number of operations of the program. */
uint64_t replay_run_ops(const struct replay_run *run);

/* Opens a machine, runs it once, closes it. */
enum core_status replay_run_once(const struct replay_program *program,
                                 const struct replay_policy *policy,
                                 struct replay_result *out_result);

#endif
