/* One-sided operations: stored when called, done when something completes them (rma.h).
 *
 * The memory of origin and target is never accessed together: either may be a global variable, and
 * only one rank's are in place at a time (globals.c). Data passes through packed bytes. */
#include "world/exchange/rma.h"

#include "world/exchange/explore_access.h"

enum { LOOK_AHEAD = 8 };

/* --- doing one -------------------------------------------------------------------------------- */

static void rma_hold(struct world_rank *rank)
{
    if (UNLIKELY(world_globals_bytes) && rank)
        world_globals_hold(rank);
}

/* Runs the function in the rank's process, or with its global variables in place. */
static void run_at(struct world_rank *rank, void (*run)(void *argument), void *argument)
{
    if (WORLD_PROCESSES) {
        world_process_at(rank, run, argument);
        return;
    }
    rma_hold(rank);
    run(argument);
    rma_hold(ME);
}

static bool only_reads(const struct world_rma *rma)
{
    return rma->kind == RMA_GET || (rma->kind == RMA_ACCUMULATE && world_op_remote(rma->op) == 3);
}

static void rma_stage(struct world_rma *rma)
{
    if (rma->staged || WORLD->options->hollow)
        return;
    CORE_CHECK(rma->origin_type && rma->kind != RMA_GET);
    size_t bytes = rma->origin_count * rma->origin_type->size;
    rma->staged = world_alloc(bytes + 1);
    world_type_pack(rma->staged, bytes, rma->origin, rma->origin_count, rma->origin_type);
}

/* Computes target = target op origin, both packed; returns whether the type supports that. */
static bool combine_packed(const struct world_rma *rma, const uint8_t *origin, uint8_t *target)
{
    MPI_Datatype type = rma->target_type;
    for (size_t i = 0; i < rma->target_count; i++)
        for (size_t r = 0; r < type->run_count; r++) {
            size_t bytes = type->run[r].count * type->run[r].size;
            if (!world_op_apply_basic(rma->op, type->run[r].basic, origin, target,
                                      (int)type->run[r].count))
                return false;
            origin += bytes;
            target += bytes;
        }
    return true;
}

/* Combines predefined pairs: packing removes their holes, which the operation needs. */
static void combine_pairs(const struct world_rma *rma, const uint8_t *origin, uint8_t *target)
{
    MPI_Datatype type = rma->target_type;
    size_t bytes = rma->target_count * (size_t)type_extent(type),
           packed = rma->target_count * type->size;
    uint8_t *a = world_zalloc(bytes), *b = world_zalloc(bytes);
    world_type_unpack(a, rma->target_count, type, origin, packed);
    world_type_unpack(b, rma->target_count, type, target, packed);
    world_op_apply(rma->op, a, b, (int)rma->target_count, type);
    world_type_pack(target, packed, b, rma->target_count, type);
}

/* Reads and changes the target; returns the packed value before, or NULL if it is not needed. */
static uint8_t *reach_target(struct world_rma *rma)
{
    size_t bytes = rma->target_count * rma->target_type->size;
    uint8_t *before = NULL;
    int how = rma->kind == RMA_ACCUMULATE ? world_op_remote(rma->op) : 2;
    CORE_CHECK(rma->kind != RMA_SWAP || rma->compared);
    CORE_CHECK(rma->kind == RMA_GET || how == 3 || rma->staged);
    if (rma->kind != RMA_PUT) {
        before = world_alloc(bytes + 1);
        world_type_pack(before, bytes, rma->at, rma->target_count, rma->target_type);
    }
    if (rma->kind == RMA_GET || how == 3)
        return before;
    if (rma->kind == RMA_SWAP && memcmp(before, rma->compared, bytes))
        return before;
    if (how == 1) {
        uint8_t *after = memcpy(world_alloc(bytes + 1), before, bytes);
        if (rma->target_type->pair)
            combine_pairs(rma, rma->staged, after);
        else {
            bool defined = combine_packed(rma, rma->staged, after);
            CORE_CHECK(defined); /* check_operation refused others */
        }
        world_type_unpack(rma->at, rma->target_count, rma->target_type, after, bytes);
        rma->changed = memcmp(before, after, bytes) != 0;
        return before;
    }
    size_t given = rma->origin_count * rma->origin_type->size;
    rma->changed = !before || memcmp(before, rma->staged, given < bytes ? given : bytes) != 0;
    world_type_unpack(rma->at, rma->target_count, rma->target_type, rma->staged,
                      given < bytes ? given : bytes);
    return before;
}

