/* See trace_rounds.h. The walk advances all ranks together, from one global cut to the next: a rank
 * must advance while it has an active request, a channel on which it is behind its partner, or a
 * communicator or window on which it has entered fewer collectives than another member. If no rank
 * must advance, the cut is closed. If two closed cuts are whole rounds apart in every rank that
 * moved between them, so are all following cuts, to the end of the ranks' loops.
 *
 * Invariants
 *  1. walk->behind of a rank counts the channels and communicators on which it is behind.
 *  2. A region's calls are those of its loop, each in its place, with the requests that the loop's
 *     step says, and have consecutive numbers.
 *  3. The calls that are left out lie between two closed cuts, whole rounds apart in each rank. */
#include "core/trace/trace_rounds.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/table.h"
#include "core/trace/request.h"
#include "core/trace/trace_part.h"

enum {
    SEQ_BITS = 40,
    ROUNDS_MIN = 8,      /* fewer rounds are not worth it */
    ROUNDS_KEPT = 2,     /* rounds that stay at the end of a loop, at least */
    ROUNDS_TRIED = 4,    /* rounds of one rank that may make up one round of all ranks */
    GAP_MAX = 256,       /* calls between two parts that may belong to the loop */
    MARKS_MAX = 1 << 16, /* calls with further records */
    STEPS_MIN = 1 << 16, /* steps that the search may always take, */
    STEPS_SHARE = 8      /* plus one for each so many calls */
};
#define ROUNDS "the rounds of a trace"

struct round_call { /* as in trace_schema.sql */
    int64_t request, repeat, tag;
    uint32_t shape;
    bool has_request;
};
struct round_loop {
    uint32_t at, calls; /* call[at, at + calls) */
    int64_t step;
    bool plain;    /* its calls allow to leave rounds out */
    bool requests; /* a call has a request */
};
struct region { /* calls [first, end) of a rank */
    uint64_t first, end;
    uint32_t loop, at; /* at: place of the first call in the loop */
};
struct channel {
    struct {
        int32_t comm, source, dest, tag; /* world ranks */
    } key;
    int64_t ahead; /* sends minus receives begun so far */
};
struct meeting {   /* collectives on a communicator or a window */
    int32_t place; /* the communicator's id, or -1 - the window's */
    uint64_t most; /* collectives entered by the member that has entered the most */
};
struct member {
    struct {
        int32_t place, rank;
    } key;
    uint64_t entered;
};
struct walker { /* one rank */
    struct trace_cursor *cursor;
    struct requests requests;
    struct trace_event ahead; /* the application's next call */
    bool more;                /* `ahead` is valid */
    uint32_t active, behind;  /* invariant 1 */
    uint64_t from;            /* its position at the previous cut */
    struct region *region;
    uint32_t region_count, region_room;
};
struct walk {
    struct trace *trace;
    struct round_loop *loop;
    struct round_call *call;
    uint32_t loop_count, loop_room, call_count, call_room;
    int64_t *mark; /* ids of calls with further records, ascending */
    uint32_t mark_count, mark_room;
    struct core_table channels, meetings, members;
    struct walker *walker;
    uint64_t steps, steps_max;
    bool known;    /* no call of the trace forbids leaving rounds out */
    bool open;     /* some calls are not settled (call_is_settled) */
    uint32_t kept; /* rounds that stay at the end of a loop */
    bool stuck;    /* no closed cut can follow */
};

/* --- rows ------------------------------------------------------------------------------------- */

typedef enum core_status (*row_fn)(struct walk *walk, sqlite3_stmt *stmt);

/* Calls fn for each row of a query, which may use ?1 and ?2 as the bounds of a rank's ids. */
static enum core_status rows_each(struct walk *walk, const char *sql, int64_t low, int64_t high,
                                  row_fn fn)
{
    sqlite3_stmt *stmt;
    int code = SQLITE_DONE;
    enum core_status status = trace_prepare(walk->trace, sql, &stmt);

    if (status != CORE_OK)
        return status;
    sqlite3_bind_int64(stmt, 1, low);
    sqlite3_bind_int64(stmt, 2, high);
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW)
        status = fn(walk, stmt);
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(walk->trace, code);
    sqlite3_finalize(stmt);
    return status;
}

/* --- calls that allow to leave rounds out ----------------------------------------------------- */

#define MAKES_OR_FREES ((TRAIT_BIT(FREES_MEMORY) << 1) - TRAIT_BIT(LENDS))

static bool mode_is_plain(unsigned mode)
{
    return mode == EVENT_MODE_NONE || mode == EVENT_MODE_STANDARD || mode == EVENT_MODE_SYNCHRONOUS;
}

/* Tells whether a few rounds suffice to judge a trace with such calls. The length of a loop can
 * decide which rank gets a lock first, or room in a buffer. MPI_Win_lock_all waits for no other
 * lock, if nobody locks exclusively. */
