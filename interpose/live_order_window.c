/* Orders accesses to the memory and the locks of windows: keeps each access until its place has
 * come.
 *
 * Invariant: only the rank that holds a row counts and logs an access to its memory; only the rank
 * that holds a lock counts and logs that lock. */
#include <stdlib.h>
#include <string.h>

#include "interpose/misuse/usage.h"
#include "interpose/objects/contents.h"
#include "interpose/live_order_inside.h"

enum { POLL_MS = 1000, EARLY_MS = 100, EARLY_MOST_MS = 2000, EARLY_CALLS = 50, LOOKED = 8 };

struct operation {
    struct operation *next;
    unsigned call; /* CALL_Put... */
    const void *origin;
    const void *compare;
    void *result;
    int count, result_count, target, target_count;
    MPI_Datatype type, result_type, target_type; /* duplicates, to be freed, unless predefined */
    MPI_Aint disp;
    MPI_Op op;
    MPI_Request *request;
    void *copy; /* copy of the origin's data, once the program owns its buffer again */
    int32_t name;
    uint32_t place; /* its place; 0: behind those that the schedule names */
};

struct window {
    struct window *next;
    MPI_Win win;
    int size, rank;
    uint32_t object;
    uint32_t *objects; /* by member: the window's number there */
    int32_t *world;
    uint32_t *named; /* by member: number of operations and looks so far */
    uint8_t *held;   /* by member: this rank holds a lock */
    struct looked {
        uint32_t site, done; /* of the last look from this site: number of accesses to the memory by
                                then */
    } looked[LOOKED];
    uint32_t looked_next, looks;
    struct operation *pending, **pending_end;
};

static struct window *windows;
static uint32_t window_count;
static _Atomic uint32_t early_in_vain;       /* calls that waited since the last operation was
                                                issued */
static __thread struct live_order_row *look; /* the row that this thread holds during its look */

/* --- windows ---------------------------------------------------------------------------------- */

static struct window *window_of(MPI_Win win)
{
    struct window *w = windows;
    while (w && w->win != win)
        w = w->next;
    return w;
}

static struct live_order_row *row_of(const struct window *w, int target, bool locks)
{
    return &live_order_rows[(uint32_t)w->world[target] * LIVE_ORDER_ROWS +
                            (w->objects[target] / 2) % LIVE_ORDER_WINDOWS * 2 + locks];
}

/* True if operation `place` is next in the schedule; place 0: all scheduled operations are done. */
static bool is_next(const struct window *w, int target, bool locks, uint32_t place)
{
    uint32_t last, had = row_of(w, target, locks)->had;
    uint32_t first = decision_window_first(w->objects[target], locks);
    if (*live_order_lost)
        return true;
    if (place)
        return had + 1 >= place;
    live_order_place((uint32_t)w->world[target], first, 0, -1, &last);
    return had >= last;
}

/* Acquires the row; other ranks are excluded until row_leave(). */
static bool row_take(struct live_order_row *row)
{
    uint32_t nobody = 0;
    bool held =
        atomic_compare_exchange_strong(&row->holder, &nobody, (uint32_t)recorder.world_rank + 1);
    if (!held && *live_order_lost)
        live_order_vague();
    return held || *live_order_lost;
}

static void row_leave(struct live_order_row *row)
{
    uint32_t own = (uint32_t)recorder.world_rank + 1;
    atomic_compare_exchange_strong(&row->holder, &own, 0);
}

/* Acquires the row for this place; NULL: the place has not come. */
static struct live_order_row *live_order_window_enter(const struct window *w, int target,
                                                      uint32_t place)
{
    struct live_order_row *row = row_of(w, target, false);
    if (!is_next(w, target, false, place) || !row_take(row))
        return NULL;
    if (is_next(w, target, false, place))
        return row;
    row_leave(row);
    return NULL;
}

static void has_had(const struct window *w, int target, bool locks, int32_t answer, uint64_t seq)
{
    uint32_t first = decision_window_first(w->objects[target], locks),
             before = atomic_fetch_add(&row_of(w, target, locks)->had, 1);
    live_order_write((uint32_t)w->world[target], first + before, answer, seq);
}

