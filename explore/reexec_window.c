/* See the header. Addresses are numbers here: each rank's part of a window begins at the same
 * address and is counted in bytes from there; a window without memory of its own begins at 0. */
#include "explore/reexec_window.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"

#define A_WINDOW "what a job did to windows"

struct part { /* a rank's part of a window */
    uint32_t object;
    int64_t bytes, unit;
};

struct call {
    enum verb verb;
    int32_t win, target; /* in the trace; in the window */
    int32_t site;
    bool all, local, exclusive, dynamic;
    bool turn;    /* a synchronisation that the job recorded as a turn */
    bool certain; /* reexec_windows_certain */
    int assert;
    int64_t low, bytes; /* bytes that it accesses, or that the window has */
    MPI_Op op;
    int *member; /* owned: members of a group, as world ranks */
    uint32_t member_count;
};

struct named { /* a rank's access to a part, in the order of its calls */
    uint32_t owner, first, op;
};

struct mirror_rank_windows {
    struct call *call; /* of its operations on windows, in order */
    uint32_t call_count, call_room;
    uint32_t *at; /* by operation: its call */
    struct named *named;
    uint32_t named_count, named_room;
    struct part *part; /* by window of the trace */
    MPI_Win *win;
    uint8_t **held; /* by window and target: a lock is held */
    uint32_t win_count;
};

struct reading {
    struct trace *trace;
    const struct replay_program *program;
    struct reexec_windows *out;
    uint32_t win_count;
    const struct reexec_log *turns;
};

/* Tells whether the job recorded a turn for this call. */
static bool reexec_window_looked(const struct reading *reading, uint32_t rank, uint64_t seq)
{
    for (uint32_t i = 0; i < reading->turns->count; i++) {
        const struct order_log_row *turn = &reading->turns->row[i];
        if (turn->kind == ORDER_LOG_DONE && turn->rank == rank && turn->seq == seq &&
            !reexec_turn_is_thread(turn->number))
            return true;
    }
    return false;
}

/* --- calls ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    MPI_Op op;
} ops[] = {{"MPI_SUM", MPI_SUM},   {"MPI_PROD", MPI_PROD},  {"MPI_MAX", MPI_MAX},
           {"MPI_MIN", MPI_MIN},   {"MPI_LAND", MPI_LAND},  {"MPI_LOR", MPI_LOR},
           {"MPI_LXOR", MPI_LXOR}, {"MPI_BAND", MPI_BAND},  {"MPI_BOR", MPI_BOR},
           {"MPI_BXOR", MPI_BXOR}, {"MPI_NO_OP", MPI_NO_OP}};

/* Returns the predefined operation; MPI_REPLACE for others, as it conflicts with all. */
static MPI_Op op_of(const struct trace *trace, int32_t op)
{
    const char *name = op >= 0 && (uint32_t)op < trace->op_count ? trace->op_name[op] : NULL;
    for (size_t i = 0; name && i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(ops[i].name, name))
            return ops[i].op;
    return MPI_REPLACE;
}

/* Returns the bytes that the elements span from the first element's address on; false if unknown.
 */
static bool reexec_window_reach(const struct trace *trace, int32_t datatype, int64_t count,
                                int64_t *out_low, int64_t *out_high)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    *out_low = *out_high = 0;
    if (count == 0)
        return true;
    if (count < 0 || datatype < 0 || (uint32_t)datatype >= trace->datatype_count ||
        !trace->datatype[datatype].segment)
        return false;
    const struct trace_datatype *type = &trace->datatype[datatype];
    for (uint32_t i = 0; i < type->segment_count; i++) {
        const struct spool_segment *segment = &type->segment[i];
        if (segment->basic >= trace->datatype_count)
            return false;
        int64_t end = segment->displacement +
                      (int64_t)segment->count * trace->datatype[segment->basic].extent;
        low = segment->displacement < low ? segment->displacement : low;
        high = end > high ? end : high;
    }
    if (low >= high)
        return true;
    int64_t last = (count - 1) * type->extent;
    *out_low = low + (last < 0 ? last : 0);
    *out_high = high + (last > 0 ? last : 0);
    return true;
}

