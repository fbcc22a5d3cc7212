/* Finds the communicators, windows and files in the history (history.h) on which a collective call
 * counts, and which collectives were called there. */
#include <string.h>

#include "core/check.h"
#include "core/history/history.h"

enum history_space_kind history_space_kind_of(enum event_class class)
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
        return HISTORY_SPACE_WIN;
    case EVENT_CLASS_FILE_COLL:
        return HISTORY_SPACE_FILE;
    case EVENT_CLASS_FINALIZE:
        return HISTORY_SPACE_FINALIZE;
    default:
        return HISTORY_SPACE_COMM;
    }
}

struct history_space *history_space_find(const struct history_rank *rank,
                                         enum history_space_kind kind, uint32_t id)
{
    struct history_space_key key = {.kind = kind, .id = id};

    return core_table_find(&rank->spaces, &key);
}

struct history_space *history_space_global(const struct history_rank *rank,
                                           enum history_space_kind kind, uint64_t global)
{
    for (uint32_t i = rank->spaces.count; i-- > 0;) {
        struct history_space *space = core_table_at(&rank->spaces, i);

        if (space->key.kind == kind && space->global == global)
            return space;
    }
    return NULL;
}

int32_t history_space_world(const struct history_space *space, int32_t peer)
{
    int32_t world;

    if (peer == EVENT_ANY || peer == EVENT_PROC_NULL)
        return peer;
    if (peer < 0 || (uint32_t)peer >= (space->inter ? space->remote_size : space->size))
        return EVENT_NONE;
    CORE_CHECK(space->member != NULL);
    world = space->member[space->inter ? space->size + (uint32_t)peer : (uint32_t)peer];
    return world >= 0 ? world : EVENT_NONE; /* negative: a process of another job */
}

