/* Defines the engine's input: per rank an array of small operations. Programs come from a trace
 * (replay/program/lower.c), from the model (checkers/), or from a test; the engine treats all
 * alike.
 *
 * All ranks are world ranks: the builder of a program translates communicator ranks. `comm` is only
 * a matching context. All MPI calls lower to these: Sendrecv is ISEND, IRECV, WAIT_ALL; Send is
 * ISEND and WAIT in one (SEND). */
#ifndef REPLAY_PROGRAM_PROGRAM_H
#define REPLAY_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/check.h"
#include "core/matching/matching.h"
#include "core/status.h"

enum replay_op_kind {
    REPLAY_SEND,  /* blocking send: peer, tag, comm, bytes, mode */
    REPLAY_ISEND, /* the same, makes `request` */
    REPLAY_RECV,  /* blocking receive: peer or REPLAY_ANY, tag or REPLAY_ANY, comm, bytes = capacity
                   */
    REPLAY_IRECV, /* the same, makes `request` */
    REPLAY_PROBE, /* blocks until a matching message can be received; peer, tag, comm */
    REPLAY_IPROBE,    /* nonblocking; REPLAY_FLAG_DONE: it found a message in the recorded run */
    REPLAY_WAIT,      /* waits for `request` */
    REPLAY_WAIT_ALL,  /* waits for set `request` (an index into rank->set), every member */
    REPLAY_WAIT_ANY,  /* one member of the set; the recorded choice is set->chosen */
    REPLAY_WAIT_SOME, /* waits for at least one member */
    REPLAY_TEST,      /* any test on a set; REPLAY_FLAG_DONE: it succeeded in the recorded run */
    REPLAY_CANCEL,    /* cancels `request` */
    REPLAY_FREE,      /* frees `request`: the operation continues, no call waits for it */
    REPLAY_COLL,    /* enters a collective as one operation: comm, tag = its number on comm, bytes,
                       peer = root */
    REPLAY_ICOLL,   /* the same, makes `request` */
    REPLAY_COMPUTE, /* `bytes` picoseconds of local work */
    REPLAY_COMBINE, /* `bytes` local operations (tau each), e.g. words that a reduction combines */
    REPLAY_MPROBE,  /* blocks until a message matches and takes it out of the matching; makes
                       `request`, the message */
    REPLAY_MRECV,   /* receives message `request` of an earlier MPROBE */
    REPLAY_IMRECV,  /* the same for message `tag`; makes `request` */
    REPLAY_ATTACH,  /* attaches a buffer of `bytes` for buffered sends */
    REPLAY_DETACH,  /* blocks until the buffered sends have left the buffer */
    REPLAY_LOCK,    /* passive target: peer, or REPLAY_ANY for all targets; comm = the window's
                       context, mode = enum replay_lock */
    REPLAY_UNLOCK,  /* the same */
    REPLAY_GENERAL, /* only with options->choices of lower.h: makes `request`, which its own rank
                       completes */
    REPLAY_FULFIL,  /* completes that `request` */
    REPLAY_WINDOW,  /* only with options->choices: the call `event` on a window; makes `request`, if
                       it has one; comm: for a call that makes a window */
    REPLAY_OP_KIND_COUNT
};

enum replay_mode { /* of a send */
                   REPLAY_STANDARD,
                   REPLAY_BUFFERED,
                   REPLAY_SYNCHRONOUS,
                   REPLAY_READY,
                   REPLAY_TOKEN /* completes at once under every policy and takes no room: a control
                                   message of one-sided epochs */
};

enum replay_lock { REPLAY_LOCK_SHARED, REPLAY_LOCK_EXCLUSIVE };

/* Shapes of collectives entered as one operation: which ranks need which, by the standard's
 * promise. */
enum replay_coll_shape {
    REPLAY_COLL_ALL_TO_ALL, /* every rank needs every rank: barrier, allreduce, alltoall, allgather,
                               comm_create... */
    REPLAY_COLL_FROM_ROOT,  /* ranks need the root: bcast, scatter */
    REPLAY_COLL_TO_ROOT,    /* the root needs all: reduce, gather */
    REPLAY_COLL_PREFIX      /* a rank needs the ranks below it: scan, exscan */
};

enum {
    REPLAY_ANY = MATCHING_ANY,
    REPLAY_PROC_NULL = -2,
    REPLAY_UNTOLD = -3, /* of `matched`: some rank, and the library did not say which */
    REPLAY_NO_REQUEST = -1
};