static void at_origin(void *argument)
{
    struct world_rma *rma = argument;
    size_t bytes = rma->target_count * rma->target_type->size;
    CORE_CHECK(!rma->compared);
    if (!only_reads(rma))
        rma_stage(rma);
    if (rma->kind == RMA_SWAP)
        rma->compared = memcpy(world_alloc(bytes + 1), rma->compare, bytes);
}

static void at_target(void *argument)
{
    struct world_rma *rma = argument;
    rma->before = reach_target(rma);
}

/* Does the operation, but changes nothing in the origin's memory. */
static void take_effect(struct world_effect *effect)
{
    struct world_rma *rma =
        (struct world_rma *)((uint8_t *)effect - offsetof(struct world_rma, effect));
    CORE_CHECK(!effect->done);
    bool changed = !only_reads(rma);
    if (!WORLD->options->hollow) {
        run_at(rma->by, at_origin, rma);
        run_at(rma->win->part[rma->target]->rank, at_target, rma);
        CORE_CHECK(rma->before || rma->kind == RMA_PUT);
        changed = rma->changed;
    }
    effect->done = true;
    if (changed && effect->turn)
        world_access_happened(effect->turn);
}

/* Completes the operation; returns whether it changed anything or saw anything new. */
static bool rma_perform(struct world_rma *rma)
{
    MPI_Win win = rma->win;
    size_t bytes = rma->target_count * rma->target_type->size;
    if (!rma->effect.done)
        take_effect(&rma->effect);
    if (WORLD->options->hollow) {
        if (!only_reads(rma))
            world_news(ME);
        return true;
    }
    if (rma->result_type)
        world_type_unpack(rma->result, rma->result_count, rma->result_type, rma->before, bytes);
    if (rma->changed) {
        world_news(ME);
        win->last_read = 0;
        return true;
    }
    if (rma->effect.turn && rma->result_type)
        world_access_looked(rma);
    uint64_t seen = world_type_checksum(rma->before, bytes, MPI_BYTE) ^ (uintptr_t)rma->at;
    bool news = seen != win->last_read;
    win->last_read = seen;
    return news;
}

/* --- which, and when -------------------------------------------------------------------------- */

bool world_rma_ordered(const struct world_rma *rma)
{
    return rma->kind == RMA_ACCUMULATE || rma->kind == RMA_SWAP;
}

/* Makes the rank's threads do pending operations one after the other: each may wait in between, and
 * one thread's call completes operations that another thread started. */
static void taking_begin(MPI_Win win)
{
    struct world_fiber *fiber = WORLD->fiber;
    while (win->taker && win->taker != fiber) {
        struct world_waiting *made = world_alloc(sizeof *made);
        *made = (struct world_waiting){win->takers, fiber};
        win->takers = made;
        fiber->why = "waits for another thread of its rank that completes accesses to a window";
        world_fiber_block();
        fiber->why = NULL;
    }
    win->taker = fiber;
}

static void taking_end(MPI_Win win)
{
    struct world_waiting *waiting = win->takers;
    CORE_CHECK(win->taker == WORLD->fiber);
    win->taker = NULL;
    win->takers = NULL;
    for (; waiting; waiting = waiting->next)
        world_fiber_ready(waiting->fiber);
}

static bool take_out(MPI_Win win, struct world_rma **link)
{
    struct world_rma *rma = *link;
    CORE_CHECK(win->taker == WORLD->fiber);
    CORE_CHECK(rma->win == win && rma->target >= 0 && rma->target < win->comm.size);
    if (UNLIKELY(rma->effect.turn != NULL))
        world_access_complete(&rma->effect, "completes its accesses to a window");
    CORE_CHECK(*link == rma); /* no other thread takes from the list meanwhile */
    if (!(*link = rma->next))
        win->pending_end = link;
    const char *call = WORLD->fiber->call;
    WORLD->fiber->call = rma->call;
    bool news = rma_perform(rma);
    WORLD->fiber->call = call;
    return news;
}

/* Counts the first few operations that may be next: an accumulate must wait for earlier ones to the
 * same target. *out_link is the pick-th of them. */