static bool call_is_known(const struct trace_call *call)
{
    if (call->class == EVENT_CLASS_RMA_LOCK)
        return trait_in(call->traits, TRAIT_ALL_TARGETS);
    return call->name && call->verb != VERB_UNKNOWN && call->verb != VERB_BEGIN_GENERALIZED &&
           mode_is_plain(call->mode) && call->class != EVENT_CLASS_BUFFER &&
           call->class != EVENT_CLASS_RMA_TEST &&
           !(call->traits & (TRAIT_BIT(DYNAMIC) | TRAIT_BIT(PARTITIONED) | TRAIT_BIT(CANCELS) |
                             TRAIT_BIT(COMPLETES_ANY) | TRAIT_BIT(COMPLETES_SOME)));
}

/* Tells whether the call leaves no choice: all executions of a program with only such calls have
 * the same matches and epochs. */
static bool call_is_settled(const struct trace_call *call)
{
    if (call->traits & (TRAIT_BIT(OVER_MADE) | TRAIT_BIT(POLLS) | TRAIT_BIT(MATCHED) |
                        TRAIT_BIT(PROBES) | TRAIT_BIT(FILE)))
        return false;
    switch (call->class) {
    case EVENT_CLASS_SEND:
    case EVENT_CLASS_ISEND:
    case EVENT_CLASS_SEND_INIT:
    case EVENT_CLASS_SENDRECV:
    case EVENT_CLASS_ISENDRECV:
    case EVENT_CLASS_INIT:
    case EVENT_CLASS_FINALIZE:
    case EVENT_CLASS_RECV:
    case EVENT_CLASS_IRECV:
    case EVENT_CLASS_RECV_INIT:
    case EVENT_CLASS_START:
    case EVENT_CLASS_WAIT:
    case EVENT_CLASS_WAITALL:
    case EVENT_CLASS_REQUEST_FREE:
    case EVENT_CLASS_COLL:
    case EVENT_CLASS_ICOLL:
    case EVENT_CLASS_COLL_INIT:
    case EVENT_CLASS_COMM_CREATE:
    case EVENT_CLASS_COMM_ICREATE:
    case EVENT_CLASS_COMM_FREE:
    case EVENT_CLASS_WIN_CREATE:
    case EVENT_CLASS_WIN_FREE:
    case EVENT_CLASS_RMA_FENCE:
        return true;
    case EVENT_CLASS_RMA:
        return !trait_in(call->traits, TRAIT_MAKES_REQUEST);
    default:
        return trait_in(call->traits, TRAIT_LOCAL);
    }
}

/* Tells whether such a call may be part of a round. A probe that waits can need a message of the
 * next round, so it is no settled call; which message it finds is settled all the same. */
static bool call_is_plain(const struct trace_call *call)
{
    switch (call->class) {
    case EVENT_CLASS_PROBE:
    case EVENT_CLASS_MPROBE:
    case EVENT_CLASS_MRECV:
    case EVENT_CLASS_IMRECV:
        return !trait_in(call->traits, TRAIT_POLLS);
    case EVENT_CLASS_RMA_FLUSH:
        return true;
    case EVENT_CLASS_SEND:
    case EVENT_CLASS_ISEND:
    case EVENT_CLASS_SENDRECV:
    case EVENT_CLASS_ISENDRECV:
    case EVENT_CLASS_RECV:
    case EVENT_CLASS_IRECV:
    case EVENT_CLASS_START:
    case EVENT_CLASS_WAIT:
    case EVENT_CLASS_WAITALL:
    case EVENT_CLASS_COLL:
    case EVENT_CLASS_ICOLL:
    case EVENT_CLASS_RMA:
    case EVENT_CLASS_RMA_FENCE:
        return call_is_settled(call);
    default:
        return trait_in(call->traits, TRAIT_LOCAL) && call->verb == VERB_NONE &&
               !(call->traits & (MAKES_OR_FREES | TRAIT_BIT(MAKES_REQUEST))) &&
               call_is_settled(call);
    }
}

/* Tells whether the call leaves open which message it gets. */
static bool shape_is_wild(const struct trace *trace, const struct trace_shape *shape)
{
    uint64_t traits = trace->call[shape->call].traits;
    bool both = trait_in(traits, TRAIT_SENDS) && trait_in(traits, TRAIT_RECEIVES);
    int32_t peer = both ? shape->recv_peer : shape->peer, tag = both ? shape->recv_tag : shape->tag;
    bool near = shape->near & (both ? TRACE_NEAR_RECV_PEER : TRACE_NEAR_PEER);

    return traits & (TRAIT_BIT(RECEIVES) | TRAIT_BIT(PROBES)) &&
           ((peer == EVENT_ANY && !near) || tag == EVENT_ANY);
}

/* Examines a call of the application. */
static enum core_status shape_look(struct walk *walk, sqlite3_stmt *stmt)
{
    int64_t id = sqlite3_column_int64(stmt, 0);
    const struct trace_shape *shape;