static struct part *part_of(const struct reading *reading, uint32_t rank, int32_t win)
{
    return win >= 0 && (uint32_t)win < reading->win_count ? &reading->out->rank[rank].part[win]
                                                          : NULL;
}

static enum core_status name_add(struct reading *reading, uint32_t rank, uint32_t owner,
                                 int32_t win, bool lock, uint32_t op)
{
    struct mirror_rank_windows *r = &reading->out->rank[rank];
    const struct part *part = part_of(reading, owner, win);
    return CORE_ARRAY_PUSH(r->named, r->named_count, r->named_room, A_WINDOW,
                           (struct named){owner, decision_window_first(part->object, lock), op});
}

static void reexec_window_held(struct reading *reading, uint32_t rank, const struct call *call,
                               bool held)
{
    uint8_t *target = reading->out->rank[rank].held[call->win];
    if (call->all)
        memset(target, held, reading->program->rank_count);
    else
        target[call->target] = held;
}

static enum core_status access_read(struct reading *reading, const struct trace_event *event,
                                    uint32_t op, uint32_t owner, struct call *call)
{
    const struct part *part = part_of(reading, owner, call->win);
    int64_t low, high, disp = 0;
    bool receives_too = event->has_recv_half;
    enum core_status status = trace_arg_first(reading->trace, event, "target_disp", &disp);
    if (!reexec_window_reach(reading->trace, receives_too ? event->recv_datatype : event->datatype,
                             receives_too                 ? event->recv_count
                             : event->count == EVENT_NONE ? 1
                                                          : event->count,
                             &low, &high))
        reading->out->unknown = true;
    reading->out->unknown |= high - low > INT_MAX;
    call->low = disp * part->unit + low;
    call->bytes = high - low > INT_MAX ? INT_MAX : high - low;
    call->op = op_of(reading->trace, event->op);
    call->certain = reading->out->rank[event->rank].held[call->win][call->target];
    return status == CORE_OK ? name_add(reading, event->rank, owner, call->win, false, op) : status;
}

static enum core_status group_read(struct reading *reading, const struct trace_event *event,
                                   struct call *call)
{
    int64_t group = 0, *member = NULL;
    enum core_status status = trace_arg_first(reading->trace, event, "group", &group);
    if (status == CORE_OK && group)
        status = trace_group_get(reading->trace, group, &member, &call->member_count);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(call->member, call->member_count, A_WINDOW);
    for (uint32_t i = 0; status == CORE_OK && i < call->member_count; i++)
        call->member[i] = (int)member[i];
    free(member);
    return status;
}

static enum core_status number_read(struct reading *reading, const struct trace_event *event,
                                    const char *name, int64_t *out)
{
    return trace_arg_first(reading->trace, event, name, out);
}

static bool is_access(const struct call *call)
{
    return call->verb >= VERB_PUT && call->verb <= VERB_COMPARE_AND_SWAP;
}

/* Tells whether the flush completes an operation: one started since the last flush or lock. */
static bool reexec_window_completes(const struct mirror_rank_windows *r, const struct call *flush)
{
    for (const struct call *c = flush; c-- > r->call;) {
        bool there = c->win == flush->win && (c->all || flush->all || c->target == flush->target);
        bool ends = (c->verb == VERB_FLUSH && !c->local) || c->verb == VERB_LOCK;
        if (there && (is_access(c) || ends))
            return is_access(c);
    }
    return false;
}

