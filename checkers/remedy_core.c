/* See remedy_core.h. Holds no state. */
#include "checkers/remedy_core.h"

#include "checkers/pickled.h"
#include "core/check.h"

static const struct replay_op *remedy_core_op(const struct check_input *input,
                                              const struct replay_blocked *blocked)
{
    CORE_CHECK(blocked->rank < input->program->rank_count);
    CORE_CHECK(blocked->op < input->program->rank[blocked->rank].op_count);
    return &input->program->rank[blocked->rank].op[blocked->op];
}

/* Tells whether all ranks of the core wait for locks: they block each other by locks that they
 * hold. */
static bool hold_by_locks(const struct check_input *input, const struct replay_waitfor *waitfor)
{
    bool locks = false;

    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        if (waitfor->blocked[i].standing != REPLAY_IN_CORE)
            continue;
        if (remedy_core_op(input, &waitfor->blocked[i])->kind != REPLAY_LOCK)
            return false;
        locks = true;
    }
    return locks;
}

enum { /* what ranks of a cycle wait for */
       HOLDS_LOCK = 1,
       HOLDS_MESSAGE = 2,
       HOLDS_RECEIVE = 4,
       HOLDS_COLLECTIVE = 8,
       HOLDS_OTHER = 16
};

static unsigned held_by(const struct replay_op *op)
{
    CORE_CHECK(op->kind != REPLAY_WAIT); /* its clauses name the operations */
    switch (op->kind) {
    case REPLAY_LOCK:
        return HOLDS_LOCK;
    case REPLAY_RECV:
    case REPLAY_IRECV:
    case REPLAY_PROBE:
    case REPLAY_MPROBE:
        return op->mode == REPLAY_TOKEN ? HOLDS_OTHER : HOLDS_MESSAGE;
    case REPLAY_SEND:
    case REPLAY_ISEND:
        return op->mode == REPLAY_TOKEN ? HOLDS_OTHER : HOLDS_RECEIVE;
    case REPLAY_COLL:
    case REPLAY_ICOLL:
        return HOLDS_COLLECTIVE;
    default:
        return HOLDS_OTHER;
    }
}

static bool is_core(const struct replay_waitfor *waitfor, uint32_t rank)
{
    for (uint32_t i = 0; i < waitfor->blocked_count; i++)
        if (waitfor->blocked[i].standing == REPLAY_IN_CORE && waitfor->blocked[i].rank == rank)
            return true;
    return false;
}

/* Collects by what the ranks of a cycle block each other; 0: a rank waits for no other rank of the
 * cycle. */
static unsigned core_holds(const struct check_input *input, const struct replay_waitfor *waitfor)
{
    unsigned all = 0;

    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        unsigned holds = 0;
        CORE_CHECK(blocked->rank < input->program->rank_count);
        if (blocked->standing != REPLAY_IN_CORE)
            continue;
        for (uint32_t k = 0; k < blocked->count; k++) {
            const struct replay_clause *clause = &waitfor->clause[blocked->first + k];
            for (uint32_t p = 0; p < clause->count; p++)
                if (waitfor->peer[clause->first + p] != blocked->rank &&
                    is_core(waitfor, waitfor->peer[clause->first + p]))
                    holds |= held_by(&input->program->rank[blocked->rank].op[clause->op]);
        }
        if (!holds)
            return 0;
        all |= holds;
    }
    return all;
}

/* Tells whether the collectives of the core are on different contexts. */
static bool contexts_differ(const struct check_input *input, const struct replay_waitfor *waitfor)
{
    int64_t first = -1;

    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        for (uint32_t k = 0; blocked->standing == REPLAY_IN_CORE && k < blocked->count; k++) {
            const struct replay_op *op =
                &input->program->rank[blocked->rank].op[waitfor->clause[blocked->first + k].op];
            if (first >= 0 && first != (int64_t)op->comm)
                return true;
            first = op->comm;
        }
    }
    return false;
}

/* Tells whether a rank of the core waits for the start or the end of another one's accesses, which
 * MPI_Win_post and MPI_Win_start announce to each other. */
static bool core_posts(const struct check_input *input, const struct replay_waitfor *waitfor)
{
    struct trace_event event;

    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        if (blocked->standing == REPLAY_IN_CORE &&
            trace_event_get(input->trace, blocked->rank, blocked->event, &event) == CORE_OK &&
            (event.class == EVENT_CLASS_RMA_WAIT || event.class == EVENT_CLASS_RMA_START ||
             event.class == EVENT_CLASS_RMA_COMPLETE))
            return true;
    }
    return false;
}

/* Tells whether a message of the core may be the inside of a collective of mpi4py, which reduces
 * objects by messages. */
static bool core_pickles(const struct check_input *input, const struct replay_waitfor *waitfor)
{
    struct trace_event event;

    for (uint32_t i = 0; i < waitfor->blocked_count; i++) {
        const struct replay_blocked *blocked = &waitfor->blocked[i];
        if (blocked->standing == REPLAY_IN_CORE && blocked->kind != REPLAY_COLL &&
            trace_event_get(input->trace, blocked->rank, blocked->event, &event) == CORE_OK &&
            pickled_is_collective(input->trace, event.site))
            return true;
    }
    return false;
}

enum remedy remedy_core(const struct check_input *input, const struct replay_waitfor *waitfor)
{
    if (hold_by_locks(input, waitfor))
        return REMEDY_UNLOCK;
    if (core_posts(input, waitfor))
        return REMEDY_POSTS;
    switch (core_holds(input, waitfor)) {
    case HOLDS_LOCK | HOLDS_MESSAGE:
    case HOLDS_LOCK | HOLDS_RECEIVE:
        return REMEDY_UNLOCK_FIRST;
    case HOLDS_MESSAGE:
        return REMEDY_SEND_FIRST;
    case HOLDS_COLLECTIVE:
        return contexts_differ(input, waitfor) ? REMEDY_SAME_ORDER : REMEDY_OF_RULE;
    case HOLDS_COLLECTIVE | HOLDS_MESSAGE:
    case HOLDS_COLLECTIVE | HOLDS_RECEIVE:
        return core_pickles(input, waitfor) ? REMEDY_PARTED : REMEDY_ONE_SIDE;
    default:
        return REMEDY_OF_RULE;
    }
}
