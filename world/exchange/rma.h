/* Windows of one-sided communication: the memory that each member exposes, and the operations that
 * this rank has started and not completed.
 *
 * An operation is kept until the call that completes it (a fence, unlock, flush, complete, or the
 * wait for its request), and done there: at the last moment that MPI allows, so that a missing
 * synchronisation shows. If the choice source decides, some are done at once and the rest in an
 * order of its choice; only accumulates of one rank to one target keep their order. Under
 * order=explore any may be done earlier, as soon as some rank could see the effect
 * (explore_access.h); what it returns reaches its buffer at completion.
 *
 * Invariants: 1. `part[i]` is the one object that member i made; all members' windows point to it.
 * 2. `pending` holds this rank's operations in the order they were called. 3. part[i]->holders is
 * -1, or how many windows have held[i] shared; at most one has it exclusively. */
#ifndef WORLD_EXCHANGE_RMA_H
#define WORLD_EXCHANGE_RMA_H

#include "world/state.h"

struct world_attachment { /* memory attached to a dynamic window */
    struct world_attachment *next;
    uint8_t *base;
    size_t bytes;
};

struct world_waiting {
    struct world_waiting *next;
    struct world_fiber *fiber;
};

struct world_part {
    struct world_rank *rank;
    uint32_t object; /* names it in turns (replay/policy/policy.h) */
    uint8_t *base;
    size_t bytes;
    int unit;
    struct world_attachment *attached;
    int holders;     /* of its lock; -1: one, exclusive */
    uint8_t *posted; /* by member: may start an access epoch, has not yet */
    int missing;     /* members that may still access: those posted to, less those complete */
    bool exposed;    /* between MPI_Win_post and MPI_Win_wait */
    struct world_waiting *waiting; /* fibers that wait for a change of the above */
    /* order=explore: locks given and operations done so far, the decisions about them, and the
     * causes of those who released the lock: an exclusive one, or a shared one */
    uint32_t lock_count, turn_count;
    struct world_decider *decided;
    const struct world_causes *causes, *shared_causes;
    /* causes of its owner at MPI_Win_post, and of those that have completed since */
    const struct world_causes *posted_causes, *completed_causes;
    struct ompi_request_t *epoch;               /* done when all are; NULL: no order=explore */
    struct world_decider *asking, **asking_end; /* waiting turns, in the order in which they came */
    struct world_overlap_index *asking_index, *decided_index; /* explore_overlap.h */
    uint32_t polling;                       /* number of waiting polls in `asking` */
    uint32_t turns_asking, *ordered_asking; /* turns; by world rank: operations in its order */
    uint32_t *named;               /* by world rank: its operations on and looks at this memory */
    struct world_effect **ordered; /* by world rank: its last operation that keeps its order */
    uint32_t reported;             /* counts the reports of answers */
    bool is_file, written;         /* it is a file, not memory; a rank wrote to it */
    bool seen;                     /* the rank's own loads and stores are turns */
    bool common;                   /* all members load from it and store to it: turns, too */
    struct world_part *whole;      /* of the first member of a shared window: all their memory */
    uint32_t opened;               /* times it was opened */
    bool locked_all;               /* some rank locked it with MPI_Win_lock_all */
    uint32_t excluding;            /* ranks that wait for its exclusive lock */
    uint32_t excluded;             /* last decision that gave an exclusive lock, + 1; 0: none */
    struct world_looked *looks;    /* at it */
    uint8_t *recorded_had[2];      /* turns and locks of world_options.turns that were done */
};

/* An operation on a window or a file, done now or when something completes it. */
struct world_effect {
    void (*run)(struct world_effect *effect); /* any rank may call it, once */
    bool done;                                /* done, but not yet completed */
    bool blind;                               /* its rank does not learn the value before */
    bool ordered;                             /* comes after its rank's earlier operation `after` */
    bool in_order;                            /* MPI promises that order */
    const struct world_rank *reached;         /* the rank whose memory it needs; NULL: none */
    /* order=explore: its turn, and the operation that it must follow */
    struct world_decider *turn;
    const struct world_effect *after;
};

enum world_rma_kind { RMA_PUT, RMA_GET, RMA_ACCUMULATE, RMA_SWAP };

struct world_rma {
    struct world_deferred deferred; /* of its request, if it has one */
    struct world_rma *next;
    MPI_Win win;
    enum world_rma_kind kind;
    const char *call;
    int target;
    const void *origin;
    size_t origin_count;
    MPI_Datatype origin_type;
    uint8_t *staged; /* the origin's data, packed; NULL: read when it is done */
    void *result;    /* buffer for what it returns; absolute if NULL */
    size_t result_count;
    MPI_Datatype result_type;
    uint8_t *at; /* in the target's memory */
    size_t target_count;
    MPI_Datatype target_type;
    MPI_Op op;
    const void *compare;
    uint8_t *compared; /* packed value to compare with, when staged */
    uint8_t *before;   /* packed value before it was done; NULL: not needed */
    struct world_rank *by;
    bool changed;      /* it changed something, once it is done */
    uint64_t operands; /* order=explore: hash of its operands */
    struct world_effect effect;
};

enum { RMA_SHARED = 1, RMA_EXCLUSIVE, RMA_NO_CHECK };

struct ompi_win_t {
    struct world_handle handle;
    struct ompi_communicator_t comm; /* its own; only for meetings */
    MPI_Errhandler errhandler;
    struct world_part **part;
    struct world_rma *pending, **pending_end;
    struct world_fiber *taker;    /* the thread that does pending operations; NULL: none */
    struct world_waiting *takers; /* threads that wait for it */
    uint8_t *held;                /* by target: RMA_SHARED... */
    uint8_t *started;             /* by target, between MPI_Win_start and MPI_Win_complete */
    bool fenced, held_all, in_start;
    uint64_t last_read; /* hash of what the last operation without a change saw */
    void *base;
    MPI_Aint size;
    int unit, flavor, model;
    struct world_attribute *attribute;
    struct world_info_entry *info;
    const char *name;
};
struct PREDEFINED(512) ompi_predefined_win_t {
    struct ompi_win_t win;
};

_Static_assert(sizeof(struct ompi_predefined_win_t) == 512, "as large as Open MPI's");
_Static_assert(RMA_SHARED > 0, "held[i] is 0 where nothing is held");

int world_win_check(MPI_Win win);
#define WIN_ERROR(win, code, ...) \
    world_error_on((win)->errhandler, &(MPI_Win){win}, code, __VA_ARGS__)

/* rma.c: does this rank's operations for a target, -1: for all. False: none changed anything, and
 * all read the same as before. */
bool world_rma_complete(MPI_Win win, int target);
/* Tells whether it keeps its order among its rank's operations on its target. */
bool world_rma_ordered(const struct world_rma *rma);
/* Does the part of them that needs the origin's buffers; returns as above. */
bool world_rma_complete_local(MPI_Win win, int target);

/* Reports the calling rank's call; target: a world rank, or -1. */
static inline void world_rma_event(int target, uint64_t bytes)
{
    if (!WORLD_PROCESSES && UNLIKELY(WORLD->options->event != NULL))
        world_emit(WORLD_EVENT_RMA, target, 0, 0, bytes, -1, false);
}

#endif