static uint32_t rma_eligible(MPI_Win win, int target, uint32_t pick, struct world_rma ***out_link)
{
    uint32_t count = 0;
    CORE_CHECK(pick < LOOK_AHEAD);
    for (struct world_rma **link = &win->pending; *link && count < LOOK_AHEAD;
         link = &(*link)->next) {
        bool blocked = target >= 0 && (*link)->target != target;
        if (world_rma_ordered(*link))
            for (const struct world_rma *other = win->pending; other != *link && !blocked;
                 other = other->next)
                blocked = world_rma_ordered(other) && other->target == (*link)->target;
        if (!blocked && count++ == pick)
            *out_link = link;
    }
    return count;
}

bool world_rma_complete(MPI_Win win, int target)
{
    CORE_CHECK(target >= -1 && target < win->comm.size);
    bool news = false, any = false;
    if (win->pending)
        world_fiber_yield(); /* so that others' current accesses come first */
    taking_begin(win);
    struct world_rma **link = &win->pending;
    while (!WORLD->chosen && *link) { /* in the order of the calls */
        if (target >= 0 && (*link)->target != target) {
            link = &(*link)->next;
            continue;
        }
        news |= take_out(win, link);
        any = true;
    }
    uint32_t count;
    while (WORLD->chosen && (count = rma_eligible(win, target, 0, &link))) {
        rma_eligible(win, target, world_choose(count, REPLAY_REASON_OTHER), &link);
        news |= take_out(win, link);
        any = true;
    }
    CORE_CHECK(target >= 0 || !win->pending || ME->fiber->sibling);
    taking_end(win);
    return news || (!any && !WORLD_PROCESSES); /* what a process does next is known */
}

/* Does the earlier accumulates to the same target. */
static void rma_predecessors(MPI_Win win, const struct world_rma *rma)
{
    struct world_rma **link = &win->pending;
    CORE_CHECK(world_rma_ordered(rma));
    while (*link && *link != rma)
        if (world_rma_ordered(*link) && (*link)->target == rma->target)
            take_out(win, link);
        else
            link = &(*link)->next;
}

bool world_rma_complete_local(MPI_Win win, int target)
{
    CORE_CHECK(target >= -1 && target < win->comm.size);
    bool news = !win->pending;
    taking_begin(win);
    struct world_rma **link = &win->pending;
    while (*link) {
        struct world_rma *rma = *link;
        if (target >= 0 && rma->target != target) {
            link = &rma->next;
        } else if (!rma->result_type) {
            rma_stage(rma);
            news = true;
            link = &rma->next;
        } else {
            if (world_rma_ordered(rma))
                rma_predecessors(win, rma);
            for (link = &win->pending; *link != rma;)
                link = &(*link)->next;
            news |= take_out(win, link);
        }
    }
    taking_end(win);
    return news;
}

_Static_assert(offsetof(struct world_rma, deferred) == 0, "request_finish gets the operation so");

/* Completes the operation of a request, after which the program may use its buffers again. */
static void request_finish(struct ompi_request_t *request, struct world_deferred *self)
{
    (void)request;
    struct world_rma *rma = (struct world_rma *)self, **link = &rma->win->pending;
    bool news = true;
    CORE_CHECK(rma->deferred.finish == request_finish);
    taking_begin(rma->win);
    while (*link && *link != rma)
        link = &(*link)->next;
    if (*link && !rma->result_type) {
        rma_stage(rma);
    } else if (*link) {
        if (world_rma_ordered(rma))
            rma_predecessors(rma->win, rma);
        for (link = &rma->win->pending; *link != rma;)
            link = &(*link)->next;
        news = take_out(rma->win, link);
    }
    taking_end(rma->win);
    if (!news)
        world_poll_failed();
}

/* --- the calls -------------------------------------------------------------------------------- */

static bool is_attached(const struct world_part *part, ptrdiff_t low, ptrdiff_t high)
{
    const struct world_attachment *a = part->attached;
    while (a && (low < (ptrdiff_t)a->base || high > (ptrdiff_t)(a->base + a->bytes)))
        a = a->next;
    return a != NULL;
}

/* Tells whether each piece of the data is in attached memory, possibly in several regions. */
static bool all_attached(const struct world_part *part, ptrdiff_t at, size_t count,
                         MPI_Datatype type)
{
    CORE_CHECK(count > 0);
    for (size_t i = 0; i < count; i++, at += type_extent(type))
        for (size_t r = 0; r < type->run_count; r++) {
            const struct world_run *run = &type->run[r];
            ptrdiff_t low = at + run->disp;
            if (!is_attached(part, low, low + (ptrdiff_t)(run->count * run->size)))
                return false;
        }
    return true;
}