static enum core_status call_read(struct reading *reading, const struct trace_event *event,
                                  uint32_t op, struct call *call)
{
    int64_t assert = 0, type = EVENT_LOCK_SHARED;
    int32_t owner = event->peer < 0 ? -1
                                    : trace_comm_world(reading->trace, event->comm,
                                                       (int32_t)event->rank, event->peer);
    enum core_status status = number_read(reading, event, "assert", &assert);
    call->assert = (int)assert;
    call->all = trait_in(event->traits, TRAIT_ALL_TARGETS);
    call->local = trait_in(event->traits, TRAIT_AT_ORIGIN);
    call->target = event->peer == EVENT_PROC_NULL ? MPI_PROC_NULL : event->peer;
    reading->out->polls |= call->verb == VERB_TEST_EPOCH;
    if (status != CORE_OK || !part_of(reading, event->rank, call->win) ||
        (owner < 0 && event->peer >= 0))
        return status;
    if (is_access(call))
        return owner < 0 ? CORE_OK : access_read(reading, event, op, (uint32_t)owner, call);
    switch (call->verb) {
    case VERB_LOCK:
        if (owner < 0 && !call->all)
            return CORE_OK;
        reexec_window_held(reading, event->rank, call, true);
        status = number_read(reading, event, "lock_type", &type);
        call->exclusive = type == EVENT_LOCK_EXCLUSIVE;
        return status != CORE_OK || call->all || assert &EVENT_ASSERT_NOCHECK
                   ? status
                   : name_add(reading, event->rank, (uint32_t)owner, call->win, true, op);
    case VERB_UNLOCK:
        if (owner >= 0 || call->all)
            reexec_window_held(reading, event->rank, call, false);
        return CORE_OK;
    case VERB_FLUSH: /* a flush that completes nothing is a poll of the rank's own memory */
        reading->out->polls |= !reexec_window_completes(&reading->out->rank[event->rank], call);
        return CORE_OK;
    case VERB_POST:
    case VERB_START_EPOCH:
        return group_read(reading, event, call);
    case VERB_SYNC_MEMORY:
        call->turn = reexec_window_looked(reading, event->rank, event->seq);
        reading->out->polls |= !call->turn; /* it could have seen something new */
        return call->turn ? name_add(reading, event->rank, event->rank, call->win, false, op)
                          : CORE_OK;
    case VERB_ATTACH_MEMORY:
        status = number_read(reading, event, "base", &call->low);
        return status == CORE_OK ? number_read(reading, event, "size", &call->bytes) : status;
    default:
        return CORE_OK;
    }
}

static enum core_status made_read(struct reading *reading, const struct trace_event *event,
                                  uint32_t *count, struct call *call)
{
    struct part *part = part_of(reading, event->rank, call->win);
    int64_t unit = 1;
    enum core_status status = number_read(reading, event, "size", &call->bytes);
    if (status == CORE_OK)
        status = number_read(reading, event, "disp_unit", &unit);
    if (part)
        *part = (struct part){decision_window((*count)++), call->bytes, unit};
    call->dynamic = call->verb == VERB_WIN_CREATE_DYNAMIC;
    reading->out->any = true;
    reading->out->unknown |= call->verb == VERB_WIN_ALLOCATE_SHARED; /* others use it */
    return status;
}

/* Reads the calls that create windows, or (makes is false) the others, once all parts are known. */
static enum core_status rank_read(struct reading *reading, uint32_t rank, bool makes)
{
    const struct replay_rank *from = &reading->program->rank[rank];
    struct mirror_rank_windows *to = &reading->out->rank[rank];
    struct trace_event event;
    uint32_t windows = 0, at = 0;
    enum core_status status = CORE_OK;
    for (uint32_t i = 0; i < from->op_count && status == CORE_OK; i++) {
        if (from->op[i].kind != REPLAY_WINDOW)
            continue;
        status = trace_event_get(reading->trace, rank, from->op[i].event, &event);
        if (status == CORE_OK && makes) {
            to->at[i] = to->call_count;
            status = CORE_ARRAY_PUSH(to->call, to->call_count, to->call_room, A_WINDOW,
                                     (struct call){.verb = event.verb,
                                                   .win = event.win,
                                                   .site = event.site,
                                                   .target = MPI_PROC_NULL,
                                                   .certain = true,
                                                   .op = MPI_SUM});
        }
        bool made = trait_in(event.traits, TRAIT_MAKES_WIN);
        struct call *call = &to->call[at];
        if (status == CORE_OK && made == makes)
            status = made ? made_read(reading, &event, &windows, &to->call[at])
                          : call_read(reading, &event, i, call);
        at++;
    }
    return status;
}

