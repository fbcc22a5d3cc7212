/* Windows of one-sided communication: what each member exposes, what this rank has begun and not
 * yet done.
 *
 * An operation is kept until the call that completes it (a fence, unlock, flush, complete, or the
 * wait for its request), and done there: the last moment that MPI allows, so that a missing
 * synchronisation shows. Where the choice source decides, some are done at once and the rest in an
 * order of its choice; only accumulates of one rank to one target keep theirs. Under order=explore
 * any may be done before its time, as soon as somebody could see that (explore_access.h); what it
 * brings back reaches its buffer when it is completed.
 *
 * Invariants: 1. `part[i]` is the one object that member i made; all members' windows point to it.
 * 2. `pending` holds this rank's operations in the order they were called. 3. part[i]->holders is
 * -1, or how many windows have held[i] shared; at most one has it exclusively. */
#ifndef WORLD_EXCHANGE_RMA_H
#define WORLD_EXCHANGE_RMA_H

#include "world/state.h"

struct world_attachment { /* memory of a dynamic window */
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
    uint32_t object; /* names its turns (replay/policy/policy.h) */
    uint8_t *base;
    size_t bytes;
    int unit;
    struct world_attachment *attached;
    int holders;     /* of its lock; -1: one, exclusively */
    uint8_t *posted; /* by member: may start, has not yet */
    int missing;     /* members that may still reach in: those posted to, less those complete */
    bool exposed;    /* between MPI_Win_post and MPI_Win_wait */
    struct world_waiting *waiting; /* for any of the above to change */
    /* order=explore: how often a lock was given and an operation done, what was decided about it,
     * and the causes of those who gave the lock back: exclusively, or not */
    uint32_t lock_count, turn_count;
    struct world_decider *decided;
    const struct world_causes *causes, *shared_causes;
    /* the causes of its owner when it posted, and of those who have completed since */
    const struct world_causes *posted_causes, *completed_causes;
    struct ompi_request_t *epoch;               /* complete once all have; NULL: nobody explores */
    struct world_decider *asking, **asking_end; /* those that could go on, in the order they came */
    struct world_overlap_index *asking_index, *decided_index; /* explore_overlap.h */
    uint32_t polling;                       /* of those that ask: looks that wait */
    uint32_t turns_asking, *ordered_asking; /* of those: turns; and, by world rank, operations that
                                               keep the order in which the rank called them */
    uint32_t *named; /* by world rank: its operations on this memory, and looks at it */
    struct world_effect **ordered; /* by world rank: the last that keeps its order */
    uint32_t reported;             /* how often answers were told */
    bool is_file, written;         /* it is no memory of a rank; somebody wrote there */
    bool seen;                     /* its rank's own loads and stores are turns */
    uint32_t opened;               /* so often */
    bool locked_all;               /* somebody asked for its lock with everyone's */
    uint32_t excluding;            /* ranks that wait for its lock, to have it alone */
    uint32_t excluded;             /* the decision that gave it to one of them last, + 1; 0: none */
    struct world_looked *looks;    /* at it */
    uint8_t *recorded_had[2];      /* of world_options.turns; of locks */
};

/* An operation on a window or a file, done now or when something completes it. */
struct world_effect {
    void (*run)(struct world_effect *effect); /* anybody may call it, once */
    bool done;                                /* but not yet completed */
    bool blind;                               /* its rank does not learn what was there */
    bool ordered;                             /* behind what its rank did there before, `after` */
    bool in_order;                            /* MPI promises that order */
    const struct world_rank *reached;         /* whose memory it needs; NULL: none */
    /* order=explore: what asks for it, and what it keeps its order behind */
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
    uint8_t *staged; /* the origin's data, packed; NULL: read it when it is done */
    void *result;    /* of what brings something back; absolute: NULL */
    size_t result_count;
    MPI_Datatype result_type;
    uint8_t *at; /* in the target's memory */
    size_t target_count;
    MPI_Datatype target_type;
    MPI_Op op;
    const void *compare;
    uint8_t *compared; /* what lay there when the origin's data were staged */
    uint8_t *before;   /* what was there, packed, once it is done; NULL: nobody wants to know */
    struct world_rank *by;
    bool changed;      /* something, once it is done */
    uint64_t operands; /* order=explore: what it brings */
    struct world_effect effect;
};

enum { RMA_SHARED = 1, RMA_EXCLUSIVE, RMA_NO_CHECK };

struct ompi_win_t {
    struct world_handle handle;
    struct ompi_communicator_t comm; /* its own; only to meet on */
    MPI_Errhandler errhandler;
    struct world_part **part;
    struct world_rma *pending, **pending_end;
    struct world_fiber *taker;    /* the thread that does what is pending; NULL: none */
    struct world_waiting *takers; /* those that wait until it has */
    uint8_t *held;                /* by target: RMA_SHARED... */
    uint8_t *started;             /* by target, between MPI_Win_start and MPI_Win_complete */
    bool fenced, held_all, in_start;
    uint64_t last_read; /* what the last operation that changed nothing saw */
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

/* rma.c: does this rank's operations for a target, or -1 for all. False: none changed anything, and
 * what they read was what the one before had read. */
bool world_rma_complete(MPI_Win win, int target);
/* Whether it keeps its order among those of its rank to its target. */
bool world_rma_ordered(const struct world_rma *rma);
/* As much of them as needs the origin's buffers; false as above. */
bool world_rma_complete_local(MPI_Win win, int target);

/* For whoever listens: the calling rank's call, with the world's rank of its target, or -1. */
static inline void world_rma_event(int target, uint64_t bytes)
{
    if (!WORLD_PROCESSES && UNLIKELY(WORLD->options->event != NULL))
        world_emit(WORLD_EVENT_RMA, target, 0, 0, bytes, -1, false);
}

#endif