    if (!walk->known || id < 1 || id > UINT32_MAX)
        return CORE_OK;
    enum core_status status = trace_shape_get(walk->trace, (uint32_t)id, &shape);
    if (status != CORE_OK)
        return status;
    const struct trace_call *call = &walk->trace->call[shape->call];
    walk->known = call_is_known(call) && !shape->error && !shape_is_wild(walk->trace, shape);
    walk->open = walk->open || !call_is_settled(call);
    return CORE_OK;
}

/* Examines all calls of the trace, and sets walk->known, open and kept. */
static enum core_status calls_look(struct walk *walk)
{
    walk->known = true;
    enum core_status status = rows_each(
        walk, "SELECT id FROM shape WHERE parent_back IS NULL ORDER BY id", 0, 0, shape_look);

    walk->kept =
        walk->open && walk->trace->rank_count > ROUNDS_KEPT ? walk->trace->rank_count : ROUNDS_KEPT;
    return status;
}

static bool ranks_are_whole(const struct trace *trace)
{
    bool whole = !trace->imported;

    for (uint32_t i = 0; i < trace->rank_count && whole; i++)
        whole = trace->rank[i].threads <= 1 && !trace->rank[i].cut && !trace->rank[i].lost;
    for (uint32_t i = 0; i < trace->comm_count && whole; i++)
        whole = !trace->comm[i].overtaking;
    return whole;
}

/* --- loops and their regions ------------------------------------------------------------------ */

static enum core_status loop_add(struct walk *walk, sqlite3_stmt *stmt)
{
    int64_t calls = sqlite3_column_int64(stmt, 1);

    if (sqlite3_column_int64(stmt, 0) != (int64_t)walk->loop_count + 1 || calls < 1 ||
        calls > UINT32_MAX)
        return trace_damaged(walk->trace, "a loop is invalid");
    return CORE_ARRAY_PUSH(walk->loop, walk->loop_count, walk->loop_room, ROUNDS,
                           (struct round_loop){.calls = (uint32_t)calls,
                                               .step = sqlite3_column_int64(stmt, 2),
                                               .plain = true});
}

static enum core_status loop_call_add(struct walk *walk, sqlite3_stmt *stmt)
{
    int64_t id = sqlite3_column_int64(stmt, 0), index = sqlite3_column_int64(stmt, 1),
            number = sqlite3_column_int64(stmt, 2);
    const struct trace_shape *shape;

    if (id < 1 || id > walk->loop_count || number < 1 || number > UINT32_MAX)
        return trace_damaged(walk->trace, "a loop is invalid");
    struct round_loop *loop = &walk->loop[id - 1];
    if (!index)
        loop->at = walk->call_count;
    if (index < 0 || index >= loop->calls || loop->at + (uint64_t)index != walk->call_count)
        return trace_damaged(walk->trace, "a loop is invalid");
    enum core_status status = trace_shape_get(walk->trace, (uint32_t)number, &shape);
    if (status != CORE_OK)
        return status;
    struct round_call call = {.shape = (uint32_t)number,
                              .request = sqlite3_column_int64(stmt, 3),
                              .has_request = sqlite3_column_type(stmt, 3) != SQLITE_NULL,
                              .repeat = sqlite3_column_int64(stmt, 4),
                              .tag = sqlite3_column_int64(stmt, 5)};
    loop->plain =
        loop->plain && (shape->parent_back || call_is_plain(&walk->trace->call[shape->call]));
    loop->requests = loop->requests || call.has_request;
    return CORE_ARRAY_PUSH(walk->call, walk->call_count, walk->call_room, ROUNDS, call);
}

static enum core_status loops_load(struct walk *walk)
{
    enum core_status status =
        rows_each(walk, "SELECT id, calls, step FROM loop ORDER BY id", 0, 0, loop_add);

    if (status == CORE_OK)
        status = rows_each(walk,
                           "SELECT loop, idx, shape, request, repeat, tag FROM loop_call ORDER BY "
                           "loop, idx",
                           0, 0, loop_call_add);
    for (uint32_t i = 0; status == CORE_OK && i < walk->loop_count; i++)
        if ((uint64_t)walk->loop[i].at + walk->loop[i].calls > walk->call_count)
            status = trace_damaged(walk->trace, "a loop is invalid");
    return status;
}

static enum core_status mark_add(struct walk *walk, sqlite3_stmt *stmt)
{
    return CORE_ARRAY_PUSH(walk->mark, walk->mark_count, walk->mark_room, ROUNDS,
                           sqlite3_column_int64(stmt, 0));
}

/* Loads the ids of calls with further records. *out_few = false: too many. */
static enum core_status marks_load(struct walk *walk, bool *out_few)
{
    enum core_status status = rows_each(
        walk,
        "SELECT (SELECT ifnull(max(rowid), 0) FROM digest) + (SELECT ifnull(max(rowid), 0) FROM "
        "payload) + (SELECT ifnull(max(rowid), 0) FROM stack) + (SELECT ifnull(max(rowid), 0) FROM "
        "misuse)",
        0, 0, mark_add);