static enum core_status rank_new(struct reading *reading, uint32_t rank)
{
    struct mirror_rank_windows *r = &reading->out->rank[rank];
    uint32_t count = reading->win_count;
    enum core_status status = CORE_ARRAY_NEW(r->part, count, A_WINDOW);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(r->win, count + 1, A_WINDOW);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(r->held, count, A_WINDOW);
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(r->at, reading->program->rank[rank].op_count, A_WINDOW);
    r->win_count = status == CORE_OK ? count : 0;
    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        r->win[i] = MPI_WIN_NULL;
        status = CORE_ARRAY_NEW(r->held[i], reading->program->rank_count, A_WINDOW);
    }
    return status;
}

/* Counts the windows, which are numbered from 0. */
static enum core_status windows_count(struct reading *reading)
{
    struct trace_event event;
    enum core_status status = CORE_OK;
    for (uint32_t r = 0; r < reading->program->rank_count; r++) {
        const struct replay_rank *rank = &reading->program->rank[r];
        for (uint32_t i = 0; i < rank->op_count && status == CORE_OK; i++) {
            if (rank->op[i].kind != REPLAY_WINDOW)
                continue;
            status = trace_event_get(reading->trace, r, rank->op[i].event, &event);
            if (status == CORE_OK && event.win >= (int32_t)reading->win_count)
                reading->win_count = (uint32_t)event.win + 1;
        }
    }
    return status;
}

enum core_status reexec_windows_new(struct trace *trace, const struct replay_program *program,
                                    const struct reexec_log *turns,
                                    struct reexec_windows *out_windows)
{
    struct reading reading = {
        .trace = trace, .program = program, .out = out_windows, .turns = turns};
    *out_windows = (struct reexec_windows){.rank_count = program->rank_count};
    enum core_status status = CORE_ARRAY_NEW(out_windows->rank, program->rank_count, A_WINDOW);
    if (status == CORE_OK)
        status = windows_count(&reading);
    for (uint32_t r = 0; r < program->rank_count && status == CORE_OK; r++)
        status = rank_new(&reading, r);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t r = 0; r < program->rank_count && status == CORE_OK; r++)
            status = rank_read(&reading, r, !pass);
    return status;
}

void reexec_windows_done(struct reexec_windows *windows)
{
    for (uint32_t i = 0; windows->rank && i < windows->rank_count; i++) {
        struct mirror_rank_windows *r = &windows->rank[i];
        for (uint32_t c = 0; c < r->call_count; c++)
            free(r->call[c].member);
        free(r->call);
        free(r->at);
        free(r->named);
        free(r->part);
        free(r->win);
        for (uint32_t w = 0; w < r->win_count; w++)
            free(r->held[w]);
        free(r->held);
    }
    free(windows->rank);
    *windows = (struct reexec_windows){0};
}

/* --- in a world ------------------------------------------------------------------------------- */

/* A dummy address: nothing accesses the memory, so all parts may begin at the same address. */
#define NOWHERE ((void *)4096)
#define BYTES (int)call->bytes, MPI_SIGNED_CHAR
#define ORIGIN NOWHERE, BYTES
#define TARGET call->target, (MPI_Aint)call->low, BYTES

static void access_do(const struct call *call, MPI_Win win, MPI_Request *request)
{
    MPI_Op op = call->verb == VERB_COMPARE_AND_SWAP ? MPI_REPLACE : call->op;
    switch (call->verb) {
    case VERB_PUT:
        if (request)
            MPI_Rput(ORIGIN, TARGET, win, request);
        else
            MPI_Put(ORIGIN, TARGET, win);
        break;
    case VERB_GET:
        if (request)
            MPI_Rget(ORIGIN, TARGET, win, request);
        else
            MPI_Get(ORIGIN, TARGET, win);
        break;
    case VERB_ACCUMULATE:
        if (request)
            MPI_Raccumulate(ORIGIN, TARGET, op, win, request);
        else
            MPI_Accumulate(ORIGIN, TARGET, op, win);
        break;
    default: /* operations that return data and keep their order */
        if (request)
            MPI_Rget_accumulate(ORIGIN, ORIGIN, TARGET, op, win, request);
        else
            MPI_Get_accumulate(ORIGIN, ORIGIN, TARGET, op, win);
    }
}