static bool rma_inside(const struct world_part *part, bool dynamic, MPI_Aint disp, size_t count,
                       MPI_Datatype type, uint8_t **out_at)
{
    ptrdiff_t low, high, at = dynamic ? disp : disp * part->unit;
    world_type_reach(type, count, &low, &high);
    *out_at = dynamic ? (uint8_t *)disp : part->base + (high > low ? at : 0);
    if (high == low)
        return true;
    if (!dynamic)
        return disp >= 0 && at + low >= 0 && at + high <= (ptrdiff_t)part->bytes;
    return is_attached(part, at + low, at + high) || all_attached(part, at, count, type);
}

static int check_buffer(MPI_Win win, MPI_Datatype type, int count)
{
    if (count < 0)
        return WIN_ERROR(win, MPI_ERR_COUNT, "count %d", count);
    if (world_type_check(type, true))
        return WIN_ERROR(win, MPI_ERR_TYPE, "the datatype is null, freed or not committed");
    return MPI_SUCCESS;
}

static int check_operation(MPI_Win win, const struct world_rma *rma)
{
    if (rma->kind != RMA_ACCUMULATE)
        return MPI_SUCCESS;
    int how = world_op_remote(rma->op);
    MPI_Datatype type = rma->target_type;
    bool fits = how > 1 || type->pair || type->run_count == 0 ||
                world_op_apply_basic(rma->op, type->run[0].basic, NULL, NULL, 0);
    for (size_t r = 1; r < type->run_count && how == 1 && !type->pair; r++)
        fits &= type->run[r].basic == type->run[0].basic;
    if (type->pair && how == 1)
        fits = world_op_check(rma->op, type) == MPI_SUCCESS;
    if (!how || !fits)
        return WIN_ERROR(
            win, MPI_ERR_OP,
            "the operation is not a predefined one, or is not defined for the datatype");
    return MPI_SUCCESS;
}

static bool in_epoch(MPI_Win win, int target)
{
    CORE_CHECK_HOT(target >= 0 && target < win->comm.size);
    return win->fenced || win->held_all || win->held[target] || win->started[target];
}

static int rma_check(MPI_Win win, struct world_rma *rma, int target, MPI_Aint disp)
{
    int code = check_buffer(win, rma->target_type, (int)rma->target_count);
    if (!code && rma->origin_type)
        code = check_buffer(win, rma->origin_type, (int)rma->origin_count);
    if (!code && rma->result_type)
        code = check_buffer(win, rma->result_type, (int)rma->result_count);
    if (code)
        return code;
    if (target < 0 || target >= win->comm.size)
        return WIN_ERROR(win, MPI_ERR_RANK, "rank %d of %d", target, win->comm.size);
    if (!in_epoch(win, target))
        return WIN_ERROR(win, MPI_ERR_RMA_SYNC, "no epoch is open in which rank %d may be accessed",
                         target);
    if ((code = check_operation(win, rma)))
        return code;
    if (!rma_inside(win->part[target], win->flavor == MPI_WIN_FLAVOR_DYNAMIC, disp,
                    rma->target_count, rma->target_type, &rma->at))
        return WIN_ERROR(
            win, MPI_ERR_RMA_RANGE,
            "displacement %td and the %zu elements there are outside of rank %d's memory", disp,
            rma->target_count, target);
    size_t bytes = rma->target_count * rma->target_type->size;
    size_t room = rma->result_type && rma->kind != RMA_SWAP
                      ? rma->result_count * rma->result_type->size
                      : bytes;
    if (room < bytes || (rma->origin_type && rma->origin_count * rma->origin_type->size > bytes))
        return WIN_ERROR(win, MPI_ERR_TRUNCATE,
                         "the target has %zu bytes, the origin another number", bytes);
    return MPI_SUCCESS;
}

static void at_once(MPI_Win win, struct world_rma *rma)
{
    taking_begin(win);
    if (world_rma_ordered(rma))
        rma_predecessors(win, rma);
    struct world_rma **link = &win->pending;
    while (*link && *link != rma)
        link = &(*link)->next;
    if (*link) /* otherwise another thread has done it */
        take_out(win, link);
    taking_end(win);
}

