/* Inside of the logical engine, shared by run.c (point to point), run_coll.c (collectives, locks) and run_result.c (what came of it).
 * Nobody else includes this. */
#ifndef REPLAY_RUN_STATE_H
#define REPLAY_RUN_STATE_H

#include "replay/match.h"
#include "replay/run.h"

enum request_flag {
    REQUEST_DONE = 1,
    REQUEST_AWAITED = 2,  /* counted in its rank's `waiting` */
    REQUEST_BUFFERED = 4, /* a send that completed before its message was received */
    REQUEST_CANCELLED = 8
};

enum hold { /* why a rank is off the work list */
    HOLD_NOT,      /* on it */
    HOLD_MESSAGE,  /* blocking send or receive, mrecv: the operation completes as a whole */
    HOLD_REQUESTS, /* wait, wait_all: `waiting` requests are missing */
    HOLD_ANY,      /* wait_any, wait_some: looks again whenever an awaited request completes */
    HOLD_PROBE,    /* looks again whenever a message comes */
    HOLD_COLL,
    HOLD_DETACH,
    HOLD_LOCK,
    HOLD_END       /* past its last operation */
};

struct rank_state {
    uint32_t pc;
    uint32_t waiting;
    uint8_t *request; /* flags, by request */
    uint8_t hold;
    int32_t forced;   /* matched probe of any source: the source decided for it; -1 none */
    bool relaxed;     /* wait_any, probe: what was recorded did not come, anything will do */
};

struct rank_side { /* for what few programs use */
    uint64_t attached, used;    /* buffer of buffered sends */
    bool attaches;
    uint64_t held_bytes;        /* of messages here that no receive has taken and that do not hold their sender */
    uint32_t held_count;
};

struct coll_waiter {
    uint32_t rank, op, next;
};
struct coll_state { /* one collective, from its first rank to its last */
    uint32_t comm, number;
    uint32_t arrived, arrived_remote; /* arrived counts all */
    uint32_t first_rank, first_op;    /* to enter */
    uint32_t waiter;                  /* list, 0: none */
    uint32_t next;                    /* in its bucket, or in the free list */
    uint32_t root_rank;               /* of the root that came, UINT32_MAX */
    uint32_t frontier;                /* prefix: so many members from the first on have come */
    uint8_t *came;                    /* prefix: by member; else NULL */
};
struct lock_waiter {
    uint32_t rank, next;
};
struct lock_state {
    uint32_t comm, target;
    uint32_t holder, waiter, waiter_last; /* lists of lock_waiter; all holders are shared ones, or it is a single one */
    bool exclusive;
};
struct taken { /* a message that a matched probe took */
    uint32_t rank;
    int32_t request, from;
    uint32_t send_op;
};

struct replay_run {
    const struct replay_program *program;
    const struct replay_policy *policy; /* of the current run */
    struct replay_choice *choice, own_choice;
    struct replay_result *result; /* NULL: only the outcome is wanted */
    struct replay_hooks hooks;
    bool hooked;
    struct rank_state *state;
    struct rank_side *side;
    uint8_t *request; /* flags of all ranks */
    uint64_t request_count;
    uint32_t *work;   /* ranks that can go on: a stack */
    uint32_t work_count;
    uint32_t slow_rank; /* UINT32_MAX: none */
    bool slow_ready, random_schedule;
    struct replay_match match;
    bool match_ready;
    uint64_t op_count;
    bool has_choices;
    bool has_wild, has_buffered; /* program: any wildcard, probe, waitany; any buffered send */
    bool has_send_detail; /* program: buffered sends; or policy: credits, pool */
    bool bounded;     /* policy: credits, pool */
    bool track;       /* keep rank_side.held_* up to date */
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
    struct replay_option *option; /* what can be decided now that the world is at rest */
    uint32_t option_count, option_room;
    uint32_t *candidate;          /* scratch, one a rank */
    uint64_t messages;
    bool assumed;
    uint32_t assumed_rank;
    uint64_t assumed_event;
};

/* What the matching knows an operation by: its index, and the request to complete (plus 1; 0: it blocks), so that completing it need
 * not look at the program. */
static inline uint64_t run_who(uint32_t index, const struct replay_op *op)
{
    bool blocks = op->kind == REPLAY_SEND || op->kind == REPLAY_RECV;
    return index | (blocks ? 0 : ((uint64_t)(uint32_t)op->request + 1) << 32);
}
static inline uint32_t run_who_op(uint64_t who)
{
    return (uint32_t)who;
}

static inline bool run_entry(const struct replay_run *run, uint32_t entry, struct replay_match_key *out_key,
                             uint32_t *out_op)
{
    uint64_t who;
    bool is_receive = replay_match_get(&run->match, entry, out_key, &who);
    *out_op = run_who_op(who);
    return is_receive;
}

/* run.c */
bool run_request_is_done(const struct replay_run *run, uint32_t rank, int32_t request);
int32_t run_wanted(const struct replay_run *run, uint32_t rank, uint32_t op); /* source or member by policy; -1 none */
bool run_probe_waits(const struct replay_run *run, const struct replay_op *op); /* for a decision which message to take */
bool run_is_buffered(const struct replay_run *run, uint32_t rank, uint32_t op); /* a send whose message is still kept */
void run_deliver(struct replay_run *run, uint32_t from, uint32_t send_op, uint32_t to, uint32_t receive_op, bool choice);
void run_settle(struct replay_run *run, uint32_t to);

/* run_rest.c: the world is at rest; false: nothing can be decided either. */
bool run_decide(struct replay_run *run);

void run_wake(struct replay_run *run, uint32_t rank);
void run_request_done(struct replay_run *run, uint32_t rank, int32_t request);
void run_assume(struct replay_run *run, uint32_t rank, uint32_t op);
void run_error(struct replay_run *run, const struct replay_error *error);

/* run_coll.c. True: the rank goes on; false: it is held. */
bool run_coll_enter(struct replay_run *run, uint32_t rank, uint32_t op);
bool run_lock_enter(struct replay_run *run, uint32_t rank, const struct replay_op *op);
void run_lock_leave(struct replay_run *run, uint32_t rank, const struct replay_op *op);
void run_coll_reset(struct replay_run *run);
void run_coll_done(struct replay_run *run);
/* NULL: nobody has entered it, or everybody has left it */
const struct coll_state *run_coll_find(const struct replay_run *run, uint32_t comm, uint32_t number);
bool run_coll_ready(const struct replay_run *run, const struct coll_state *coll, uint32_t rank, uint32_t op);

/* run_result.c. The world has come to rest. */
enum core_status run_conclude(struct replay_run *run, enum replay_outcome *out_outcome);

#endif