static void window_free(struct window *w)
{
    if (!w)
        return;
    free(w->objects);
    free(w->world);
    free(w->named);
    free(w->held);
    free(w);
}

/* Returns NULL if this rank, or another rank of the window, has no room. */
static struct window *window_new(MPI_Comm comm)
{
    long long lacks, ranks_lack = 1;
    struct window *w = window_count < LIVE_ORDER_WINDOWS ? calloc(1, sizeof *w) : NULL;
    if (w) {
        w->object = decision_window(window_count);
        OWN(Comm_size)(comm, &w->size);
        OWN(Comm_rank)(comm, &w->rank);
        size_t count = (size_t)w->size;
        w->objects = calloc(count, sizeof *w->objects);
        w->world = calloc(count, sizeof *w->world);
        w->named = calloc(count, sizeof *w->named);
        w->held = calloc(count, 1);
        w->pending_end = &w->pending;
    }
    lacks = !w || !w->objects || !w->world || !w->named || !w->held;
    OWN(Allreduce)
    (&lacks, &ranks_lack, 1, recorder_handle.type_long_long, recorder_handle.op_sum, comm);
    if (!ranks_lack)
        return w;
    recorder_warn(
        "one-sided operations cannot be ordered: a rank is out of memory, or has more than "
        "64 windows");
    window_free(w);
    return NULL;
}

/* Tells whether all members belong to this world; all members get the same answer. Windows with
 * other ranks are not ordered. */
static bool is_of_world(struct lane *lane, MPI_Comm comm)
{
    int size = 0;
    OWN(Comm_size)(comm, &size);
    for (int i = 0; i < size; i++)
        if (recorder_comm_world(lane, comm, i) < 0 ||
            recorder_comm_world(lane, comm, i) >= recorder.world_size)
            return false;
    return true;
}

void live_order_window_made(struct lane *lane, MPI_Win win, MPI_Comm comm)
{
    struct window *w = turns.windows && is_of_world(lane, comm) ? window_new(comm) : NULL;
    window_count++;
    if (!w) {
        if (turns.windows)
            live_order_vague();
        return;
    }
    w->win = win;
    OWN(Allgather)
    (&w->object, sizeof w->object, recorder_handle.type_byte, w->objects, sizeof w->object,
     recorder_handle.type_byte, comm);
    for (int i = 0; i < w->size; i++)
        w->world[i] = recorder_comm_world(lane, comm, i);
    lock_take(&live_order_lock);
    w->next = windows;
    windows = w;
    lock_leave(&live_order_lock);
}

/* --- operations ------------------------------------------------------------------------------- */

static MPI_Datatype type_keep(MPI_Datatype type, bool keep)
{
    int combiner = usage_accepted(OBJECT_TYPE, HANDLE(type)) ? contents_combiner(type) : -1;
    if (combiner < 0 || combiner == MPI_COMBINER_NAMED)
        return type;
    if (keep)
        OWN(Type_dup)(type, &type);
    else
        OWN(Type_free)(&type);
    return type;
}

/* Duplicates the types (keep), or frees the duplicates. */
static void types_keep(struct operation *o, bool keep)
{
    o->type = type_keep(o->type, keep);
    o->result_type = type_keep(o->result_type, keep);
    o->target_type = type_keep(o->target_type, keep);
}

