/* The engine with the logical clock: no time, only progress. It runs every rank as far as it goes
 * and says how the world ends.
 *
 * Semantics, where the standard leaves room: a synchronous send completes when its receive is
 * posted; a standard one as the policy says; a buffered one at once, if the attached buffer has
 * room, else that is an error of the program; a ready one is an error if no receive is posted in
 * this schedule, and goes on as standard. Collectives as coll= says. Locks of one-sided epochs are
 * taken at the lock call (synchronising) or not at all (relaxed). MPI_Finalize holds nobody. A test
 * whose recorded outcome was true waits.
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
    REPLAY_FINISHED, /* every rank came to its end */
    REPLAY_DEADLOCK, /* no operation can go on: result.waitfor says who holds whom */
    REPLAY_STALLED,  /* the same, but all who wait may wait for a rank whose record ends early:
                        nothing is claimed */
    REPLAY_OUTCOME_COUNT
};
const char *
replay_outcome_text(enum replay_outcome outcome); /* "finished", "deadlock", "cannot say" */

struct replay_leftover { /* an operation that never met its partner although the world finished (or
                            stalled) */
    uint32_t rank, op;
    uint64_t event;
    uint8_t kind; /* of the operation */
    bool is_send;
    bool complete; /* a send that completed into a buffer: the message is lost */
    int32_t peer, tag;
    uint32_t comm;
    uint64_t bytes;
};

enum replay_error_kind {
    REPLAY_ERROR_READY,  /* ready send, no receive posted in this schedule */
    REPLAY_ERROR_BUFFER, /* buffered send, no room in the attached buffer in this schedule; bytes =
                            how many were missing */
    REPLAY_ERROR_TRUNCATED,  /* message longer than its receive; other = the send */
    REPLAY_ERROR_COLLECTIVE, /* ranks disagree on what the n-th collective of a communicator is, or
                                on its root; other = the first to enter */
    REPLAY_ERROR_COUNT
};
struct replay_error {
    enum replay_error_kind kind;
    uint32_t rank, op;
    uint64_t event;
    int32_t other_rank; /* -1 none */
    uint32_t other_op;
    uint64_t other_event, bytes;
};

struct replay_result {
    enum replay_outcome outcome;
    bool by_threads; /* assumed: threads of a rank compete for messages, or a deadlock needs their
                        recorded order */
    bool assumed; /* the verdict rests on operations that the trace does not vouch for: a wildcard
                     took another message than in the recorded run, or a test's outcome was taken
                     for granted, and the program was assumed to go on as recorded */
    uint32_t assumed_rank; /* the first such place, valid when assumed */
    uint64_t assumed_event;
    uint64_t ops;            /* operations executed */
    uint64_t messages;       /* matched */
    uint64_t held_bytes_max; /* most that any receiver held at a time in messages that no receive
                                had taken, and which one */
    uint32_t held_rank;
    uint32_t held_count_max;
    struct replay_waitfor waitfor; /* empty when finished */
    struct replay_leftover
        *leftover; /* by rank, op; messages first. At most REPLAY_LEFTOVERS_MAX are listed */
    uint64_t leftover_count;
    uint32_t leftover_listed;
    struct replay_error *error; /* in the order met; at most REPLAY_ERRORS_MAX are listed */
    uint64_t error_count;
    uint32_t error_listed, error_room;
};
enum { REPLAY_LEFTOVERS_MAX = 1000, REPLAY_ERRORS_MAX = 1000 };
void replay_result_done(struct replay_result *result);

enum replay_option_kind {
    REPLAY_OPTION_MATCH, /* rank's wildcard receive or matched probe op takes the message that
                            `from` sent by from_op */
    REPLAY_OPTION_RELAX, /* rank's waitany, waitsome or probe op does not wait for what was
                            recorded: `from` is what it can have */
    REPLAY_OPTION_BUFFER /* rank's send op, to `from`, completes without its receive */
};
struct replay_option {
    uint8_t kind;
    bool diverges; /* the recorded run took another */
    bool blocking; /* BUFFER: the rank is held until this send completes */
    uint32_t rank, op;
    int32_t from;
    uint32_t from_op;
    uint32_t entry, message; /* private */
};

/* One match, decision or completion, for those who want to know more than the verdict (need,
 * explore, reports). */
struct replay_hooks {
    void *context;
    /* message matched: sender, its operation, receiver, its operation; `choice`: a wildcard had to
     * choose */
    void (*matched)(void *context, uint32_t from, uint32_t send_op, uint32_t to,
                    uint32_t receive_op, bool choice);
    /* a standard send was posted; buffered says what became of it */
    void (*sent)(void *context, uint32_t rank, uint32_t op, bool buffered);
    /* messages waiting at a receiver: only with a result */
    void (*held)(void *context, uint32_t rank, uint64_t bytes, uint32_t count);
    bool late_buffering; /* offer REPLAY_OPTION_BUFFER to decide */
    /* Takes the decision when nothing goes on by itself, in place of the policy's order: an index
     * into option, or REPLAY_STOP to end the run here. Under this hook wildcards wait until they
     * are decided, and sends that wait for their receive can be buffered late. */
    uint32_t (*decide)(void *context, const struct replay_option *option, uint32_t count);
    /* Whether the options of one wildcard, the first of its rank, will do: decide is then given
     * these alone. NULL: it wants all. */
    bool (*enough)(void *context, const struct replay_option *option, uint32_t count);
};
#define REPLAY_STOP UINT32_MAX

/* A machine for one program; runs as often as you like, at a cost proportional to what is run. The
 * program must have passed replay_program_check and must stay as it is. */
struct replay_run;
enum core_status replay_run_open(const struct replay_program *program, struct replay_run **out_run);
void replay_run_close(struct replay_run *run);
void replay_run_hooks(struct replay_run *run,
                      const struct replay_hooks *hooks); /* copied; NULL: none */

/* Runs from the start to the end under a policy. choice NULL: chance comes from policy->seed. Fills
 * *out_result (free it with replay_result_done), NULL: only *out_outcome is wanted, which is
 * faster. */
enum core_status replay_run_all(struct replay_run *run, const struct replay_policy *policy,
                                struct replay_choice *choice, enum replay_outcome *out_outcome,
                                struct replay_result *out_result);

/* For hooks: the operation that a rank is at, in the middle of a run; op_count at its end. Of
 * several threads, the one that is furthest behind. */
uint32_t replay_run_at(const struct replay_run *run, uint32_t rank);
/* Whether anything is left to chance: wildcard receives, probes of any source, waits for any or
 * some of several. */
bool replay_run_has_choices(const struct replay_run *run);
/* Whether threads of a rank compete for messages: their order, which is kept as recorded, then
 * matters. */
bool replay_run_competes(const struct replay_run *run);
/* Operations of the program. */
uint64_t replay_run_ops(const struct replay_run *run);

/* Open, run once, close. */
enum core_status replay_run_once(const struct replay_program *program,
                                 const struct replay_policy *policy,
                                 struct replay_result *out_result);

#endif