    CORE_CHECK(status != CORE_OK || walk->mark_count == 1); /* one sum */
    *out_few = status == CORE_OK && walk->mark[0] <= MARKS_MAX;
    walk->mark_count = 0;
    if (!*out_few)
        return status;
    return rows_each(walk,
                     "SELECT event FROM digest UNION SELECT event FROM payload UNION SELECT event "
                     "FROM stack UNION SELECT event FROM misuse UNION SELECT (event >> 40 << 40) + "
                     "other FROM misuse WHERE other > 0 UNION SELECT event FROM hint ORDER BY 1",
                     0, 0, mark_add);
}

struct growing { /* the region that is being extended by parts */
    struct region region;
    int64_t request; /* base request of the next call's round */
    uint32_t next;   /* place of the next call in the loop */
    bool open, known;
};

/* Advances by `calls` calls. */
static void growing_pass(const struct round_loop *loop, struct growing *growing, uint64_t calls)
{
    uint64_t at = growing->next + calls;

    CORE_CHECK(growing->next < loop->calls); /* invariant 2 */
    growing->region.end += calls;
    growing->request = (int64_t)((uint64_t)growing->request + /* damaged values may wrap */
                                 at / loop->calls * (uint64_t)loop->step);
    growing->next = (uint32_t)(at % loop->calls);
}

/* Tells whether the current row of stmt is the loop's next call. */
static bool gap_is_loops(const struct walk *walk, const struct growing *growing, int64_t rank,
                         sqlite3_stmt *stmt)
{
    const struct round_loop *loop = &walk->loop[growing->region.loop];
    const struct round_call *call = &walk->call[loop->at + growing->next];

    return sqlite3_column_int64(stmt, 0) == (rank << SEQ_BITS | (int64_t)growing->region.end) &&
           sqlite3_column_int64(stmt, 1) == call->shape &&
           (sqlite3_column_type(stmt, 2) != SQLITE_NULL) == call->has_request &&
           (!call->has_request ||
            (growing->known && (uint64_t)sqlite3_column_int64(stmt, 2) ==
                                   (uint64_t)growing->request + (uint64_t)call->request)) &&
           sqlite3_column_type(stmt, 3) != SQLITE_NULL &&
           sqlite3_column_int64(stmt, 4) == call->repeat &&
           sqlite3_column_int64(stmt, 5) == call->tag;
}

/* Checks the calls with rows of their own between the region and seq. *out_whole: all belong to the
 * loop. */
static enum core_status gap_pass(struct walk *walk, sqlite3_stmt *rows, int64_t rank, uint64_t seq,
                                 struct growing *growing, bool *out_whole)
{
    int code = SQLITE_DONE;

    *out_whole = seq - growing->region.end <= GAP_MAX;
    if (!*out_whole || seq == growing->region.end)
        return CORE_OK;
    sqlite3_bind_int64(rows, 1, rank << SEQ_BITS | (int64_t)growing->region.end);
    sqlite3_bind_int64(rows, 2, (rank << SEQ_BITS | (int64_t)seq) - 1);
    while (*out_whole && (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(rows)) == SQLITE_ROW) {
        *out_whole = gap_is_loops(walk, growing, rank, rows);
        if (*out_whole)
            growing_pass(&walk->loop[growing->region.loop], growing, 1);
    }
    sqlite3_reset(rows);
    *out_whole = *out_whole && growing->region.end == seq;
    return code == SQLITE_DONE || code == SQLITE_ROW ? CORE_OK : trace_failed(walk->trace, code);
}

/* Keeps the sections of the region, between calls with further records, that are long enough. */
static enum core_status region_put(struct walk *walk, struct walker *walker, int64_t rank,
                                   const struct region *region)
{
    const struct round_loop *loop = &walk->loop[region->loop];
    uint64_t from = region->first;
    int64_t base = rank << SEQ_BITS;
    enum core_status status = CORE_OK;
    uint32_t at =
        CORE_ARRAY_FIND(i, 0, walk->mark_count, walk->mark[i] < (base | (int64_t)region->first));

    while (status == CORE_OK && loop->plain && from < region->end) {
        uint64_t mark = region->end;
        if (at < walk->mark_count && walk->mark[at] < (base | (int64_t)region->end))
            mark = (uint64_t)(walk->mark[at++] - base);
        CORE_CHECK(mark >= from); /* marks ascend */
        struct region kept = {.first = from,
                              .end = mark,
                              .loop = region->loop,
                              .at = (uint32_t)((region->at + from - region->first) % loop->calls)};
        if (mark - from >= (uint64_t)loop->calls * (ROUNDS_MIN + walk->kept))
            status = CORE_ARRAY_PUSH(walker->region, walker->region_count, walker->region_room,
                                     ROUNDS, kept);
        from = mark + 1;
    }
    return status;
}