enum replay_flag {
    REPLAY_FLAG_DONE = 1,    /* test, iprobe: completed in the recorded run */
    REPLAY_FLAG_LOCAL = 64,  /* a collective that the standard expects to be local, although a
                                library may synchronise in it */
    REPLAY_FLAG_PENDING = 2, /* the recorded run ended inside this call */
    REPLAY_FLAG_INSIDE = 4,  /* issued inside the MPI library, for a collective */
    REPLAY_FLAG_TEST = 16,   /* a wait that replaces a successful test, or a probe that replaces a
                                successful iprobe */
    REPLAY_FLAG_ASSUMED =
        8, /* replaces something that the trace did not show; verdicts that rest on it say so */
    REPLAY_FLAG_PROBED =
        32 /* a probe of any source, and the later receive that names what the probe found: if the
              probe finds another message, the receive is assumed to name that one */
};

struct replay_op {   /* 40 bytes */
    uint8_t kind;    /* enum replay_op_kind */
    uint8_t mode;    /* enum replay_mode; enum replay_coll_shape for REPLAY_COLL and REPLAY_ICOLL */
    uint16_t flags;  /* enum replay_flag */
    int32_t peer;    /* world rank, REPLAY_ANY or REPLAY_PROC_NULL */
    int32_t tag;     /* or REPLAY_ANY */
    uint32_t comm;   /* matching context: index into program->comm */
    uint64_t bytes;  /* size of the message; picoseconds; operations */
    int32_t request; /* request made or waited for, numbered per rank from 0; or index of a set; or
                        REPLAY_NO_REQUEST */
    int32_t matched; /* receives, probes: the world rank that matched in the recorded run;
                        REPLAY_ANY: none; or REPLAY_UNTOLD */
    uint64_t event;  /* seq of the event in the trace; 0: none. The engine does not interpret it */
};
_Static_assert(sizeof(struct replay_op) == 40, "engine memory is budgeted per operation");
_Static_assert(REPLAY_OP_KIND_COUNT < UINT8_MAX, "a byte holds a kind, and a kind plus 1");
_Static_assert((REPLAY_FLAG_DONE | REPLAY_FLAG_PENDING | REPLAY_FLAG_INSIDE | REPLAY_FLAG_ASSUMED |
                REPLAY_FLAG_TEST | REPLAY_FLAG_PROBED | REPLAY_FLAG_LOCAL) ==
                   REPLAY_FLAG_DONE + REPLAY_FLAG_PENDING + REPLAY_FLAG_INSIDE +
                       REPLAY_FLAG_ASSUMED + REPLAY_FLAG_TEST + REPLAY_FLAG_PROBED +
                       REPLAY_FLAG_LOCAL,
               "each flag has a bit of its own");

/* Tells whether the receive or probe gets another message than in the recorded run, or may. */
static inline bool replay_op_diverges(const struct replay_op *op, int32_t from)
{
    CORE_CHECK_HOT(from >= 0);
    return op->peer == REPLAY_ANY && op->matched != REPLAY_ANY && op->matched != from;
}

struct replay_set { /* the requests of a WAIT_ALL, WAIT_ANY, WAIT_SOME or TEST */
    uint32_t first; /* index into rank->member */
    uint32_t count;
    int32_t chosen; /* WAIT_ANY: index that completed in the recorded run, or -1. WAIT_SOME: number
                       of members that completed in the recorded run, which come first; or -1 */
};

struct replay_when {       /* time of an operation on a rank with several threads */
    uint64_t enter, leave; /* in the recorded run; leave UINT64_MAX: it did not return */
    uint32_t thread;
};

struct replay_rank { /* Operations are in the order in which they began in the recorded run */
    struct replay_op *op;
    struct replay_when *when; /* by operation; NULL: one thread made all */
    struct replay_set *set;
    int32_t *member; /* request numbers */
    uint32_t op_count, op_room, when_room;
    uint32_t set_count, set_room;
    uint32_t member_count, member_room;
    int32_t request_count;
    uint8_t end; /* enum replay_end */
};

enum replay_end {                      /* what is known about a rank after its last operation */
                  REPLAY_END_FINISHED, /* it does nothing more */
                  REPLAY_END_UNKNOWN   /* its record ends early (cut, crashed, missing): it may have
                                          done anything */
};