static int begin(const char *call, MPI_Win win, int target, MPI_Aint disp, struct world_rma rma,
                 MPI_Request *request)
{
    ENTER(call);
    int code = world_win_check(win);
    if (code)
        return code;
    rma.call = call;
    rma.win = win;
    rma.target = target;
    rma.by = ME;
    rma.deferred.finish = request_finish;
    rma.effect = (struct world_effect){.run = take_effect, .blind = !rma.result_type};
    if (target != MPI_PROC_NULL && (code = rma_check(win, &rma, target, disp)))
        return code;
    CORE_CHECK(target == MPI_PROC_NULL || (target < win->comm.size && rma.target_type));
    struct world_rma *kept = world_alloc(sizeof *kept);
    *kept = rma;
    if (request)
        *request = world_request_deferred(&kept->deferred);
    if (target == MPI_PROC_NULL)
        return MPI_SUCCESS;
    world_rma_event(win->comm.member[target], rma.target_count * rma.target_type->size);
    world_turn_thread(&win->comm, TURN_SENDS, target, 0);
    WORLD->outcome->message_count++;
    WORLD->outcome->byte_count += rma.target_count * rma.target_type->size;
    kept->next = NULL;
    CORE_CHECK(!*win->pending_end && !kept->next); /* rma.h invariant 2: after the earlier ones */
    *win->pending_end = kept;
    win->pending_end = &kept->next;
    if (UNLIKELY(WORLD->explore != NULL))
        world_access_called(kept);
    if (UNLIKELY(WORLD->chosen) && world_choose(3, REPLAY_REASON_OTHER) == 1)
        at_once(win, kept);
    return MPI_SUCCESS;
}

#define ORIGIN(address, count, type) \
    .origin = address, .origin_count = (size_t)(count), .origin_type = type
#define RESULT(address, count, type) \
    .result = address, .result_count = (size_t)(count), .result_type = type
#define TARGET(count, type) .target_count = (size_t)(count), .target_type = type
#define PLACE int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype
#define UNWRAP(...) __VA_ARGS__
/* Defines both forms of a call: PARAMS as in mpi.h without the window, VALUES as designated
 * initialisers. */
#define FORMS(Name, rname, PARAMS, VALUES)                                                     \
    int MPI_##Name(UNWRAP PARAMS, MPI_Win win)                                                 \
    {                                                                                          \
        return begin("MPI_" #Name, win, target_rank, target_disp,                              \
                     (struct world_rma){UNWRAP VALUES, TARGET(target_count, target_datatype)}, \
                     NULL);                                                                    \
    }                                                                                          \
    int MPI_R##rname(UNWRAP PARAMS, MPI_Win win, MPI_Request *request)                         \
    {                                                                                          \
        return begin("MPI_R" #rname, win, target_rank, target_disp,                            \
                     (struct world_rma){UNWRAP VALUES, TARGET(target_count, target_datatype)}, \
                     request);                                                                 \
    }

FORMS(Put, put, (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, PLACE),
      (.kind = RMA_PUT, ORIGIN(origin_addr, origin_count, origin_datatype)))
FORMS(Get, get, (void *origin_addr, int origin_count, MPI_Datatype origin_datatype, PLACE),
      (.kind = RMA_GET, RESULT(origin_addr, origin_count, origin_datatype)))
FORMS(Accumulate, accumulate,
      (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, PLACE, MPI_Op op),
      (.kind = RMA_ACCUMULATE, .op = op, ORIGIN(origin_addr, origin_count, origin_datatype)))
FORMS(Get_accumulate, get_accumulate,
      (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, void *result_addr,
       int result_count, MPI_Datatype result_datatype, PLACE, MPI_Op op),
      (.kind = RMA_ACCUMULATE, .op = op,
       ORIGIN(origin_addr, op == MPI_NO_OP ? 0 : origin_count,
              op == MPI_NO_OP ? MPI_BYTE : origin_datatype),
       RESULT(result_addr, result_count, result_datatype)))

int MPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
    return begin("MPI_Fetch_and_op", win, target_rank, target_disp,
                 (struct world_rma){.kind = RMA_ACCUMULATE,
                                    .op = op,
                                    ORIGIN(origin_addr, op == MPI_NO_OP ? 0 : 1, datatype),
                                    RESULT(result_addr, 1, datatype),
                                    TARGET(1, datatype)},
                 NULL);
}

int MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                         MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)
{
    return begin("MPI_Compare_and_swap", win, target_rank, target_disp,
                 (struct world_rma){.kind = RMA_SWAP,
                                    .compare = compare_addr,
                                    ORIGIN(origin_addr, 1, datatype),
                                    RESULT(result_addr, 1, datatype),
                                    TARGET(1, datatype)},
                 NULL);
}