/* Adds the part in the current row of stmt. */
static enum core_status part_add(struct walk *walk, struct walker *walker, int64_t rank,
                                 sqlite3_stmt *stmt, sqlite3_stmt *rows, struct growing *growing)
{
    uint64_t seq = (uint64_t)sqlite3_column_int64(stmt, 0) & (((uint64_t)1 << SEQ_BITS) - 1);
    int64_t loop = sqlite3_column_int64(stmt, 1), first = sqlite3_column_int64(stmt, 2),
            calls = sqlite3_column_int64(stmt, 3), request = sqlite3_column_int64(stmt, 4);
    enum core_status status = CORE_OK;
    bool goes_on = false;

    if (loop < 1 || loop > walk->loop_count || first < 0 || first >= walk->loop[loop - 1].calls ||
        calls < 1 || calls > TRACE_SUM_CALLS_MAX || (growing->open && seq < growing->region.end))
        return trace_damaged(walk->trace, "a loop is invalid");
    const struct round_loop *of = &walk->loop[loop - 1];
    bool known = false;
    for (uint32_t i = 0; i < calls && i < of->calls && of->requests && !known; i++)
        known = walk->call[of->at + (first + i) % of->calls].has_request;
    if (growing->open && growing->region.loop == loop - 1)
        status = gap_pass(walk, rows, rank, seq, growing, &goes_on);
    if (status != CORE_OK)
        return status;
    goes_on = goes_on && growing->next == first &&
              (!known || (growing->known && growing->request == request));
    if (!goes_on) {
        if (growing->open)
            status = region_put(walk, walker, rank, &growing->region);
        *growing = (struct growing){.region = {.first = seq,
                                               .end = seq,
                                               .loop = (uint32_t)(loop - 1),
                                               .at = (uint32_t)first},
                                    .request = known ? request : 0,
                                    .next = (uint32_t)first,
                                    .open = true,
                                    .known = known};
    }
    growing_pass(of, growing, (uint64_t)calls);
    return status;
}

static enum core_status regions_find(struct walk *walk, uint32_t rank)
{
    sqlite3_stmt *parts = NULL, *rows = NULL;
    struct growing growing = {0};
    int64_t low = (int64_t)rank << SEQ_BITS;
    int code = SQLITE_DONE;
    enum core_status status = trace_prepare(
        walk->trace,
        "SELECT id, loop, first, calls, request FROM event_part WHERE loop NOT NULL AND id BETWEEN "
        "?1 AND ?2 UNION ALL SELECT id, loop, first, calls, request FROM event_sum WHERE id "
        "BETWEEN ?1 AND ?2 "
        "ORDER BY 1",
        &parts);

    if (status == CORE_OK)
        status = trace_prepare(walk->trace,
                               "SELECT id, shape, request, duration, repeat, tag FROM "
                               "main.event_row WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
                               &rows);
    if (status == CORE_OK) {
        sqlite3_bind_int64(parts, 1, low);
        sqlite3_bind_int64(parts, 2, low | ((INT64_C(1) << SEQ_BITS) - 1));
    }
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(parts)) == SQLITE_ROW)
        status = part_add(walk, &walk->walker[rank], rank, parts, rows, &growing);
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(walk->trace, code);
    if (status == CORE_OK && growing.open)
        status = region_put(walk, &walk->walker[rank], rank, &growing.region);
    sqlite3_finalize(parts);
    sqlite3_finalize(rows);
    return status;
}

/* --- walking ---------------------------------------------------------------------------------- */

static enum core_status channel_move(struct walk *walk, int32_t comm, int32_t source, int32_t dest,
                                     int32_t tag, int by)
{
    struct channel *channel, like = {.key = {comm, source, dest, tag}};

    if (source < 0 || dest < 0 || source >= (int64_t)walk->trace->rank_count ||
        dest >= (int64_t)walk->trace->rank_count) {
        walk->stuck = walk->stuck || (source != EVENT_PROC_NULL && dest != EVENT_PROC_NULL);
        return CORE_OK;
    }
    enum core_status status = core_table_put(&walk->channels, &like.key, ROUNDS, &channel);
    if (status != CORE_OK)
        return status;
    struct walker *sender = &walk->walker[source], *receiver = &walk->walker[dest];
    CORE_CHECK(channel->ahead <= 0 || receiver->behind > 0); /* invariant 1 */
    CORE_CHECK(channel->ahead >= 0 || sender->behind > 0);
    receiver->behind -= channel->ahead > 0;
    sender->behind -= channel->ahead < 0;
    channel->ahead += by;
    receiver->behind += channel->ahead > 0;
    sender->behind += channel->ahead < 0;
    return CORE_OK;
}

static enum core_status member_get(struct walk *walk, int32_t place, int32_t rank,
                                   struct member **out_member)
{
    struct member like = {.key = {place, rank}};