static int live_order_window_issue(const struct operation *o, MPI_Win win)
{
    switch (o->call) {
    case CALL_Put:
        return OWN(Put)(o->origin, o->count, o->type, o->target, o->disp, o->target_count,
                        o->target_type, win);
    case CALL_Get:
        return OWN(Get)(o->result, o->count, o->type, o->target, o->disp, o->target_count,
                        o->target_type, win);
    case CALL_Accumulate:
        return OWN(Accumulate)(o->origin, o->count, o->type, o->target, o->disp, o->target_count,
                               o->target_type, o->op, win);
    case CALL_Get_accumulate:
        return OWN(Get_accumulate)(o->origin, o->count, o->type, o->result, o->result_count,
                                   o->result_type, o->target, o->disp, o->target_count,
                                   o->target_type, o->op, win);
    case CALL_Fetch_and_op:
        return OWN(Fetch_and_op)(o->origin, o->result, o->type, o->target, o->disp, o->op, win);
    case CALL_Compare_and_swap:
        return OWN(Compare_and_swap)(o->origin, o->compare, o->result, o->type, o->target, o->disp,
                                     win);
    case CALL_Rput:
        return OWN(Rput)(o->origin, o->count, o->type, o->target, o->disp, o->target_count,
                         o->target_type, win, o->request);
    case CALL_Rget:
        return OWN(Rget)(o->result, o->count, o->type, o->target, o->disp, o->target_count,
                         o->target_type, win, o->request);
    case CALL_Raccumulate:
        return OWN(Raccumulate)(o->origin, o->count, o->type, o->target, o->disp, o->target_count,
                                o->target_type, o->op, win, o->request);
    default:
        return OWN(Rget_accumulate)(o->origin, o->count, o->type, o->result, o->result_count,
                                    o->result_type, o->target, o->disp, o->target_count,
                                    o->target_type, o->op, win, o->request);
    }
}

/* Issues the operation. row: NULL: its place did not come. */
static int live_order_window_perform(struct window *w, const struct operation *o,
                                     struct live_order_row *row)
{
    early_in_vain = 0;
    int returned = live_order_window_issue(o, w->win);
    if (returned == MPI_SUCCESS && w->held[o->target])
        returned = OWN(Win_flush)(o->target, w->win);
    has_had(w, o->target, false, o->name, 0);
    if (row)
        row_leave(row);
    else
        live_order_vague();
    return returned;
}

/* Issues the operation and removes it from the list. */
static void perform_at(struct window *w, struct operation **link, struct live_order_row *row)
{
    struct operation *o = *link;
    if (!(*link = o->next))
        w->pending_end = link;
    live_order_window_perform(w, o, row);
    types_keep(o, false);
    free(o->copy);
    free(o);
}

/* Issues the operations whose place has come. */
static void perform_ready(struct window *w, int target)
{
    for (struct operation **link = &w->pending; *link;) {
        const struct operation *o = *link;
        struct live_order_row *row = target < 0 || o->target == target
                                         ? live_order_window_enter(w, o->target, o->place)
                                         : NULL;
        if (row) {
            perform_at(w, link, row);
            link = &w->pending;
        } else {
            link = &(*link)->next;
        }
    }
}

struct waiting { /* the state of waiting for a place */
    const struct live_order_row *row;
    uint32_t had;
    uint64_t ms, until;
};

static struct waiting waiting_for(const struct live_order_row *row, uint64_t ms)
{
    return (struct waiting){row, row->had, ms, live_order_ms(CLOCK_MONOTONIC) + ms};
}

/* Issues pending operations meanwhile. Returns false if the schedule did not advance for too
 * long. */
static bool wait_on(struct waiting *waiting)
{
    uint64_t now = live_order_ms(CLOCK_MONOTONIC);
    if (waiting->row->had != waiting->had) {
        waiting->had = waiting->row->had;
        waiting->until = now + waiting->ms;
    }
    lock_take(&live_order_lock);
    for (struct window *w = windows; w; w = w->next)
        perform_ready(w, -1);
    lock_leave(&live_order_lock);
    live_order_pause();
    return now < waiting->until;
}

/* Waits for the place, without holding the lock. */
static struct live_order_row *enter_late(const struct window *w, int target, uint32_t place,
                                         uint64_t ms)
{
    struct waiting waiting = waiting_for(row_of(w, target, false), ms);
    struct live_order_row *row;
    while (!(row = live_order_window_enter(w, target, place)) && wait_on(&waiting))
        ;
    return row;
}

static struct operation **pending_to(struct window *w, int target)
{
    struct operation **link = &w->pending;
    while (*link && target >= 0 && (*link)->target != target)
        link = &(*link)->next;
    return link;
}

