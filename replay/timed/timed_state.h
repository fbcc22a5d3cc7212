/* Declares the inside of the timed clock for its files: timed.c (entry, loop, results),
 * timed_rank.c (operations, waits, collectives), timed_match.c (matching), timed_port.c (who starts
 * when), timed_link.c and timed_route.c (links shared), timed_lock.c, timed_path.c (idle time,
 * critical path). Not for other rooms.
 *
 * Invariants:
 * 1. One message record represents an operation posted but not matched, or a matched pair; it is
 *    freed when the message has ended and, if eager, has been received.
 * 2. A rank is in run[] or blocked or ended, never two of them.
 * 3. A blocked sender is idle, the first message of its queue goes to the rank that blocks it, and
 *    that rank's receiving port is busy.
 * 4. In one instant all completions come before all posts, and these before all starts. */
#ifndef REPLAY_TIMED_TIMED_STATE_H
#define REPLAY_TIMED_TIMED_STATE_H

#include <stddef.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/matching/queue.h"
#include "replay/timed/timed.h"
#include "replay/timed/timed_queue.h"

enum { NONE = 0 }; /* record 0 of every pool is never used: all zero means empty */
enum { WHOLE_OP = -1, NO_SIDE = -2 };
/* Low two bits of timed_event.what. The id is a rank for RESUME, an entry for COLLECTIVE, else a
 * message. If links are shared, the id of an END is a flow and the rest of `what` its version; a
 * message to oneself then ends as a FLOW. */
enum { EVENT_END, EVENT_RESUME, EVENT_FLOW, EVENT_COLLECTIVE };
_Static_assert(EVENT_COLLECTIVE < 4, "two bits of `what` hold a kind of event");

enum {                        /* message flags */
       MESSAGE_SEND = 1,      /* unmatched send */
       MESSAGE_RECV = 2,      /* unmatched receive */
       MESSAGE_SENT_LAST = 8, /* matched when the send was posted */
       MESSAGE_EAGER = 16,
       MESSAGE_ARRIVED = 32, /* eager, ended before its receive was posted */
       MESSAGE_QUEUED = 64,  /* in its sender's queue */
       MESSAGE_SELF = 128,
       MESSAGE_HELD = 256,    /* taken by a matched probe; its receive is not posted yet */
       MESSAGE_BUFFERED = 512 /* its send completed at once */
};

struct timed_message { /* fields that are never needed together share memory */
    uint64_t bytes;
    uint64_t ready; /* when both sides were posted; eager: when the send was posted */
    int32_t src, dst;
    union { /* of the send: a request, WHOLE_OP or NO_SIDE; of the receive until it is matched */
        int32_t send_request;
        int32_t posted_request;
    };
    union { /* as above */
        uint32_t send_op;
        uint32_t posted_op;
    };
    union { /* before the match; of the receive afterwards */
        int32_t tag;
        int32_t recv_request;
    };
    union { /* as above */
        uint32_t comm;
        uint32_t recv_op;
    };
    uint32_t flags;
    uint32_t chain; /* next in the table's bucket, or in the free list */
};
_Static_assert(sizeof(struct timed_message) == 48,
               "memory is budgeted: two operations make one message");

struct timed_ready { /* a message waiting for its sender's port, with enough data to skip it */
    uint32_t order;  /* index of the send */
    uint32_t id;
    int32_t dst;
};

enum { /* rank flags */
       RANK_SEND_BUSY = 1,
       RANK_RECV_BUSY = 2,
       RANK_DIRTY = 4, /* in dirty_sender[] */
       RANK_BLOCKED_ON_PORT = 8,
       RANK_BLOCKED = 16,
       RANK_ANY = 32, /* blocked until any one awaited request completes */
       RANK_PROBING =
           64, /* blocked in a probe, matched probe or detach, which it runs again when it wakes */
       RANK_ENDED = 128,
       RANK_AWAITED = 256, /* its await[] may hold messages */
       RANK_QUEUED = 512   /* its port's queue holds messages */
};

enum { RANK_FLAG_BITS = 10, RANK_PENDING_MAX = (1 << 22) - 1 };

struct timed_rank { /* data that every operation uses: two ranks per cache line */
    const struct replay_op *op;
    uint64_t blocked_at; /* when it ended, if it has */
    uint32_t left;       /* operations left, from op on */
    uint32_t request;    /* index of its first request in timed_engine.request */
    uint32_t fresh; /* the only message that became ready at this instant, if the queue is empty */
    uint32_t flags : RANK_FLAG_BITS;
    uint32_t pending : 32 - RANK_FLAG_BITS; /* awaited requests not yet complete */
};
_Static_assert(sizeof(struct timed_rank) == 32, "memory is budgeted: two operations make a rank");
_Static_assert(RANK_PENDING_MAX == UINT32_MAX >> RANK_FLAG_BITS, "as many as the bits hold");
_Static_assert(RANK_QUEUED < 1 << RANK_FLAG_BITS, "a bit for each flag");

struct timed_sets { /* per rank; made if the program has sets */
    const struct replay_set *set;
    const int32_t *member;
};