    return core_table_put(&walk->members, &like.key, ROUNDS, out_member);
}

static void member_is_behind(struct walk *walk, int32_t place, int32_t rank, uint64_t most)
{
    struct member like = {.key = {place, rank}};
    const struct member *member = core_table_find(&walk->members, &like.key);

    if (rank < 0 || rank >= (int64_t)walk->trace->rank_count)
        walk->stuck = true;
    else if ((member ? member->entered : 0) + 1 == most)
        walk->walker[rank].behind++;
}

/* Notes that the rank enters a collective of the members of comm. */
static enum core_status place_enter(struct walk *walk, int32_t place, int32_t comm, int32_t rank)
{
    const struct trace_comm *of = &walk->trace->comm[comm];
    struct meeting *meeting;
    struct member *member;
    enum core_status status = core_table_put(&walk->meetings, &place, ROUNDS, &meeting);

    if (status == CORE_OK)
        status = member_get(walk, place, rank, &member);
    if (status != CORE_OK)
        return status;
    if (++member->entered <= meeting->most) {
        CORE_CHECK(walk->walker[rank].behind > 0); /* invariant 1 */
        walk->walker[rank].behind -= member->entered == meeting->most;
        return CORE_OK;
    }
    meeting->most = member->entered;
    walk->stuck = walk->stuck || !of->member || (of->inter && !of->remote);
    for (int32_t i = 0; i < of->size && !walk->stuck; i++)
        if (of->member[i] != rank)
            member_is_behind(walk, place, of->member[i], meeting->most);
    for (int32_t i = 0; of->inter && i < of->remote_size && !walk->stuck; i++)
        if (of->remote[i] != rank)
            member_is_behind(walk, place, of->remote[i], meeting->most);
    return CORE_OK;
}

struct stepping {
    struct walk *walk;
    uint32_t rank;
};

static enum core_status request_moves(enum request_step step, const struct trace_event *event,
                                      struct request *request, const struct trace_completion *done,
                                      void *context)
{
    struct stepping *stepping = context;
    struct walk *walk = stepping->walk;
    struct walker *walker = &walk->walker[stepping->rank];
    int32_t me = (int32_t)stepping->rank;

    (void)event;
    (void)done;
    int32_t peer = trace_comm_world(walk->trace, request->comm, me, request->peer);
    switch (step) {
    case REQUEST_BEGUN:
        walker->active++;
        if (request->kind == REQUEST_SEND)
            return channel_move(walk, request->comm, me, peer, request->tag, 1);
        if (request->kind == REQUEST_RECEIVE)
            return channel_move(walk, request->comm, peer, me, request->tag, -1);
        return request->kind == REQUEST_COLLECTIVE && request->persistent && request->comm >= 0
                   ? place_enter(walk, request->comm, request->comm, me)
                   : CORE_OK;
    case REQUEST_DONE:
        CORE_CHECK(walker->active > 0); /* request.h invariant 2 */
        walker->active--;
        return CORE_OK;
    case REQUEST_MADE:
    case REQUEST_MATCHED: /* the receive counts */
        return CORE_OK;
    case REQUEST_FREED:
        walk->stuck = walk->stuck || request->active;
        return CORE_OK;
    default:
        walk->stuck = true;
        return CORE_OK;
    }
}

/* Loads the application's next call. */
static enum core_status walker_load(struct walk *walk, struct walker *walker)
{
    enum core_status status;

    do {
        status = trace_cursor_next(walker->cursor, &walker->ahead, &walker->more);
        walk->steps++;
    } while (status == CORE_OK && walker->more && walker->ahead.parent);
    walk->stuck = walk->stuck || walk->steps > walk->steps_max;
    return status;
}

/* Returns the id of the collective order that a call belongs to. Windows and files have orders of
 * their own, in which their creation does not count. */
static int32_t place_of(const struct trace_event *event)
{
    bool own = (trait_in(event->traits, TRAIT_WINDOW) || trait_in(event->traits, TRAIT_FILE)) &&
               !(event->traits & (TRAIT_BIT(MAKES_WIN) | TRAIT_BIT(MAKES_FILE)));

    CORE_CHECK(event->comm >= 0); /* walker_step passes no others */
    return own && event->win >= 0 ? -1 - event->win : event->comm;
}

static enum core_status walker_step(struct walk *walk, uint32_t rank)
{
    struct walker *walker = &walk->walker[rank];
    const struct trace_event *event = &walker->ahead;
    struct stepping stepping = {walk, rank};

    CORE_CHECK(rank < walk->trace->rank_count);
    if (!walker->more) {
        walk->stuck = true;
        return CORE_OK;
    }
    enum core_status status = requests_follow(&walker->requests, event, request_moves, &stepping);
    if (status == CORE_OK && trait_in(event->traits, TRAIT_COLLECTIVE) &&
        event->class != EVENT_CLASS_FINALIZE && event->comm >= 0)
        status = place_enter(walk, place_of(event), event->comm, (int32_t)rank);
    return status == CORE_OK ? walker_load(walk, walker) : status;
}