struct replay_comm { /* only collectives use the members */
    int32_t *member; /* world ranks in communicator order; NULL: all ranks of the world */
    uint32_t count;
    int32_t origin;  /* id in the trace that the program comes from; -1: none */
    uint32_t remote; /* intercommunicators: index of the first member of the remote group; else 0 */
};

/* Returns the index of a world rank among the members; UINT32_MAX: no member. */
static inline uint32_t replay_comm_index(const struct replay_comm *comm, uint32_t rank)
{
    if (!comm->member)
        return rank;
    for (uint32_t i = 0; i < comm->count; i++)
        if (comm->member[i] == (int32_t)rank)
            return i;
    return UINT32_MAX;
}

struct replay_program {
    struct replay_rank *rank;
    struct replay_comm *comm;
    uint32_t rank_count;
    uint32_t comm_count, comm_room;
    void *block; /* set by replay_program_trim for many ranks: holds their operations and sets, rank
                    after rank; NULL: each array has its own block */
    uint64_t block_bytes;
    uint32_t buffered_overhead; /* bytes of the attached buffer that each buffered message takes in
                                   addition (MPI_BSEND_OVERHEAD) */
    bool overtaking; /* info of a communicator lets messages overtake each other; every run keeps
                        the order of sending, which is one of the possible orders */
};

enum { REPLAY_RANKS_MAX = 1 << 21, REPLAY_THREADS_MAX = 1 << 14 };

/* Makes a program; comm 0, the world, exists from the start. */
enum core_status replay_program_init(struct replay_program *program, uint32_t rank_count);
void replay_program_done(struct replay_program *program);

/* Adds a communicator. member NULL: all ranks. *out_comm: the index for operations. */
enum core_status replay_program_comm(struct replay_program *program, const int32_t *member,
                                     uint32_t count, uint32_t *out_comm);

/* Appends a copy of *op. The caller numbers the requests 0, 1, 2... per rank and makes each once.
 */
enum core_status replay_program_add(struct replay_program *program, uint32_t rank,
                                    const struct replay_op *op);

/* Appends an operation of one of several threads. Threads are any numbers below REPLAY_THREADS_MAX.
 */
enum core_status replay_program_add_when(struct replay_program *program, uint32_t rank,
                                         const struct replay_op *op,
                                         const struct replay_when *when);

/* Makes a set; its index goes into op.request of a WAIT_ALL, WAIT_ANY, WAIT_SOME or TEST. */
enum core_status replay_program_set(struct replay_program *program, uint32_t rank,
                                    const int32_t *request, uint32_t count, int32_t chosen,
                                    int32_t *out_set);

/* Finds whether messages could overtake and be confused on a communicator with `said` (by index):
 * messages of one sender with equal tags, or received with any tag. */
enum core_status replay_program_overtakes(struct replay_program *program, const bool *said);

/* Refuses programs on which the engine would fail an assertion: ranks and comms out of range, waits
 * on requests never made, requests made twice, too many bytes to count. Reports the first offender
 * by rank and event; CORE_BAD_INPUT. The engine's entry points expect a program that passed. */
enum core_status replay_program_check(const struct replay_program *program);

/* Frees unused room, and moves the arrays of many ranks next to each other, for callers that walk
 * all ranks at once. No operation may be added afterwards. */
void replay_program_trim(struct replay_program *program);

/* Returns the name of an operation in policies and witnesses: its event, or its index + 1 if it has
 * no event. */
uint64_t replay_op_id(const struct replay_program *program, uint32_t rank, uint32_t index);
/* Tells whether later calls of the rank name the source that receive `id` took in the recorded run.
 * The program then looks at the source, and continues differently for another one. */
bool replay_names_source(const struct replay_program *program, uint32_t rank, uint64_t id);
/* Returns "send", "wait_any"...; NULL if out of range. */
const char *replay_op_kind_text(enum replay_op_kind kind);

/* Short forms for tests and generators. */
enum core_status replay_add_isend(struct replay_program *program, uint32_t rank, int32_t to,
                                  int32_t tag, uint64_t bytes, int32_t request);
enum core_status replay_add_irecv(struct replay_program *program, uint32_t rank, int32_t from,
                                  int32_t tag, uint64_t bytes, int32_t request);
enum core_status replay_add_wait_all(struct replay_program *program, uint32_t rank,
                                     const int32_t *request, uint32_t count);

#endif