struct timed_port { /* per rank; made when messages have to wait */
    struct timed_ready
        *queue; /* from queue_first: ready earlier, in order; from queue_fresh: at this instant */
    uint32_t queue_first, queue_fresh, queue_count, queue_room;
    uint32_t *await; /* queued messages to this rank; stale entries are skipped */
    uint32_t await_first, await_count, await_room;
    uint32_t blocked,
        blocked_tail; /* idle senders whose first message waits for this rank's port: rank + 1 */
    uint32_t blocked_next, blocked_prev, blocked_at;
};

enum { REQUEST_DONE = 1, REQUEST_AWAITED = 2, REQUEST_CONSUMED = 4 };

struct timed_slot {
    uint32_t head, tail;
};

struct timed_record { /* for the critical path, if requested: what ended, and what let it begin */
    uint64_t start, end, amount;
    int32_t rank, peer;
    uint32_t op, prev;
    enum replay_step_kind kind;
};

struct timed_cause { /* indices into record[] */
    uint32_t rank, send_port, recv_port;
};

struct timed_side { /* by message: the causes of its two posts */
    uint32_t send, recv;
};

struct timed_locks;       /* timed_lock.c */
struct timed_links;       /* timed_link.c */
struct timed_collectives; /* timed_rank.c */

struct timed_numbers { /* a growing array of numbers */
    uint32_t *at;
    uint32_t count, room;
};

struct timed_engine {
    const struct replay_program *program;
    struct replay_timed_options options;
    struct replay_topology topology;
    int shared;                /* links can be shared */
    int any_wild;              /* the program has wildcards or probes */
    int any_held, any_detach;  /* matched probes, detaches */
    uint64_t scale;            /* ticks per picosecond */
    uint64_t alpha, beta, tau; /* in ticks; beta per word */
    uint64_t byte_ticks;       /* beta per byte when whole, else 0 with byte_exact 0 */
    int byte_exact;
    uint64_t now;
    struct timed_queue queue;
    struct timed_rank *rank;
    struct timed_sets *sets;
    struct timed_port *port;                /* made when the first message has to wait */
    uint64_t *column[REPLAY_TIMED_COLUMNS]; /* result, in ticks until the end; allocated when first
                                               needed */
    uint8_t *request;                       /* REQUEST_ flags, rank after rank */
    struct timed_message *message;
    uint32_t message_used, message_free;
    size_t message_room;
    struct timed_slot *slot; /* the table, for programs without wildcards */
    uint64_t slot_mask;
    uint64_t unmatched;
    struct matching matching;  /* for programs with wildcards */
    struct timed_ready *merge; /* for sorting */
    uint32_t merge_room;
    uint32_t starting; /* ranks that have not started: they run before those in run[] */
    struct timed_numbers run, dirty_sender, dirty_receiver, fresh, waiting;
    uint32_t *held;     /* with matched probes: by request, the message taken */
    uint32_t *buffered; /* with detaches: by rank, number of buffered sends that have not ended */
    struct timed_locks *locks;
    struct timed_links *links;
    struct timed_collectives *collectives;
    uint64_t *local, *words_in,
        *words_out; /* bsp: local work, bytes in, bytes out of this superstep */
    uint64_t superstep_count;
    struct timed_record *record;
    uint32_t record_count, record_room;
    struct timed_cause *cause;
    struct timed_side *side;
    uint64_t messages, volume;
    uint64_t extra_bytes;    /* memory counted separately */
    enum core_status status; /* first failure */
};

/* Number of ranks, events or messages to read ahead at a time. */
enum { TIMED_AHEAD = 16 };

/* Loads data for later, without waiting: nothing that follows depends on the value. A prefetch
 * instruction would do nothing for addresses outside the processor's TLB, and many ranks have more
 * pages than the TLB has entries. */
static inline void timed_touch(const void *at)
{
    (void)*(const volatile char *)at;
}

/* Keeps the first failure of the engine; tells whether this failed. */
static inline bool timed_failed(struct timed_engine *engine, enum core_status status)
{
    if (status != CORE_OK && engine->status == CORE_OK)
        engine->status = status;
    return status != CORE_OK;
}

/* timed.c */
enum core_status timed_numbers_add(struct timed_engine *engine, struct timed_numbers *numbers,
                                   uint32_t value);
uint64_t timed_words_ticks(const struct timed_engine *engine, uint64_t bytes);

/* Columns of the result, for the time of ranks, in the order of struct replay_timed_rank. */
enum timed_column {
    COLUMN_FINISH,
    COLUMN_COMPUTE,
    COLUMN_TRANSFER,
    COLUMN_LATE_SENDER,
    COLUMN_LATE_RECEIVER,
    COLUMN_PORT,
    COLUMN_LINK,
    COLUMN_COLLECTIVE
};
_Static_assert(COLUMN_COLLECTIVE + 1 == REPLAY_TIMED_COLUMNS, "a column for each time");
_Static_assert(offsetof(struct replay_timed_rank, collective_ps) ==
                   COLUMN_COLLECTIVE * sizeof(uint64_t),
               "columns are in the order of struct replay_timed_rank");
