/* Declares the inside of the logical engine for its files: run.c (point to point), run_threads.c,
 * run_coll.c (collectives, locks), run_rest.c and run_result.c (the result of a run). No other file
 * includes this. */
#ifndef REPLAY_LOGICAL_RUN_STATE_H
#define REPLAY_LOGICAL_RUN_STATE_H

#include "core/matching/queue.h"
#include "replay/logical/run.h"

enum request_flag {
    REQUEST_DONE = 1,
    REQUEST_AWAITED = 2,  /* counted in its rank's `waiting` */
    REQUEST_BUFFERED = 4, /* a send that completed before its message was received */
    REQUEST_CANCELLED = 8
};

enum hold {                /* why a context is off the work list */
            HOLD_NOT,      /* on the work list */
            HOLD_MESSAGE,  /* blocking send or receive, mrecv: the operation completes as a whole */
            HOLD_REQUESTS, /* wait, wait_all: `waiting` requests are incomplete */
            HOLD_ANY,      /* wait_any, wait_some: retries whenever an awaited request completes */
            HOLD_PROBE,    /* probe: retries whenever a message arrives */
            HOLD_COLL,
            HOLD_DETACH,
            HOLD_LOCK,
            HOLD_ORDER, /* waits for an operation of another thread of its rank */
            HOLD_END    /* past its last operation */
};

struct rank_state { /* of a context: a rank, or a thread of a rank with several */
    uint32_t pc;
    uint32_t waiting;
    uint8_t *request; /* flags by request */
    uint8_t hold;
    int32_t forced;                /* probe of any source: the source chosen for it; -1: none */
    int32_t found_from, found_tag; /* what the last probe that a receive refers to has found */
    bool relaxed; /* wait_any, probe: the recorded choice did not come, so accept any */
};

struct rank_side {           /* data that few programs need */
    uint64_t attached, used; /* bytes of the attached buffer; bytes in use */
    bool attaches;
    uint64_t held_bytes; /* bytes of unreceived messages here whose senders do not wait */
    uint32_t held_count;
};

struct waiting_send {
    uint32_t rank, op;
};
struct waiting_sends { /* sends that wait for room at a receiver, in order of arrival; some may have
                          been received meanwhile */
    struct waiting_send *send;
    uint32_t first, count, room;
    uint64_t bytes_min; /* smallest size of any that has waited */
};
struct coll_waiter {
    uint32_t rank, op, next;
};
struct coll_state { /* one collective, from its first rank to its last */
    uint32_t comm, number;
    uint32_t arrived, arrived_remote; /* arrived counts both groups */
    uint32_t first_rank, first_op;    /* the first to enter */
    uint32_t waiter;                  /* list of waiting ranks; 0: none */
    uint32_t next;                    /* in its bucket, or in the free list */
    uint32_t root_rank;               /* rank of the root; UINT32_MAX: it has not entered */
    uint32_t frontier;                /* prefix: all members below this one have entered */
    uint8_t *came;                    /* prefix: by member: has entered; else NULL */
};
struct lock_waiter {
    uint32_t rank, op, next;
};
#define RUN_LOCK_ALL ((uint32_t)REPLAY_ANY) /* as a target */
struct lock_state {
    uint32_t comm, target;
    uint32_t holder, waiter,
        waiter_last; /* lists of lock_waiter; the holders are all shared ones, or a single one */
    bool exclusive;
};
struct taken { /* a message taken by a matched probe */
    uint32_t rank;
    int32_t request, from;
    uint32_t send_op;
};

struct run_thread_op { /* for ranks with several threads */
    uint32_t next;     /* next operation of the thread; op_count: none */
    uint32_t thread;   /* number among all threads */
    uint32_t need;     /* operations that had returned when it began in the recorded run */
    uint32_t place;    /* place in the order of return */
    uint32_t after;    /* index + 1 of another thread's operation that must have begun; 0: none */
};
struct run_thread_link {
    uint32_t before, after; /* neighbours in the list: thread + 1 */
};
struct run_threads {        /* present if a rank has several threads; see run_threads.c */
    uint32_t count;         /* threads of all these ranks */
    uint32_t *first, *rank; /* as in struct replay_waitfor_threads */
    uint32_t *start;        /* by thread: its first operation */
    uint64_t *base;         /* by rank: where its operations begin in the next two arrays */
    struct run_thread_op *op;
    uint8_t *passed; /* by operation, then by place in the order of return: has passed */
    uint64_t op_count;
    uint32_t *frontier; /* by rank: operations passed, without a gap in the order of return */
    uint32_t *waiter; /* first waiting thread + 1: by operation, until it has begun; then by place,
                         until the frontier has passed it */
    uint32_t *waiter_next;                 /* by thread */
    uint32_t *looking, *looking_last;      /* by rank: threads, plus 1, that wait and retry by
                                              themselves, in ascending order */
    struct run_thread_link *look_link;     /* by thread */
    uint32_t *ready;                       /* scratch, one entry per thread */
    uint32_t *awaiter;                     /* by request: the context that waits for it */
    bool contended;                        /* threads of a rank compete for messages */
    uint32_t contended_rank, contended_op; /* the first operation for which they do */
};

