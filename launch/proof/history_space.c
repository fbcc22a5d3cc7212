/* Communicators, windows and files in the history (history.h): which of them a collective call
 * counts on, and what was called there. */
#include <string.h>

#include "launch/proof/history.h"

enum proof_space_kind proof_space_kind_of(enum event_class class)
{
    switch (class) {
    case EVENT_CLASS_WIN_FREE:
    case EVENT_CLASS_RMA_FENCE:
    case EVENT_CLASS_RMA_POST:
    case EVENT_CLASS_RMA_START:
    case EVENT_CLASS_RMA_COMPLETE:
    case EVENT_CLASS_RMA_WAIT:
    case EVENT_CLASS_RMA_LOCK:
    case EVENT_CLASS_RMA_UNLOCK:
    case EVENT_CLASS_RMA_FLUSH:
        return PROOF_SPACE_WIN;
    case EVENT_CLASS_FILE_COLL:
        return PROOF_SPACE_FILE;
    case EVENT_CLASS_FINALIZE:
        return PROOF_SPACE_FINALIZE;
    default:
        return PROOF_SPACE_COMM;
    }
}

struct proof_space *proof_space_find(const struct proof_rank *rank, enum proof_space_kind kind,
                                     uint32_t id)
{
    struct proof_space_key key = {.kind = kind, .id = id};

    return core_table_find(&rank->spaces, &key);
}

struct proof_space *proof_space_global(const struct proof_rank *rank, enum proof_space_kind kind,
                                       uint64_t global)
{
    for (uint32_t i = rank->spaces.count; i-- > 0;) {
        struct proof_space *space = core_table_at(&rank->spaces, i);

        if (space->key.kind == kind && space->global == global)
            return space;
    }
    return NULL;
}

int32_t proof_space_world(const struct proof_space *space, int32_t peer)
{
    int32_t world;

    if (peer == EVENT_ANY || peer == EVENT_PROC_NULL)
        return peer;
    if (peer < 0 || (uint32_t)peer >= (space->inter ? space->remote_size : space->size))
        return EVENT_NONE;
    world = space->member[space->inter ? space->size + (uint32_t)peer : (uint32_t)peer];
    return world >= 0 ? world : EVENT_NONE; /* negative: a process of another job */
}

static bool class_is_collective(enum event_class class)
{
    switch (class) {
    case EVENT_CLASS_COLL:
    case EVENT_CLASS_ICOLL:
    case EVENT_CLASS_COLL_INIT:
    case EVENT_CLASS_COMM_CREATE:
    case EVENT_CLASS_COMM_ICREATE:
    case EVENT_CLASS_COMM_FREE:
    case EVENT_CLASS_WIN_CREATE:
    case EVENT_CLASS_WIN_FREE:
    case EVENT_CLASS_RMA_FENCE:
    case EVENT_CLASS_FILE_COLL:
    case EVENT_CLASS_FINALIZE:
        return true;
    default:
        return false;
    }
}

/* The space in which a collective call counts; NULL if it is none, or none of which all members
 * know. What makes a window or file is called on a communicator, and names that while it is open,
 * and what it made when it is done. */
struct proof_space *proof_space_of_call(const struct proof_rank *rank,
                                        const struct spool_event *event, enum event_class class,
                                        bool open)
{
    const struct proof_call *call = &rank->call[event->head.a];
    bool makes_file = trait_in(call->traits, TRAIT_MAKES_FILE);
    enum proof_space_kind kind = proof_space_kind_of(class);
    struct proof_space *space;

    if (!class_is_collective(class) || proof_call_partial(call))
        return NULL;
    if (class == EVENT_CLASS_FINALIZE)
        return proof_space_find(rank, kind, 0);
    if (class != EVENT_CLASS_WIN_CREATE && !makes_file)
        return proof_space_find(rank, kind, event->comm);
    if (open)
        return proof_space_find(rank, PROOF_SPACE_COMM, event->comm);
    space = proof_space_find(rank, makes_file ? PROOF_SPACE_FILE : PROOF_SPACE_WIN, event->comm);
    return space ? proof_space_find(rank, PROOF_SPACE_COMM, space->comm) : NULL;
}

const struct proof_call *proof_open_call(const struct proof_rank *rank,
                                         const struct proof_open *open)
{
    uint32_t call = open->event.head.a;

    return call < rank->call_count && rank->call[call].known ? &rank->call[call] : NULL;
}

struct proof_space *proof_space_of_open(const struct proof_rank *rank,
                                        const struct proof_open *open)
{
    const struct proof_call *call = proof_open_call(rank, open);

    return call ? proof_space_of_call(rank, &open->event, (enum event_class)call->class, true)
                : NULL;
}

uint64_t proof_space_entered(const struct proof_rank *rank, const struct proof_space *space)
{
    uint64_t entered = space->entered;

    for (uint32_t i = 0; i < rank->open_count; i++)
        entered += proof_space_of_open(rank, &rank->open[i]) == space;
    return entered;
}

/* Barriers and what makes a communicator give nothing before all are there; where data of all goes
 * to all, that is so unless there is none. */
static bool coll_needs_all(const struct proof_call *call, const struct spool_event *event)
{
    if (call->traits & (TRAIT_BIT(NEIGHBOR) | TRAIT_BIT(PER_RANK)))
        return false;
    switch (call->verb) {
    case VERB_BARRIER:
    case VERB_COMM_DUP:
        return true;
    case VERB_ALLREDUCE:
    case VERB_ALLGATHER:
    case VERB_ALLTOALL:
    case VERB_REDUCE_SCATTER_BLOCK:
        return event->count > 0;
    default:
        return false;
    }
}

struct proof_coll proof_coll_of(const struct proof_rank *rank, const struct spool_event *event)
{
    return (struct proof_coll){.call = event->head.a,
                               .needs_all = coll_needs_all(&rank->call[event->head.a], event),
                               .root = event->peer};
}

bool proof_coll_at(const struct proof_rank *rank, const struct proof_space *space, uint64_t number,
                   struct proof_coll *out_coll)
{
    if (rank->lanes > 1)
        return false;
    if (number == space->entered + 1 && proof_space_entered(rank, space) == number) {
        *out_coll = proof_coll_of(rank, &rank->open[0].event);
        return true;
    }
    if (!number || number > space->entered || space->entered - number >= PROOF_RECENT)
        return false;
    *out_coll = space->recent[number % PROOF_RECENT];
    return true;
}

bool proof_call_partial(const struct proof_call *call)
{
    return trait_in(call->traits, TRAIT_OVER_MADE) && !trait_in(call->traits, TRAIT_COLLECTIVE);
}