void timed_column_make(struct timed_engine *engine, enum timed_column column);
static inline void timed_column_add(struct timed_engine *engine, enum timed_column column,
                                    uint32_t rank, uint64_t ticks)
{
    if (!ticks)
        return;
    if (!engine->column[column])
        timed_column_make(engine, column);
    if (engine->column[column])
        engine->column[column][rank] += ticks;
}

/* timed_rank.c */
void timed_rank_run(struct timed_engine *engine, uint32_t rank);
/* Completes one side of a message, or a collective. */
void timed_rank_complete(struct timed_engine *engine, uint32_t rank, int32_t request,
                         uint32_t cause, const struct timed_message *message, uint64_t started);
void timed_collective_event(struct timed_engine *engine, uint32_t id);
void timed_collectives_done(struct timed_engine *engine);

/* timed_match.c */
enum core_status timed_match_init(struct timed_engine *engine);
void timed_match_done(struct timed_engine *engine);
void timed_match_send(struct timed_engine *engine, uint32_t rank, const struct replay_op *op,
                      int32_t request);
void timed_match_recv(struct timed_engine *engine, uint32_t rank, const struct replay_op *op,
                      int32_t request);
/* Prefetches what the operation will find in the table: its slot first (near 0), later the slot's
 * entries. */
void timed_match_ahead(const struct timed_engine *engine, uint32_t rank, const struct replay_op *op,
                       int near);
int timed_match_take(struct timed_engine *engine, uint32_t rank,
                     const struct replay_op *op); /* takes a message for a matched probe; 0: none */
void timed_match_held(struct timed_engine *engine, uint32_t rank, const struct replay_op *op,
                      int32_t message, int32_t request);
int timed_match_probe(struct timed_engine *engine, uint32_t rank, const struct replay_op *op);
int timed_match_cancel(struct timed_engine *engine, uint32_t rank, const struct replay_op *made);
void timed_message_free(struct timed_engine *engine, uint32_t id);

/* timed_lock.c: returns 1 if the rank must wait. */
int timed_lock_take(struct timed_engine *engine, uint32_t rank, const struct replay_op *op);
void timed_lock_release(struct timed_engine *engine, uint32_t rank, const struct replay_op *op);
void timed_lock_done(struct timed_engine *engine);

/* timed_port.c */
void timed_port_ready(struct timed_engine *engine, uint32_t id);
void timed_port_ended(struct timed_engine *engine, const struct timed_message *message);
void timed_port_start(struct timed_engine *engine);
void timed_port_done(struct timed_engine *engine);

/* timed_link.c */
enum core_status timed_link_init(struct timed_engine *engine);
void timed_link_done(struct timed_engine *engine);
void timed_link_begin(struct timed_engine *engine,
                      uint32_t id);                 /* a message starts: alpha, then it flows */
void timed_link_route(struct timed_engine *engine); /* chooses the paths of those begun just now */
int timed_link_free(struct timed_engine *engine, uint32_t id);  /* half duplex: may it start? */
void timed_link_flow(struct timed_engine *engine, uint32_t id); /* its alpha is over */
uint32_t timed_link_current(const struct timed_engine *engine, uint32_t flow,
                            uint32_t what); /* message or NONE */
uint64_t timed_link_started(const struct timed_engine *engine, uint32_t id);
void timed_link_ended(struct timed_engine *engine, uint32_t id);
void timed_link_update(struct timed_engine *engine); /* new shares after this instant's changes */
enum core_status timed_link_result(struct timed_engine *engine, struct replay_timed_result *out);

/* timed_path.c */
uint32_t timed_path_record(struct timed_engine *engine, const struct timed_record *record);
uint32_t timed_path_message(struct timed_engine *engine, uint32_t id, uint64_t started);
void timed_path_idle(struct timed_engine *engine, uint32_t rank,
                     const struct timed_message *message, uint64_t started);
enum core_status timed_path_result(struct timed_engine *engine, struct replay_timed_result *out);
uint64_t timed_ps(const struct timed_engine *engine, uint64_t ticks);

/* Returns the state of a rank's request. */
static inline uint8_t *timed_request(const struct timed_engine *engine, const struct timed_rank *r,
                                     int32_t request)
{
    return engine->request + r->request + request;
}

static inline uint32_t timed_op_index(const struct timed_engine *engine, uint32_t rank,
                                      const struct replay_op *op)
{
    return (uint32_t)(op - engine->program->rank[rank].op);
}

static inline uint64_t timed_alpha(const struct timed_engine *engine, const struct timed_message *m)
{
    uint64_t alpha = engine->alpha;
    if (engine->topology.kind == REPLAY_PIPELINE)
        alpha +=
            engine->beta * ((uint64_t)(m->src < m->dst ? m->dst - m->src : m->src - m->dst) - 1);
    return alpha;
}

/* Returns the duration of an unhindered message. */
static inline uint64_t timed_duration(const struct timed_engine *engine,
                                      const struct timed_message *m)
{
    if (m->flags & MESSAGE_SELF)
        return 0;
    return timed_alpha(engine, m) + (engine->byte_exact ? m->bytes * engine->byte_ticks
                                                        : timed_words_ticks(engine, m->bytes));
}

#endif