static uint64_t walker_at(const struct walker *walker)
{
    return walker->more ? walker->ahead.seq : UINT64_MAX;
}

static enum core_status walker_to(struct walk *walk, uint32_t rank, uint64_t seq)
{
    enum core_status status = CORE_OK;

    while (status == CORE_OK && !walk->stuck && walker_at(&walk->walker[rank]) < seq)
        status = walker_step(walk, rank);
    return status;
}

/* Advances the ranks to the next closed cut, unless this one is closed. */
static enum core_status walk_close(struct walk *walk)
{
    enum core_status status = CORE_OK;

    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < walk->trace->rank_count; i++)
            while (status == CORE_OK && !walk->stuck &&
                   (walk->walker[i].active || walk->walker[i].behind)) {
                status = walker_step(walk, i);
                moved = true;
            }
        moved = moved && status == CORE_OK && !walk->stuck;
    }
    return status;
}

/* --- leaving out ------------------------------------------------------------------------------ */

/* Returns the region that holds [from, to]; NULL: none. */
static const struct region *region_of(const struct walker *walker, uint64_t from, uint64_t to)
{
    uint32_t at = CORE_ARRAY_FIND(i, 0, walker->region_count, walker->region[i].end <= from);

    return at < walker->region_count && walker->region[at].first <= from &&
                   to < walker->region[at].end
               ? &walker->region[at]
               : NULL;
}

/* Returns how many more times all ranks repeat their calls since the previous cut. */
static uint64_t rounds_again(const struct walk *walk)
{
    uint64_t rounds = UINT64_MAX;

    for (uint32_t i = 0; i < walk->trace->rank_count && rounds; i++) {
        const struct walker *walker = &walk->walker[i];
        uint64_t at = walker_at(walker), calls = at - walker->from;
        if (!calls)
            continue;
        const struct region *region = region_of(walker, walker->from, at);
        if (!region || calls % walk->loop[region->loop].calls)
            return 0;
        CORE_CHECK(at < region->end);
        uint64_t here = (region->end - at) / calls;
        here = here > walk->kept ? here - walk->kept : 0;
        rounds = here < rounds ? here : rounds;
    }
    return rounds == UINT64_MAX || rounds < ROUNDS_MIN ? 0 : rounds;
}

static enum core_status rounds_leave(struct walk *walk, uint64_t rounds)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < walk->trace->rank_count && status == CORE_OK; i++) {
        struct walker *walker = &walk->walker[i];
        struct trace_left *left = &walk->trace->shapes->rounds[i];
        uint64_t at = walker_at(walker), calls = at - walker->from;
        CORE_CHECK(!walker->active && !walker->behind); /* invariant 3 */
        if (!calls)
            continue;
        struct trace_left_part part = {at, at + rounds * calls};
        CORE_CHECK(!left->count || left->part[left->count - 1].end <= at); /* the parts ascend */
        status = CORE_ARRAY_PUSH(left->part, left->count, left->room, ROUNDS, part);
        if (status != CORE_OK)
            return status;
        trace_cursor_seek(walker->cursor, part.end);
        status = walker_load(walk, walker);
        if (status == CORE_OK && walker_at(walker) != part.end)
            status = trace_damaged(walk->trace, "a loop is invalid");
    }
    return status;
}

/* Tries a loop of the rank, and leaves repeated rounds out, as many as all ranks have in one. */
static enum core_status region_try(struct walk *walk, uint32_t rank, const struct region *region,
                                   bool *out_left)
{
    struct walker *walker = &walk->walker[rank];
    uint64_t calls = walk->loop[region->loop].calls, at = walker_at(walker);

    *out_left = false;
    at = at > region->first ? at : region->first;
    CORE_CHECK(calls > 0);
    CORE_CHECK(region->first < region->end);
    if (at + calls * (ROUNDS_MIN + walk->kept) > region->end)
        return CORE_OK;
    enum core_status status = walker_to(walk, rank, at + calls);
    if (status == CORE_OK)
        status = walk_close(walk);
    for (uint32_t i = 1; status == CORE_OK && i <= ROUNDS_TRIED && !walk->stuck; i++) {
        for (uint32_t r = 0; r < walk->trace->rank_count; r++)
            walk->walker[r].from = walker_at(&walk->walker[r]);
        if (walker->from + calls * (ROUNDS_MIN + walk->kept) > region->end)
            break;
        status = walker_to(walk, rank, walker->from + calls * i);
        if (status == CORE_OK)
            status = walk_close(walk);
        uint64_t rounds = status == CORE_OK && !walk->stuck ? rounds_again(walk) : 0;
        *out_left = rounds > 0;
        if (rounds)
            return rounds_leave(walk, rounds);
    }
    return status;
}