struct replay_run {
    const struct replay_program *program;
    const struct replay_policy *policy; /* of the current run */
    struct replay_choice *choice, own_choice;
    struct replay_result *result; /* NULL: the caller wants only the outcome */
    struct replay_hooks hooks;
    bool hooked;
    struct rank_state *state;    /* by context */
    struct run_threads *threads; /* NULL: every rank has one thread */
    struct rank_side *side;
    struct waiting_sends *waiting; /* by receiver, for bounded policies; NULL: not needed yet */
    struct waiting_sends late;     /* sends of all ranks that can be buffered late */
    uint8_t *request;              /* flags of all ranks */
    uint64_t request_count;
    uint32_t *work; /* stack of contexts that can go on */
    uint32_t work_count;
    uint32_t slow_rank; /* UINT32_MAX: none */
    bool slow_ready, random_schedule;
    struct matching match;
    bool match_ready;
    uint64_t op_count;
    bool has_choices;
    bool has_wild, has_buffered; /* program: any wildcard, probe, waitany; any buffered send */
    bool has_send_detail;        /* program: buffered sends; or policy: credits, pool */
    bool bounded;                /* the policy has credits or a pool */
    bool track;                  /* keep rank_side.held_* up to date */
    enum core_status failed;
    struct coll_state *coll;
    uint32_t *coll_bucket, coll_bits, coll_top, coll_room, coll_free, coll_used;
    struct coll_waiter *coll_waiter;
    uint32_t coll_waiter_top, coll_waiter_room, coll_waiter_free;
    struct lock_state *lock;
    uint32_t lock_count, lock_room;
    struct lock_waiter *lock_waiter;
    uint32_t lock_waiter_top, lock_waiter_room, lock_waiter_free;
    struct taken *taken;
    uint32_t taken_count, taken_room;
    struct replay_option *option; /* choices that are open now that the world is at rest */
    uint32_t option_count, option_room;
    uint32_t *candidate; /* scratch, one entry per rank */
    uint64_t messages;
    bool assumed;
    uint32_t assumed_rank;
    uint64_t assumed_event;
};

_Static_assert((uint32_t)REPLAY_RANKS_MAX < MATCHING_RECEIVE, "queue.h keeps a bit of a rank");
_Static_assert((REQUEST_DONE | REQUEST_AWAITED | REQUEST_BUFFERED | REQUEST_CANCELLED) ==
                   REQUEST_DONE + REQUEST_AWAITED + REQUEST_BUFFERED + REQUEST_CANCELLED,
               "each flag of a request has a bit of its own");

/* Returns the number by which the matching knows an operation: its index, and the request to
 * complete plus 1 (0: it blocks), so that completing it needs no look at the program. */
static inline uint64_t run_who(uint32_t index, const struct replay_op *op)
{
    bool blocks = op->kind == REPLAY_SEND || op->kind == REPLAY_RECV;
    return index | (blocks ? 0 : ((uint64_t)(uint32_t)op->request + 1) << 32);
}
static inline uint32_t run_who_op(uint64_t who)
{
    return (uint32_t)who;
}

static inline bool run_entry(const struct replay_run *run, uint32_t entry,
                             struct matching_key *out_key, uint32_t *out_op)
{
    uint64_t who;
    bool is_receive = matching_get(&run->match, entry, out_key, &who);
    *out_op = run_who_op(who);
    return is_receive;
}

/* run_threads.c */
enum core_status run_threads_open(struct replay_run *run);
void run_threads_done(struct replay_run *run);
void run_threads_start(struct replay_run *run);
bool run_threads_passed(const struct replay_run *run, uint32_t rank, uint32_t op);
bool run_threads_may_begin(const struct replay_run *run, uint32_t rank, uint32_t op);
void run_threads_begun(struct replay_run *run, uint32_t rank, uint32_t op);
void run_threads_await(struct replay_run *run, uint32_t context); /* it may not begin: HOLD_ORDER */
void run_threads_look(struct replay_run *run, uint32_t context);
void run_threads_look_no_more(struct replay_run *run, uint32_t context);
void run_threads_pass(struct replay_run *run, uint32_t rank, struct rank_state *state);
uint32_t run_threads_first_unpassed(const struct replay_run *run, uint32_t rank);
uint32_t run_threads_awaited(const struct replay_run *run, uint32_t rank, uint32_t op,
                             uint32_t *out_context, uint32_t room);