static bool is_collective(const struct history_call *call, enum event_class class)
{
    switch (class) {
    case EVENT_CLASS_SPAWN:
        return trait_in(call->traits, TRAIT_COLLECTIVE);
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

/* Returns the space in which a collective call counts; NULL if it is no collective, or not all
 * members know the space. A call that creates a window or file names its communicator while it is
 * open, and the created object once it is done. */
struct history_space *history_space_of_call(const struct history_rank *rank,
                                            const struct spool_event *event, enum event_class class,
                                            bool open)
{
    const struct history_call *call = &rank->call[event->head.a];
    bool makes_file = trait_in(call->traits, TRAIT_MAKES_FILE);
    enum history_space_kind kind = history_space_kind_of(class);
    struct history_space *space;

    CORE_CHECK(event->head.a < rank->call_count);
    if (!is_collective(call, class) || history_call_partial(call))
        return NULL;
    if (class == EVENT_CLASS_FINALIZE)
        return history_space_find(rank, kind, 0);
    if (class != EVENT_CLASS_WIN_CREATE && !makes_file)
        return history_space_find(rank, kind, event->comm);
    if (open)
        return history_space_find(rank, HISTORY_SPACE_COMM, event->comm);
    space =
        history_space_find(rank, makes_file ? HISTORY_SPACE_FILE : HISTORY_SPACE_WIN, event->comm);
    return space ? history_space_find(rank, HISTORY_SPACE_COMM, space->comm) : NULL;
}

const struct history_call *history_open_call(const struct history_rank *rank,
                                             const struct history_open *open)
{
    uint32_t call = open->event.head.a;

    return call < rank->call_count && rank->call[call].known ? &rank->call[call] : NULL;
}

struct history_space *history_space_of_open(const struct history_rank *rank,
                                            const struct history_open *open)
{
    const struct history_call *call = history_open_call(rank, open);

    return call ? history_space_of_call(rank, &open->event, (enum event_class)call->class, true)
                : NULL;
}

uint64_t history_space_entered(const struct history_rank *rank, const struct history_space *space)
{
    uint64_t entered = space->entered;

    for (uint32_t i = 0; i < rank->open_count; i++)
        entered += history_space_of_open(rank, &rank->open[i]) == space;
    return entered;
}

/* Tells whether no member can complete before all have entered: barriers and calls that create
 * communicators; also calls in which data of all go to all, unless there is no data. */
static bool coll_needs_all(const struct history_call *call, const struct spool_event *event)
{
    if (call->traits & (TRAIT_BIT(NEIGHBOR) | TRAIT_BIT(PER_RANK)))
        return false;
    if (call->class == EVENT_CLASS_SPAWN || call->class == EVENT_CLASS_FINALIZE)
        return true; /* MPI_Finalize: a rank that has completed it does nothing for others either */
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

/* Returns the call's size. Counts of parts may concern one rank alone, or mean nothing
 * (MPI_IN_PLACE). */
static int32_t coll_bytes(const struct history_rank *rank, const struct history_call *call,
                          const struct spool_event *event)
{
    int64_t bytes = history_bytes(rank, event->type, event->count);
    bool parts = call->traits & (TRAIT_BIT(NEIGHBOR) | TRAIT_BIT(PER_RANK)) ||
                 call->verb == VERB_GATHER || call->verb == VERB_SCATTER ||
                 call->verb == VERB_ALLGATHER || call->verb == VERB_ALLTOALL;
    return parts || bytes > INT32_MAX ? -1 : (int32_t)bytes;
}

bool history_gives_blocks(const struct history_call *call)
{
    return !trait_in(call->traits, TRAIT_NEIGHBOR) &&
           (call->verb == VERB_GATHER || call->verb == VERB_SCATTER ||
            call->verb == VERB_ALLGATHER || call->verb == VERB_ALLTOALL);
}

struct history_coll history_coll_of(const struct history_rank *rank,
                                    const struct history_space *space,
                                    const struct history_lane *kept,
                                    const struct spool_event *event)
{
    CORE_CHECK(event->head.a < rank->call_count);
    const struct history_call *call = &rank->call[event->head.a];
    struct history_coll coll = {.call = event->head.a,
                                .needs_all = coll_needs_all(call, event),
                                .root = event->peer,
                                .bytes = coll_bytes(rank, call, event),
                                .carried = history_blocks_carried(rank, space, kept, event)};
    int8_t alike = call->verb == VERB_COMM_CREATE ? call->group_arg : call->file_arg;
    if (alike >= 0 && kept->arg_seq == event->seq && (uint32_t)alike < kept->arg_count) {
        coll.sides = HISTORY_KNOWN;
        coll.side[HISTORY_GIVES] = (uint64_t)kept->arg[alike];
    }
    if (coll.bytes < 0 && space->key.kind == HISTORY_SPACE_COMM && !space->inter)
        history_blocks_of(rank, kept, event, history_space_place(space, kept->rank), space->size,
                          &coll);
    return coll;
}

uint32_t history_space_place(const struct history_space *space, int32_t world)
{
    uint32_t place = space->place;

    CORE_CHECK(space->member != NULL || !space->size);
    if (place < space->size && space->member[place] == world)
        return place;
    place = 0;
    while (place < space->size && space->member[place] != world)
        place++;
    return place;
}

bool history_coll_at(const struct history_rank *rank, const struct history_space *space,
                     uint64_t number, struct history_coll *out_coll)
{
    if (space->mixed)
        return false;
    if (number == space->entered + 1 && history_space_entered(rank, space) == number) {
        const struct history_open *open = rank->open;

        while (history_space_of_open(rank, open) != space)
            open++;
        *out_coll = open->coll;
        return !space->entered || open->lane == space->lane;
    }
    if (!number || number > space->entered || space->entered - number >= HISTORY_RECENT)
        return false;
    *out_coll = space->recent[number % HISTORY_RECENT];
    return true;
}

bool history_call_partial(const struct history_call *call)
{
    return trait_in(call->traits, TRAIT_OVER_MADE) && !trait_in(call->traits, TRAIT_COLLECTIVE);
}