static enum core_status walk_all(struct walk *walk)
{
    enum core_status status = CORE_OK;
    uint32_t ranks = walk->trace->rank_count;

    for (uint32_t i = 0; i < ranks && status == CORE_OK; i++) {
        status = trace_cursor_open(walk->trace, i, &walk->walker[i].cursor);
        if (status == CORE_OK)
            status = walker_load(walk, &walk->walker[i]);
    }
    for (uint32_t i = 0; i < ranks && status == CORE_OK; i++)
        for (uint32_t at = 0; at < walk->walker[i].region_count && status == CORE_OK; at++) {
            bool left = !walk->stuck; /* another rank's loop may have ended: try again behind it */
            while (left && status == CORE_OK && !walk->stuck)
                status = region_try(walk, i, &walk->walker[i].region[at], &left);
        }
    for (uint32_t i = 0; i < ranks; i++)
        trace_cursor_close(walk->walker[i].cursor);
    return status;
}

static enum core_status walk_begin(struct walk *walk)
{
    bool few = false, some = false;
    uint64_t events = 0;
    enum core_status status = CORE_ARRAY_NEW(walk->walker, walk->trace->rank_count, ROUNDS);

    for (uint32_t i = 0; i < walk->trace->rank_count && status == CORE_OK; i++) {
        requests_init(&walk->walker[i].requests);
        events += walk->trace->rank[i].events;
    }
    walk->steps_max = STEPS_MIN + events / STEPS_SHARE;
    if (status == CORE_OK)
        status = loops_load(walk);
    if (status == CORE_OK)
        status = marks_load(walk, &few);
    for (uint32_t i = 0; i < walk->trace->rank_count && status == CORE_OK && few; i++) {
        status = regions_find(walk, i);
        some = some || walk->walker[i].region_count;
    }
    walk->stuck = !some;
    CORE_CHECK(!some || walk->loop_count > 0);
    return status;
}

static void walk_done(struct walk *walk)
{
    for (uint32_t i = 0; walk->walker && i < walk->trace->rank_count; i++) {
        requests_done(&walk->walker[i].requests);
        free(walk->walker[i].region);
    }
    free(walk->walker);
    free(walk->loop);
    free(walk->call);
    free(walk->mark);
    core_table_done(&walk->channels);
    core_table_done(&walk->meetings);
    core_table_done(&walk->members);
}

static enum core_status any_part(const struct trace *trace, bool *out_any)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(
        trace, "SELECT 1 FROM event_part UNION ALL SELECT 1 FROM event_sum LIMIT 1", &stmt);

    *out_any = false;
    if (status != CORE_OK)
        return status;
    int code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt);
    *out_any = code == SQLITE_ROW;
    sqlite3_finalize(stmt);
    return code == SQLITE_ROW || code == SQLITE_DONE ? CORE_OK : trace_failed(trace, code);
}

enum core_status trace_rounds_leave(struct trace *trace)
{
    struct walk walk = {.trace = trace,
                        .channels = CORE_TABLE(struct channel, key),
                        .meetings = CORE_TABLE(struct meeting, place),
                        .members = CORE_TABLE(struct member, key)};
    bool any = ranks_are_whole(trace);
    enum core_status status = trace_shapes_open(trace);

    if (status == CORE_OK && any)
        status = any_part(trace, &any);
    if (status != CORE_OK || !any)
        return status;
    CORE_CHECK(!trace->shapes->rounds); /* set only once */
    status = CORE_ARRAY_NEW(trace->shapes->rounds, trace->rank_count, ROUNDS);
    if (status == CORE_OK)
        status = calls_look(&walk);
    if (status == CORE_OK && walk.known)
        status = walk_begin(&walk);
    if (status == CORE_OK && walk.known && !walk.stuck)
        status = walk_all(&walk);
    walk_done(&walk);
    if (status != CORE_OK || !trace_rounds_left(trace))
        trace_rounds_restore(trace);
    else
        trace_rounds_show(trace, false);
    return status;
}

uint64_t trace_rounds_left(const struct trace *trace)
{
    const struct trace_left *left = trace->shapes ? trace->shapes->rounds : NULL;
    uint64_t calls = 0;

    for (uint32_t i = 0; left && i < trace->rank_count; i++)
        for (uint32_t at = 0; at < left[i].count; at++)
            calls += left[i].part[at].end - left[i].part[at].from;
    return calls;
}

void trace_rounds_show(struct trace *trace, bool all)
{
    struct trace_left *left = trace->shapes && !all ? trace->shapes->rounds : NULL;

    if (!trace->shapes || trace->shapes->left == left)
        return;
    trace_rows_forget(trace); /* trace_cursor.c invariant 2 */
    trace->shapes->left = left;
}

void trace_rounds_restore(struct trace *trace)
{
    trace_rounds_show(trace, true);
    if (trace->shapes)
        trace_shapes_keep_all(trace->shapes);
}