void live_order_complete(MPI_Win win, int target)
{
    const struct operation *first = NULL;
    struct waiting waiting;
    lock_take(&live_order_lock);
    struct window *w = window_of(win);
    while (w && (perform_ready(w, target), *pending_to(w, target))) {
        const struct operation *o = *pending_to(w, target);
        if (o != first)
            waiting = waiting_for(row_of(w, o->target, false), LIVE_ORDER_GIVE_UP_MS);
        first = o;
        lock_leave(&live_order_lock);
        bool goes_on = wait_on(&waiting);
        lock_take(&live_order_lock);
        if (!goes_on && *pending_to(w, target) == first) {
            live_order_gave_up("at a window");
            perform_at(w, pending_to(w, target), NULL);
        }
    }
    lock_leave(&live_order_lock);
}

/* Copies the origin's data, since the program owns the buffer again. */
static bool origin_keep(struct operation *o)
{
    MPI_Aint low, bytes, first, extent;
    if (o->copy || o->count < 1)
        return true;
    OWN(Type_get_true_extent)(o->type, &low, &bytes);
    OWN(Type_get_extent)(o->type, &first, &extent);
    size_t all = (size_t)((o->count - 1) * extent + bytes);
    if (extent < 0 || !(o->copy = malloc(all + 1)))
        return false;
    memcpy(o->copy, (const char *)o->origin + low, all);
    o->origin = (const char *)o->copy - low;
    return true;
}

void live_order_complete_local(MPI_Win win, int target)
{
    bool kept = true;
    lock_take(&live_order_lock);
    struct window *w = window_of(win);
    for (struct operation *o = w ? w->pending : NULL; o; o = o->next)
        if (target < 0 || o->target == target)
            kept &= !o->result && o->origin && origin_keep(o);
    lock_leave(&live_order_lock);
    if (!kept)
        live_order_complete(win, target);
}

void live_order_held(MPI_Win win, int target, bool held)
{
    lock_take(&live_order_lock);
    struct window *w = window_of(win);
    for (int i = 0; w && i < w->size; i++)
        if (target < 0 || i == target)
            w->held[i] = held;
    lock_leave(&live_order_lock);
}

/* Issues pending operations before a blocking call: once this rank blocks in MPI it cannot issue
 * them. Measures the wait in this thread's processor time, so that a busy machine counts for less.
 * Skipped after many futile waits. */
void live_order_windows_before(bool waits)
{
    if (!windows)
        return;
    uint64_t begun = live_order_ms(CLOCK_MONOTONIC), had = live_order_ms(CLOCK_THREAD_CPUTIME_ID);
    for (;;) {
        bool any = false;
        lock_take(&live_order_lock);
        for (struct window *w = windows; w; w = w->next) {
            perform_ready(w, -1);
            any |= w->pending != NULL;
        }
        lock_leave(&live_order_lock);
        if (!any || !waits || early_in_vain >= EARLY_CALLS)
            return;
        if (live_order_ms(CLOCK_THREAD_CPUTIME_ID) - had >= EARLY_MS ||
            live_order_ms(CLOCK_MONOTONIC) - begun >= EARLY_MOST_MS) {
            early_in_vain++;
            return;
        }
        live_order_pause();
    }
}

/* Returns the name of this rank's next operation at the target. */
static int32_t name_next(struct window *w, int target)
{
    return recorder.world_rank + recorder.world_size * (int32_t)w->named[target]++;
}

static uint32_t place_of(const struct window *w, int target, int32_t name)
{
    uint32_t last, first = decision_window_first(w->objects[target], false);
    return live_order_place((uint32_t)w->world[target], first, 0, name, &last);
}