static inline bool run_is_threaded(const struct replay_run *run, uint32_t rank)
{
    return run->threads && run->threads->first[rank] < run->threads->first[rank + 1];
}
/* Returns the context of an operation. */
static inline uint32_t run_context(const struct replay_run *run, uint32_t rank, uint32_t op)
{
    if (__builtin_expect(run->threads != NULL, false) && run_is_threaded(run, rank))
        return run->program->rank_count + run->threads->op[run->threads->base[rank] + op].thread;
    return rank;
}
static inline uint32_t run_rank_of(const struct replay_run *run, uint32_t context)
{
    return context < run->program->rank_count
               ? context
               : run->threads->rank[context - run->program->rank_count];
}
static inline uint32_t run_context_count(const struct replay_run *run)
{
    return run->program->rank_count + (run->threads ? run->threads->count : 0);
}
/* Tells whether a context with this hold retries by itself. Only these contexts of a rank are
 * visited when the rank gets something new, however many other threads it has. */
static inline bool run_looks(uint8_t hold)
{
    return hold == HOLD_ANY || hold == HOLD_PROBE || hold == HOLD_DETACH;
}
static inline void run_hold_looking(struct replay_run *run, struct rank_state *state,
                                    enum hold hold)
{
    uint32_t context = (uint32_t)(state - run->state);
    state->hold = hold;
    if (context >= run->program->rank_count)
        run_threads_look(run, context);
}
/* Return the first context of a rank that may retry, and the one after it; UINT32_MAX: no more. */
static inline uint32_t run_looking_first(const struct replay_run *run, uint32_t rank)
{
    if (!run_is_threaded(run, rank))
        return rank;
    uint32_t first = run->threads->looking[rank];
    return first ? run->program->rank_count + first - 1 : UINT32_MAX;
}
static inline uint32_t run_looking_next(const struct replay_run *run, uint32_t context)
{
    uint32_t ranks = run->program->rank_count;
    uint32_t next = context < ranks ? 0 : run->threads->look_link[context - ranks].after;
    return next ? ranks + next - 1 : UINT32_MAX;
}
/* Moves a context past its present operation. */
static inline void run_pass(struct replay_run *run, uint32_t rank, struct rank_state *state)
{
    if (__builtin_expect(run->threads != NULL, false) && run_is_threaded(run, rank))
        run_threads_pass(run, rank, state);
    else
        state->pc++;
}
/* Tells whether an operation is complete in its context. */
static inline bool run_passed(const struct replay_run *run, uint32_t rank, uint32_t op)
{
    return run_is_threaded(run, rank) ? run_threads_passed(run, rank, op)
                                      : op < run->state[rank].pc;
}

/* run.c */
void run_blocking_done(struct replay_run *run, uint32_t rank, uint32_t op); /* of a held context */
bool run_request_is_done(const struct replay_run *run, uint32_t rank, int32_t request);
bool run_probe_waits(const struct replay_run *run,
                     const struct replay_op *op); /* for the decision on its message */
bool run_is_buffered(const struct replay_run *run, uint32_t rank,
                     uint32_t op); /* a send whose message is kept */
void run_deliver(struct replay_run *run, uint32_t from, uint32_t send_op, uint32_t to,
                 uint32_t receive_op, bool choice);
void run_wake_held(struct replay_run *run, uint32_t rank, enum hold hold);
/* Returns the source or member that the policy demands, or -1. */
int32_t run_wanted(const struct replay_run *run, uint32_t rank, uint32_t op);

/* run_settle.c: let receives of any source take the message that the policy names, and match what
 * needs no choice: after an entry was removed, or after one with the key was posted. */
void run_settle(struct replay_run *run, uint32_t to);
void run_posted(struct replay_run *run, const struct matching_key *key);

/* Tells whether an unbuffered standard send still waits: its message was not received, even if a
 * matched probe has taken it. */
bool run_send_is_held(const struct replay_run *run, struct waiting_send send);

/* run_rest.c: decides something when the world is at rest; false: nothing is left to decide. */
bool run_decide(struct replay_run *run);

void run_wake(struct replay_run *run, uint32_t context);
void run_request_done(struct replay_run *run, uint32_t rank, int32_t request);
void run_assume(struct replay_run *run, uint32_t rank, uint32_t op);
void run_error(struct replay_run *run, const struct replay_error *error);

/* run_coll.c. Return true if the rank goes on, false if it is on hold. */
bool run_coll_enter(struct replay_run *run, uint32_t rank, uint32_t op);
bool run_lock_enter(struct replay_run *run, uint32_t rank, uint32_t op);
void run_lock_leave(struct replay_run *run, uint32_t rank, const struct replay_op *op);
void run_coll_reset(struct replay_run *run);
void run_coll_done(struct replay_run *run);

/* run_result.c: concludes the run when the world has come to rest. */
enum core_status run_conclude(struct replay_run *run, enum replay_outcome *out_outcome);

#endif