static void epoch_do(const struct call *call, MPI_Win win)
{
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, (int)call->member_count, call->member, &group);
    if (call->verb == VERB_POST)
        MPI_Win_post(group, call->assert, win);
    else
        MPI_Win_start(group, call->assert, win);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void flush_do(const struct call *call, MPI_Win win)
{
    if (call->local && call->all)
        MPI_Win_flush_local_all(win);
    else if (call->local)
        MPI_Win_flush_local(call->target, win);
    else if (call->all)
        MPI_Win_flush_all(win);
    else
        MPI_Win_flush(call->target, win);
}

static void lock_do(const struct call *call, MPI_Win win)
{
    if (call->verb == VERB_LOCK && call->all)
        MPI_Win_lock_all(call->assert, win);
    else if (call->verb == VERB_LOCK)
        MPI_Win_lock(call->exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, call->target,
                     call->assert, win);
    else if (call->all)
        MPI_Win_unlock_all(win);
    else
        MPI_Win_unlock(call->target, win);
}

static void reexec_window_make(const struct call *call, MPI_Comm comm, MPI_Win *win)
{
    if (call->dynamic)
        MPI_Win_create_dynamic(MPI_INFO_NULL, comm, win);
    else
        MPI_Win_create(NOWHERE, (MPI_Aint)call->bytes, 1, MPI_INFO_NULL, comm, win);
}

void reexec_windows_do(struct reexec_windows *windows, uint32_t rank, uint32_t index, MPI_Comm comm,
                       MPI_Request *request)
{
    struct mirror_rank_windows *r = &windows->rank[rank];
    const struct call *call = &r->call[r->at[index]];
    MPI_Win *win = &r->win[call->win >= 0 ? (uint32_t)call->win : r->win_count], none;
    switch (call->verb) {
    case VERB_WIN_CREATE:
    case VERB_WIN_CREATE_DYNAMIC:
    case VERB_WIN_ALLOCATE:
    case VERB_WIN_ALLOCATE_SHARED:
        reexec_window_make(call, comm, win);
        break;
    case VERB_WIN_FREE:
        none = *win;
        MPI_Win_free(&none);
        break;
    case VERB_FENCE:
        MPI_Win_fence(call->assert, *win);
        break;
    case VERB_POST:
    case VERB_START_EPOCH:
        epoch_do(call, *win);
        break;
    case VERB_COMPLETE_EPOCH:
        MPI_Win_complete(*win);
        break;
    case VERB_WAIT_EPOCH:
    case VERB_TEST_EPOCH:
        MPI_Win_wait(*win);
        break;
    case VERB_LOCK:
    case VERB_UNLOCK:
        lock_do(call, *win);
        break;
    case VERB_FLUSH:
        flush_do(call, *win);
        break;
    case VERB_SYNC_MEMORY:
        world_site((uint64_t)call->site);
        if (call->turn)
            MPI_Win_sync(*win);
        break;
    case VERB_ATTACH_MEMORY:
        MPI_Win_attach(*win, (void *)(uintptr_t)call->low, (MPI_Aint)call->bytes);
        break;
    case VERB_DETACH_MEMORY: /* no rank accesses it from then on */
        break;
    default:
        access_do(call, *win, request);
    }
}

/* --- afterwards ------------------------------------------------------------------------------- */

bool reexec_windows_find(const struct reexec_windows *windows, const struct world_decision *d,
                         int32_t answer, uint32_t before, uint32_t *out_rank, uint32_t *out_op)
{
    uint32_t first = (uint32_t)decision_beside(d->number, d->place, 1), count = windows->rank_count;
    bool lock = decision_kind_of(d->number) == DECISION_LOCK;
    uint32_t rank = (uint32_t)answer % count, skip = lock ? before : (uint32_t)answer / count;
    const struct mirror_rank_windows *r = &windows->rank[rank];
    CORE_CHECK(reexec_windows_is(d) && answer >= 0);
    for (uint32_t i = 0; i < r->named_count; i++)
        if (r->named[i].owner == (uint32_t)d->rank && r->named[i].first == first && !skip--) {
            *out_rank = rank;
            *out_op = r->named[i].op;
            return true;
        }
    return false;
}

bool reexec_windows_certain(const struct reexec_windows *windows, uint32_t rank, uint32_t op)
{
    const struct mirror_rank_windows *r = &windows->rank[rank];
    return r->call[r->at[op]].certain;
}