static int live_order_window_operate(MPI_Win win, struct operation given)
{
    lock_take(&live_order_lock);
    struct window *w = window_of(win);
    lock_leave(&live_order_lock);
    if (!w || given.target < 0 || given.target >= w->size)
        return live_order_window_issue(&given, win);
    if (turns.threads)
        live_order_thread(w->object, decision_queue_sends(given.target));
    lock_take(&live_order_lock);
    given.name = name_next(w, given.target);
    given.place = place_of(w, given.target, given.name);
    lock_leave(&live_order_lock);
    if (given.request) { /* the request must begin here */
        struct live_order_row *row =
            enter_late(w, given.target, given.place, LIVE_ORDER_GIVE_UP_MS);
        if (!row)
            live_order_gave_up("at a window, for an operation with a request");
        return live_order_window_perform(w, &given, row);
    }
    struct operation *o = malloc(sizeof *o);
    if (!o)
        return live_order_window_perform(w, &given,
                                         live_order_window_enter(w, given.target, given.place));
    *o = given;
    types_keep(o, true);
    lock_take(&live_order_lock);
    *w->pending_end = o;
    w->pending_end = &o->next;
    perform_ready(w, -1);
    lock_leave(&live_order_lock);
    return MPI_SUCCESS;
}

static struct looked *looked_from(struct window *w, uint32_t site)
{
    for (uint32_t i = 0; i < LOOKED; i++)
        if (w->looked[i].site == site)
            return &w->looked[i];
    struct looked *looked = &w->looked[w->looked_next++ % LOOKED];
    *looked = (struct looked){site, UINT32_MAX};
    return looked;
}

void live_order_look(MPI_Win win, uint32_t site, uint64_t seq)
{
    live_order_looked();
    lock_take(&live_order_lock);
    struct window *w = window_of(win);
    struct looked *looked = w ? looked_from(w, site) : NULL;
    lock_leave(&live_order_lock);
    if (!w)
        return;
    struct live_order_row *row = row_of(w, w->rank, false), *own = NULL;
    int32_t name = recorder.world_rank + recorder.world_size * (int32_t)w->named[w->rank];
    uint32_t place = place_of(w, w->rank, name);
    uint32_t done = row->had - w->looks;
    bool again = looked->done == done;
    struct waiting waiting = waiting_for(row, again ? POLL_MS : LIVE_ORDER_GIVE_UP_MS);
    while (((again && !place && done == row->had - w->looks) ||
            !(own = live_order_window_enter(w, w->rank, place))) &&
           wait_on(&waiting))
        ;
    if (!own && !again)
        live_order_gave_up("to look at its window");
    if (own || !again) {
        name_next(w, w->rank);
        has_had(w, w->rank, false, name, seq);
        w->looks++;
    }
    if (!own && !again)
        live_order_vague();
    looked->done = row->had - w->looks;
    look = own;
}

void live_order_looked(void)
{
    if (look)
        row_leave(look);
    look = NULL;
}

int live_order_Win_lock(int type, int rank, int assert, MPI_Win win)
{
    uint32_t last;
    lock_take(&live_order_lock);
    struct window *w = window_of(win);
    lock_leave(&live_order_lock);
    if (!w || rank < 0 || rank >= w->size)
        return OWN(Win_lock)(type, rank, assert, win);
    if (assert & MPI_MODE_NOCHECK) {
        live_order_held(win, rank, true);
        return OWN(Win_lock)(type, rank, assert, win);
    }
    struct live_order_row *row = row_of(w, rank, true);
    uint32_t place =
        live_order_place((uint32_t)w->world[rank], decision_window_first(w->objects[rank], true),
                         row->had, recorder.world_rank, &last);
    struct waiting waiting = waiting_for(row, LIVE_ORDER_GIVE_UP_MS);
    while (!is_next(w, rank, true, place))
        if (!wait_on(&waiting)) {
            live_order_gave_up("for the lock of a window");
            break;
        }
    int returned = OWN(Win_lock)(type, rank, assert, win);
    if (returned == MPI_SUCCESS) {
        live_order_held(win, rank, true);
        OWN(Win_flush)(rank, win); /* some libraries wait for the lock only here */
        has_had(w, rank, true, recorder.world_rank, 0);
    }
    return returned;
}

void live_order_window_free(MPI_Win win)
{
    live_order_complete(win, -1);
    lock_take(&live_order_lock);
    struct window **link = &windows, *w;
    while (*link && (*link)->win != win)
        link = &(*link)->next;
    if ((w = *link))
        *link = w->next;
    lock_leave(&live_order_lock);
    window_free(w);
}

/* --- the calls -------------------------------------------------------------------------------- */

#define TO_TARGET                                                                               \
    .count = count, .type = type, .target = target, .disp = disp, .target_count = target_count, \
    .target_type = target_type, .result_type = recorder_handle.type_null

int live_order_Put(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                   int target_count, MPI_Datatype target_type, MPI_Win win)
{
    return live_order_window_operate(
        win, (struct operation){.call = CALL_Put, .origin = origin, TO_TARGET});
}

int live_order_Rput(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                    int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    return live_order_window_operate(
        win,
        (struct operation){.call = CALL_Rput, .origin = origin, TO_TARGET, .request = request});
}

int live_order_Get(void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                   int target_count, MPI_Datatype target_type, MPI_Win win)
{
    return live_order_window_operate(
        win, (struct operation){.call = CALL_Get, .result = origin, TO_TARGET});
}

int live_order_Rget(void *origin, int count, MPI_Datatype type, int target, MPI_Aint disp,
                    int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request)
{
    return live_order_window_operate(
        win,
        (struct operation){.call = CALL_Rget, .result = origin, TO_TARGET, .request = request});
}

int live_order_Accumulate(const void *origin, int count, MPI_Datatype type, int target,
                          MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op,
                          MPI_Win win)
{
    return live_order_window_operate(
        win, (struct operation){.call = CALL_Accumulate, .origin = origin, TO_TARGET, .op = op});
}

int live_order_Raccumulate(const void *origin, int count, MPI_Datatype type, int target,
                           MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op,
                           MPI_Win win, MPI_Request *request)
{
    return live_order_window_operate(
        win,
        (struct operation){
            .call = CALL_Raccumulate, .origin = origin, TO_TARGET, .op = op, .request = request});
}

static struct operation live_order_window_fetching(unsigned call, const void *origin, void *result,
                                                   int count, MPI_Datatype type, int target,
                                                   MPI_Aint disp, MPI_Op op)
{
    return (struct operation){.call = call,
                              .origin = origin,
                              .result = result,
                              .count = count,
                              .result_count = count,
                              .target_count = count,
                              .type = type,
                              .result_type = type,
                              .target_type = type,
                              .target = target,
                              .disp = disp,
                              .op = op};
}

int live_order_Get_accumulate(const void *origin, int count, MPI_Datatype type, void *result,
                              int result_count, MPI_Datatype result_type, int target, MPI_Aint disp,
                              int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win)
{
    struct operation o = live_order_window_fetching(CALL_Get_accumulate, origin, result, count,
                                                    type, target, disp, op);
    o.result_count = result_count;
    o.result_type = result_type;
    o.target_count = target_count;
    o.target_type = target_type;
    return live_order_window_operate(win, o);
}

int live_order_Rget_accumulate(const void *origin, int count, MPI_Datatype type, void *result,
                               int result_count, MPI_Datatype result_type, int target,
                               MPI_Aint disp, int target_count, MPI_Datatype target_type, MPI_Op op,
                               MPI_Win win, MPI_Request *request)
{
    struct operation o = live_order_window_fetching(CALL_Rget_accumulate, origin, result, count,
                                                    type, target, disp, op);
    o.result_count = result_count;
    o.result_type = result_type;
    o.target_count = target_count;
    o.target_type = target_type;
    o.request = request;
    return live_order_window_operate(win, o);
}

int live_order_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target,
                            MPI_Aint disp, MPI_Op op, MPI_Win win)
{
    return live_order_window_operate(
        win,
        live_order_window_fetching(CALL_Fetch_and_op, origin, result, 1, type, target, disp, op));
}

int live_order_Compare_and_swap(const void *origin, const void *compare, void *result,
                                MPI_Datatype type, int target, MPI_Aint disp, MPI_Win win)
{
    struct operation o = live_order_window_fetching(CALL_Compare_and_swap, origin, result, 1, type,
                                                    target, disp, recorder_handle.op_null);
    o.compare = compare;
    return live_order_window_operate(win, o);
}
