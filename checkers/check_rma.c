/* Checks one-sided communication: epochs must be opened and closed as MPI requires, accesses must
 * lie inside the window, and two accesses to the same bytes of which one writes must be ordered.
 *
 * order.h gives the order between ranks; the checker claims nothing about unknown order.
 * Accumulates of one operation do not conflict. The known accesses of a target to its own window
 * are those by MPI calls, stores that changed the window's content, and those that a watchpoint on
 * its first bytes saw (interpose/misuse/inflight.c); other loads are unknown. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_rules.h"
#include "checkers/collective/type_report.h"
#include "checkers/conflict/assertion.h"
#include "checkers/conflict/exposure.h"
#include "checkers/conflict/fences.h"
#include "checkers/conflict/flushes.h"
#include "checkers/conflict/region.h"
#include "checkers/conflict/rma_conflict.h"
#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"
#include "core/trace/describe.h"
#include "core/table.h"
#include "core/work.h"

struct held {
    uint64_t seq; /* the call that took the lock */
    uint8_t how;  /* 0: not locked, 1: shared, 2: exclusive */
};
struct epoch { /* state of one rank on one window */
    bool fence, started, posted, all;
    bool no_succeed;      /* the last fence asserts MPI_MODE_NOSUCCEED */
    uint32_t fences;      /* so far */
    uint64_t locked_used; /* the last access under a lock since the last fence; 0: none */
    uint64_t fence_seq, start_seq, post_seq, used_seq;
    uint64_t synced;   /* the last call that synchronised or made the window */
    struct held *lock; /* by world rank of the target */
    uint64_t all_seq;  /* the MPI_Win_lock_all call */
    bool *group;       /* targets of MPI_Win_start */
};
struct open { /* for the rank that is read now */
    struct open_key {
        int32_t win;
        uint32_t target;
    } key;
    uint32_t first[2]; /* index + 1 of the last access begun: [0] that only reads, [1] any other; 0:
                          none */
};
struct requested { /* for the rank that is read now */
    uint64_t request;
    uint32_t access;
};
struct part { /* a rank's part of a window */
    int64_t unit;
    struct regions regions;
    struct epoch epoch;
};
struct window {
    struct part *part;     /* by world rank; NULL: no such window */
    struct fences *fences; /* the same */
    bool dynamic;
    bool shared;      /* other processes may store to it directly */
    bool within_said; /* locks between fences were reported */
};
struct rma {
    const struct check_input *input;
    struct finding_dedup dedup;
    struct window *window;
    uint32_t window_room;
    struct rma_accesses all; /* all accesses, and the memory of the windows */
    struct core_table open, requested;
    struct exposures exposures;
    struct assertions assertions;
    struct flushes flushes;
    bool fetching; /* the rank that is read now has begun an atomic operation that reads */
    struct type_report types;
    enum core_status status;
};

/* Keeps the first failure; tells whether there was none so far. */
static bool check_rma_good(struct rma *rma, enum core_status status)
{
    if (rma->status == CORE_OK)
        rma->status = status;
    return status == CORE_OK;
}

static struct finding *check_rma_say(struct rma *rma, enum finding_severity severity, uint32_t rank,
                                     uint64_t seq)
{
    return finding_dedup_add(&rma->dedup, severity, rank, seq);
}

static void check_rma_wrong(struct rma *rma, const struct trace_event *event, uint64_t other,
                            const char *sentence)
{
    finding_dedup_wrong(&rma->dedup, event, other, sentence);
}

/* Like check_rma_wrong, for an assertion that does not hold. */
static void check_rma_broken(struct rma *rma, const struct trace_event *event, uint64_t other,
                             const char *sentence)
{
    struct finding *finding = finding_dedup_wrong(&rma->dedup, event, other, sentence);

    CORE_CHECK(event->win >= 0);
    if (finding)
        finding->remedy = REMEDY_ASSERT;
}

static struct window *window_of(struct rma *rma, int32_t win)
{
    uint32_t ranks = rma->input->trace->rank_count;

    if (win < 0 || win > 1 << 20)
        return NULL;
    if (!check_rma_good(rma, CORE_ARRAY_ROOM_ZERO(rma->window, rma->window_room, (uint64_t)win + 1,
                                                  "windows")) ||
        !check_rma_good(rma, CORE_ARRAY_ROOM_ZERO(rma->all.window, rma->all.window_room,
                                                  (uint64_t)win + 1, "windows")))
        return NULL;
    CORE_CHECK((uint32_t)win < rma->window_room && (uint32_t)win < rma->all.window_room);
    struct window *window = &rma->window[win];
    struct rma_window *memory = &rma->all.window[win];
    if (window->part && window->fences && memory->part)
        return window;
    if (!check_rma_good(rma, CORE_ARRAY_NEW(window->part, ranks, "windows")) ||
        !check_rma_good(rma, CORE_ARRAY_NEW(window->fences, ranks, "windows")) ||
        !check_rma_good(rma, CORE_ARRAY_NEW(memory->part, ranks, "windows")))
        return NULL;
    for (uint32_t i = 0; i < ranks; i++)
        memory->part[i] = (struct area_part){.bytes = -1, .win = win, .area = win};
    return window;
}

/* Returns the window's memory at a rank. */
static struct area_part *part_of(const struct rma *rma, int32_t win, uint32_t rank)
{
    CORE_CHECK((uint32_t)win < rma->all.window_room && rma->all.window[win].part);
    CORE_CHECK(rank < rma->input->trace->rank_count);
    return &rma->all.window[win].part[rank];
}

static struct held *check_rma_locks(struct rma *rma, struct epoch *epoch)
{
    if (!epoch->lock)
        check_rma_good(rma, CORE_ARRAY_NEW(epoch->lock, rma->input->trace->rank_count, "windows"));
    return epoch->lock;
}

static bool check_rma_locked(const struct rma *rma, const struct epoch *epoch)
{
    for (uint32_t i = 0; epoch->lock && i < rma->input->trace->rank_count; i++)
        if (epoch->lock[i].how)
            return true;
    return epoch->all;
}

/* Returns the call that took a lock which is still held; 0: none. */
static uint64_t locked_by(const struct rma *rma, const struct epoch *epoch)
{
    CORE_CHECK(!epoch->all || epoch->all_seq);
    for (uint32_t i = 0; epoch->lock && i < rma->input->trace->rank_count; i++)
        if (epoch->lock[i].how)
            return epoch->lock[i].seq;
    return epoch->all ? epoch->all_seq : 0;
}

/* Finds the operations of the rank on a window and target that are not complete: a list through
 * `next`. */
static struct open *open_of(struct rma *rma, int32_t win, uint32_t target)
{
    struct open_key key = {win, target};

    return core_table_find(&rma->open, &key);
}

static void complete_list(struct rma *rma, uint32_t *first, uint64_t seq)
{
    for (uint32_t at = *first; at; at = rma->all.access[at - 1].next, core_work(1)) {
        CORE_CHECK(at <= rma->all.count);
        CORE_CHECK(rma->all.access[at - 1].next < at); /* the list goes back in time, and so ends */
        if (rma->all.access[at - 1].end == UINT64_MAX)
            rma->all.access[at - 1].end = seq;
    }
    *first = 0;
}

static void complete_at(struct rma *rma, int32_t win, uint32_t target, bool at_origin, uint64_t seq)
{
    struct open *open = open_of(rma, win, target);

    if (open)
        complete_list(rma, &open->first[0], seq);
    if (open && !at_origin)
        complete_list(rma, &open->first[1], seq);
}

/* Completes the rank's operations on the window and target (-1: all). at_origin: completes reads
 * only; written data need not have arrived. */
static void check_rma_complete(struct rma *rma, int32_t win, int32_t target, bool at_origin,
                               uint64_t seq)
{
    if (target >= 0)
        complete_at(rma, win, (uint32_t)target, at_origin, seq);
    for (uint32_t i = 0; target < 0 && i < rma->input->trace->rank_count; i++)
        complete_at(rma, win, i, at_origin, seq);
}

/* Completes a read-only access when its request completes. For other accesses the request only
 * frees the origin's buffer. */
static void check_rma_completed(struct rma *rma, const struct trace_event *event, uint64_t request)
{
    const struct requested *requested =
        request && rma->requested.count ? core_table_find(&rma->requested, &request) : NULL;
    CORE_CHECK(!requested || requested->access < rma->all.count);
    struct access *access = requested ? &rma->all.access[requested->access] : NULL;

    if (access && !access_writes(rma->input->trace, access) && access->end == UINT64_MAX)
        access->end = event->seq;
}

static bool check_rma_add(struct rma *rma, const struct access *access)
{
    CORE_CHECK(rma->all.window[access->win].part); /* rma_conflict_check looks at it */
    CORE_CHECK(access->target < rma->input->trace->rank_count);
    CORE_CHECK(access->kind <= STORE);
    rma->status = CORE_ARRAY_PUSH(rma->all.access, rma->all.count, rma->all.room,
                                  "one-sided accesses", *access);
    return rma->status == CORE_OK;
}

/* Records an access that a call begins. */
static void check_rma_begin(struct rma *rma, const struct access *access)
{
    struct open_key key = {access->win, access->target};
    struct requested *requested;
    struct open *open;

    CORE_CHECK(access->end == UINT64_MAX); /* it is not complete yet */
    CORE_CHECK(access->low < access->high);
    if (!check_rma_add(rma, access))
        return;
    rma->status = core_table_put(&rma->open, &key, "one-sided accesses", &open);
    if (rma->status != CORE_OK)
        return;
    uint32_t *first = &open->first[access_writes(rma->input->trace, access)];
    CORE_CHECK(*first < rma->all.count);
    rma->all.access[rma->all.count - 1].next = *first;
    *first = rma->all.count;
    if (!access->request)
        return;
    rma->status =
        core_table_put(&rma->requested, &access->request, "one-sided accesses", &requested);
    if (rma->status == CORE_OK)
        requested->access = rma->all.count - 1;
}

static void check_rma_span(const struct trace *trace, struct access *access)
{
    const struct trace_datatype *type =
        access->datatype >= 0 && (uint32_t)access->datatype < trace->datatype_count
            ? &trace->datatype[access->datatype]
            : NULL;
    int64_t low = INT64_MAX, high = INT64_MIN;

    access->low = access->high = access->at;
    if (!type || access->count <= 0 || !type->segment)
        return;
    for (uint32_t i = 0; i < type->segment_count; i++) {
        const struct trace_datatype *basic = type->segment[i].basic < trace->datatype_count
                                                 ? &trace->datatype[type->segment[i].basic]
                                                 : NULL;
        int64_t start = type->segment[i].displacement,
                end = start + (basic ? (int64_t)type->segment[i].count * basic->extent : 0);
        low = start < low ? start : low;
        high = end > high ? end : high;
    }
    if (low >= high)
        return;
    access->low = access->at + low;
    access->high = access->at + (access->count - 1) * type->extent + high;
}

/* Tells whether the call only reads: with MPI_NO_OP the origin's arguments mean nothing. */
static bool reads_only(const struct rma *rma, const struct trace_event *event)
{
    const struct trace *trace = rma->input->trace;
    const char *name =
        event->op >= 0 && (uint32_t)event->op < trace->op_count ? trace->op_name[event->op] : NULL;

    return name && !strcmp(name, "MPI_NO_OP");
}

static int kind_of(enum verb verb)
{
    return verb == VERB_COMPARE_AND_SWAP ? SWAP
           : verb == VERB_PUT            ? PUT
           : verb == VERB_GET            ? GET
                                         : ACCUMULATE;
}

/* Checks that the data fits at its destination. */
static void compare_sizes(struct rma *rma, const struct trace_event *event)
{
    const struct trace *trace = rma->input->trace;
    int32_t at_origin = event->datatype, at_target = event->recv_datatype;

    if (at_origin < 0 || at_target < 0 || (uint32_t)at_origin >= trace->datatype_count ||
        (uint32_t)at_target >= trace->datatype_count || event->count < 0 || event->recv_count < 0)
        return;
    int64_t origin = event->count * trace->datatype[at_origin].size,
            target = event->recv_count * trace->datatype[at_target].size;
    if (event->verb == VERB_GET ? target <= origin : origin <= target)
        return;
    struct finding *finding = check_rma_say(rma, FINDING_ERROR, event->rank, event->seq);
    char bytes[2][64];
    if (finding)
        finding_title(finding,
                      "%s: %s at the origin, %s in the window: there is no room for them (rank "
                      "%" PRIu32 ")",
                      trace->call[event->call].name,
                      describe_bytes((uint64_t)origin, bytes[0], sizeof bytes[0]),
                      describe_bytes((uint64_t)target, bytes[1], sizeof bytes[1]), event->rank);
}

/* Checks that the origin's buffer and the window have the same elements. */
static void compare_types(struct rma *rma, const struct trace_event *event, int32_t target)
{
    struct type_pair pair = {
        .meeting = TYPE_WINDOW, .rank = {event->rank, (uint32_t)target}, .seq = {event->seq, 0}};

    if (!event->has_recv_half || (event->verb == VERB_GET_ACCUMULATE && reads_only(rma, event)))
        return;
    pair.difference =
        types_compare(rma->input->trace, event->datatype, event->count, event->recv_datatype,
                      event->recv_count, &pair.name[0], &pair.name[1]);
    check_rma_good(rma, type_report_add(&rma->types, &pair));
    compare_sizes(rma, event);
}

/* Reports a write to a window whose rank asserts MPI_MODE_NOPUT at its fence. */
static void no_put(struct rma *rma, const struct trace_event *event, uint32_t fences,
                   const struct window *window, int32_t target)
{
    const struct fences *theirs = &window->fences[target];

    CORE_CHECK(event->verb != VERB_GET); /* a get writes nothing there */
    if (!fences || fences > theirs->count ||
        !(theirs->fence[fences - 1].mode & EVENT_ASSERT_NOPUT) || reads_only(rma, event))
        return;
    struct finding *finding = check_rma_say(rma, FINDING_ERROR, event->rank, event->seq);
    if (!finding)
        return;
    finding_title(finding,
                  "%s: it writes to the window of rank %" PRId32
                  ", whose fence asserts MPI_MODE_NOPUT (rank %" PRIu32 ")",
                  rma->input->trace->call[event->call].name, target, event->rank);
    finding->remedy = REMEDY_ASSERT;
    finding_call_add(finding, rma->input->trace, (uint32_t)target, theirs->fence[fences - 1].seq);
}

enum { REGIONS_MAX = 1000 };

/* Checks an access to a dynamic window: its first and last byte must be in memory that the target
 * attached at some time, if all calls of the target are known. Offsets count from the first
 * attached memory. */
static void within_regions(struct rma *rma, const struct trace_event *event,
                           const struct window *window, struct access *access)
{
    struct trace *trace = rma->input->trace;
    const struct regions *regions = &window->part[access->target].regions;
    const struct trace_rank *target = &trace->rank[access->target];
    const struct area_part *memory = part_of(rma, event->win, access->target);

    access->at = trace_arg_value(rma->input->trace, event, "target_disp", INT64_MIN);
    if (access->at == INT64_MIN)
        return;
    check_rma_span(trace, access);
    if (access->high <= access->low || target->cut || target->lost || regions->count > REGIONS_MAX)
        return;
    if (regions_hold(regions, access->low) && regions_hold(regions, access->high - 1)) {
        access->at -= memory->base;
        access->low -= memory->base;
        access->high -= memory->base;
        check_rma_begin(rma, access);
        return;
    }
    regions_say_outside(regions, event, access, &rma->dedup);
}

/* Checks that accessed memory of dynamic windows is attached at that time, whatever the ranks'
 * speed. */
static void compare_regions(struct rma *rma, const struct order *order)
{
    struct regions_said said = {.noted = false};

    for (uint32_t i = 0; i < rma->all.count && rma->status == CORE_OK; i++) {
        const struct access *access = &rma->all.access[i];
        const struct window *window = &rma->window[access->win];

        CORE_CHECK(window->part);
        if (window->dynamic && access->kind != LOAD && access->kind != STORE)
            check_rma_good(rma,
                           regions_compare(&said, &window->part[access->target].regions, access,
                                           part_of(rma, access->win, access->target)->base,
                                           &rma->all, order, &rma->dedup));
    }
}

/* Notes the bytes of an atomic operation that reads. */
static void word_note(struct rma_accesses *all, const struct access *access)
{
    const struct rma_word word = {access->win, access->target, access->low, access->high};
    if (!all->word_count)
        all->word = word;
    all->word_count += word.win == all->word.win && word.target == all->word.target &&
                       word.low == all->word.low && word.high == all->word.high;
}

/* Checks an operation on a window. */
static void check_rma_operation(struct rma *rma, const struct trace_event *event,
                                struct window *window)
{
    struct trace *trace = rma->input->trace;
    CORE_CHECK(event->rank < trace->rank_count);
    CORE_CHECK(verb_accesses(event->verb));
    struct epoch *epoch = &window->part[event->rank].epoch;
    int32_t target = event->peer < 0
                         ? -1
                         : trace_comm_world(trace, event->comm, (int32_t)event->rank, event->peer);

    bool atomic = event->verb == VERB_FETCH_AND_OP || event->verb == VERB_COMPARE_AND_SWAP ||
                  event->verb == VERB_GET_ACCUMULATE;
    rma->all.window[event->win].atomics |= atomic;
    rma->fetching |= atomic;
    rma->all.atomic_count += atomic;
    if (target < 0 || (uint32_t)target >= trace->rank_count)
        return;
    bool by_lock = epoch->all || (epoch->lock && epoch->lock[target].how);
    if (by_lock && !event->error)
        epoch->locked_used = event->seq;
    else if (!event->error)
        epoch->used_seq = event->seq;
    bool no_epoch = !by_lock && !epoch->fence && !epoch->started;
    if (no_epoch && epoch->no_succeed && !check_rma_locked(rma, epoch))
        check_rma_broken(rma, event, epoch->fence_seq,
                         "there is no epoch: the fence before it asserts MPI_MODE_NOSUCCEED");
    else if (no_epoch)
        check_rma_wrong(rma, event, 0,
                        check_rma_locked(rma, epoch)
                            ? "the target is not locked"
                            : "there is no epoch: no fence, start or lock comes before it");
    else if (!by_lock && event->request)
        check_rma_wrong(rma, event, 0, "it has a request, and its target is not locked");
    else if (!by_lock && !epoch->started && event->verb != VERB_GET)
        no_put(rma, event, epoch->fences, window, target);
    else if (!by_lock && epoch->started && epoch->group && !epoch->group[target])
        check_rma_wrong(rma, event, epoch->start_seq,
                        "the target is not in the group of MPI_Win_start");
    else if (!by_lock && epoch->started && event->verb != VERB_GET && !reads_only(rma, event))
        assertions_put(&rma->assertions, event, (uint32_t)target);
    compare_types(rma, event, target);
    struct access access = {.origin = event->rank,
                            .target = (uint32_t)target,
                            .win = event->win,
                            .op = event->op,
                            .seq = event->seq,
                            .end = UINT64_MAX,
                            .request = event->request,
                            .datatype =
                                event->has_recv_half ? event->recv_datatype : event->datatype,
                            .count = event->has_recv_half         ? event->recv_count
                                     : event->count == EVENT_NONE ? 1
                                                                  : event->count,
                            .exclusive = epoch->lock && epoch->lock[target].how == 2,
                            .passive = by_lock,
                            .site = -1,
                            .kind = (uint8_t)kind_of(event->verb)};
    if (window->dynamic) {
        within_regions(rma, event, window, &access);
        return;
    }
    if (!window->part[target].unit)
        return;
    access.at =
        trace_arg_value(rma->input->trace, event, "target_disp", 0) * window->part[target].unit;
    check_rma_span(trace, &access);
    if (atomic)
        word_note(&rma->all, &access);
    int64_t bytes = part_of(rma, event->win, (uint32_t)target)->bytes;
    if (access.high > access.low && bytes >= 0 && (access.low < 0 || access.high > bytes)) {
        struct finding *finding = check_rma_say(rma, FINDING_ERROR, event->rank, event->seq);
        if (finding) {
            finding->remedy = REMEDY_BOUNDS;
            finding_title(finding,
                          "%s: bytes %" PRId64 " to %" PRId64 " of a window that has %" PRId64
                          " on rank %" PRId32 " (rank %" PRIu32 ")",
                          trace->call[event->call].name, access.low, access.high - 1, bytes, target,
                          event->rank);
            if (window->part[target].unit > 1)
                finding_fact(finding,
                             "'target_disp' is %" PRId64 ", in units of %" PRId64
                             " bytes: the window's displacement unit on rank %" PRId32,
                             access.at / window->part[target].unit,
                             (int64_t)window->part[target].unit, target);
        }
        return;
    }
    if (access.high > access.low && !event->error)
        check_rma_begin(rma, &access);
}

static void set_group(struct rma *rma, const struct trace_event *event, struct epoch *epoch)
{
    int64_t *member = NULL;
    uint32_t count = 0;

    free(epoch->group);
    epoch->group = NULL;
    if (trace_group_get(rma->input->trace, trace_arg_value(rma->input->trace, event, "group", 0),
                        &member, &count) == CORE_OK &&
        count)
        check_rma_good(rma, CORE_ARRAY_NEW(epoch->group, rma->input->trace->rank_count, "windows"));
    for (uint32_t i = 0; epoch->group && i < count; i++)
        if (member[i] >= 0 && member[i] < rma->input->trace->rank_count)
            epoch->group[member[i]] = true;
    free(member);
}

static void check_rma_lock(struct rma *rma, const struct trace_event *event, struct epoch *epoch,
                           int32_t target, bool exclusive)
{
    bool all = event->peer < 0;

    CORE_CHECK(target < (int32_t)rma->input->trace->rank_count);
    if (epoch->all || (all && check_rma_locked(rma, epoch)) ||
        (!all && check_rma_locks(rma, epoch) && target >= 0 && epoch->lock[target].how))
        check_rma_wrong(rma, event,
                        all                                      ? locked_by(rma, epoch)
                        : !epoch->all && epoch->lock[target].how ? epoch->lock[target].seq
                                                                 : epoch->all_seq,
                        all ? "the window is locked already" : "the target is locked already");
    else if (epoch->started || (epoch->fence && epoch->used_seq > epoch->fence_seq))
        check_rma_wrong(rma, event, epoch->started ? epoch->start_seq : epoch->fence_seq,
                        "another epoch is still open: fences, start and lock must not mix");
    else if (epoch->posted && target == (int32_t)event->rank)
        check_rma_wrong(
            rma, event, epoch->post_seq,
            "the rank's own window is posted: it must not be locked until MPI_Win_wait");
    if (event->error)
        return;
    if (all) {
        epoch->all = true;
        epoch->all_seq = event->seq;
    } else if (check_rma_locks(rma, epoch) && target >= 0) {
        epoch->lock[target] = (struct held){event->seq, exclusive ? 2 : 1};
    }
}

/* Warns of two fences with accesses between them: the fences form an epoch, but the accesses belong
 * to another one, made by locks. */
static void within_fences(struct rma *rma, const struct trace_event *event,
                          const struct epoch *epoch)
{
    struct window *window = window_of(rma, event->win);
    struct finding *finding = window && !window->within_said
                                  ? check_rma_say(rma, FINDING_WARNING, event->rank, event->seq)
                                  : NULL;

    if (!finding)
        return;
    window->within_said = true;
    finding_title(
        finding,
        "%s: it ends an epoch in which the window was locked: fences, start and lock must "
        "not mix (rank %" PRIu32 ")",
        rma->input->trace->call[event->call].name, event->rank);
    finding_call_add(finding, rma->input->trace, event->rank, epoch->fence_seq);
    finding_call_add(finding, rma->input->trace, event->rank, epoch->locked_used);
    finding_fact(finding, "a fence that asserts MPI_MODE_NOSUCCEED begins no epoch, and one that "
                          "asserts MPI_MODE_NOPRECEDE ends none");
}

/* Handles a fence: the epoch that it ends, the one that it begins, and its assertions. */
static void check_rma_fence(struct rma *rma, const struct trace_event *event, struct epoch *epoch)
{
    int64_t mode = trace_arg_value(rma->input->trace, event, "assert", 0);
    bool before = epoch->fence && epoch->used_seq > epoch->fence_seq;

    if (before && (mode & EVENT_ASSERT_NOPRECEDE))
        check_rma_broken(rma, event, epoch->used_seq,
                         "it asserts MPI_MODE_NOPRECEDE, but accesses come before it");
    else if (epoch->fence && !before && epoch->locked_used && !(mode & EVENT_ASSERT_NOPRECEDE))
        within_fences(rma, event, epoch);
    if (event->error)
        return;
    CORE_CHECK(epoch->fence_seq <= event->seq);
    epoch->no_succeed = mode & EVENT_ASSERT_NOSUCCEED;
    epoch->fence = !epoch->no_succeed;
    epoch->fence_seq = event->seq;
    epoch->locked_used = 0;
    epoch->fences++;
    check_rma_complete(rma, event->win, -1, false, event->seq);
}

static void check_rma_synchronise(struct rma *rma, const struct trace_event *event,
                                  struct window *window)
{
    struct trace *trace = rma->input->trace;
    CORE_CHECK(event->rank < trace->rank_count);
    CORE_CHECK(!verb_accesses(event->verb));
    struct epoch *epoch = &window->part[event->rank].epoch;
    int32_t target = event->peer < 0
                         ? -1
                         : trace_comm_world(trace, event->comm, (int32_t)event->rank, event->peer);

    target = target >= (int32_t)trace->rank_count ? -1 : target;
    bool exclusive = event->verb == VERB_LOCK &&
                     trace_arg_value(rma->input->trace, event, "lock_type", EVENT_LOCK_SHARED) ==
                         EVENT_LOCK_EXCLUSIVE;
    bool ended =
        event->verb == VERB_WAIT_EPOCH ||
        (event->verb == VERB_TEST_EPOCH && trace_arg_value(rma->input->trace, event, "flag", 1));
    bool unchecked = event->verb == VERB_LOCK &&
                     (trace_arg_value(trace, event, "assert", 0) & EVENT_ASSERT_NOCHECK);
    check_rma_good(rma, exposures_follow(&rma->exposures, event, target,
                                         (struct exposure_how){exclusive, unchecked, ended}));
    check_rma_good(rma, assertions_follow(&rma->assertions, trace, event, epoch->synced));
    epoch->synced = event->error ? epoch->synced : event->seq;
    switch (event->verb) {
    case VERB_FENCE:
        if (check_rma_locked(rma, epoch) || epoch->started || epoch->posted)
            check_rma_wrong(rma, event,
                            epoch->started  ? epoch->start_seq
                            : epoch->posted ? epoch->post_seq
                                            : locked_by(rma, epoch),
                            "another epoch is still open: fences, start and lock must not mix");
        check_rma_fence(rma, event, epoch);
        break;
    case VERB_START_EPOCH:
        if (epoch->started || check_rma_locked(rma, epoch))
            check_rma_wrong(rma, event, epoch->started ? epoch->start_seq : locked_by(rma, epoch),
                            "another epoch is still open");
        else if (epoch->fence && epoch->used_seq > epoch->fence_seq)
            check_rma_wrong(
                rma, event, epoch->used_seq,
                "another epoch is still open: no fence completes the accesses since the last "
                "one");
        if (event->error)
            break;
        epoch->started = true;
        epoch->fence = false;
        epoch->start_seq = event->seq;
        set_group(rma, event, epoch);
        break;
    case VERB_COMPLETE_EPOCH:
        if (!epoch->started)
            check_rma_wrong(rma, event, 0, "no MPI_Win_start comes before it");
        if (event->error)
            break;
        epoch->started = false;
        check_rma_complete(rma, event->win, -1, false, event->seq);
        break;
    case VERB_POST:
        if (epoch->posted)
            check_rma_wrong(rma, event, epoch->post_seq, "the window is posted already");
        else if (epoch->lock && epoch->lock[event->rank].how)
            check_rma_wrong(rma, event, epoch->lock[event->rank].seq,
                            "the rank has locked its own window");
        if (event->error)
            break;
        epoch->posted = true;
        epoch->post_seq = event->seq;
        break;
    case VERB_WAIT_EPOCH:
    case VERB_TEST_EPOCH:
        if (!epoch->posted)
            check_rma_wrong(rma, event, 0, "no MPI_Win_post comes before it");
        if (ended && !event->error)
            epoch->posted = false;
        break;
    case VERB_LOCK:
        check_rma_lock(rma, event, epoch, target, exclusive);
        break;
    case VERB_UNLOCK:
        if (event->peer < 0 ? !epoch->all : !epoch->lock || target < 0 || !epoch->lock[target].how)
            check_rma_wrong(rma, event, 0,
                            event->peer < 0 ? "no MPI_Win_lock_all comes before it"
                                            : "the target is not locked");
        if (event->error)
            break;
        if (event->peer < 0)
            epoch->all = false;
        else if (epoch->lock && target >= 0)
            epoch->lock[target].how = 0;
        check_rma_complete(rma, event->win, event->peer < 0 ? -1 : target, false, event->seq);
        break;
    case VERB_FLUSH:
        if (!epoch->all &&
            (event->peer < 0 ? !check_rma_locked(rma, epoch)
                             : !epoch->lock || target < 0 || !epoch->lock[target].how))
            check_rma_wrong(rma, event, 0, "nothing is locked");
        if (!event->error)
            check_rma_complete(rma, event->win, event->peer < 0 ? -1 : target,
                               trait_in(event->traits, TRAIT_AT_ORIGIN), event->seq);
        break;
    case VERB_WIN_FREE:
        if (check_rma_locked(rma, epoch) || epoch->started || epoch->posted)
            check_rma_wrong(
                rma, event,
                epoch->started  ? epoch->start_seq
                : epoch->posted ? epoch->post_seq
                                : locked_by(rma, epoch),
                epoch->started  ? "no MPI_Win_complete ends the epoch that MPI_Win_start began"
                : epoch->posted ? "no MPI_Win_wait ends the epoch that MPI_Win_post began"
                                : "the window is still locked");
        else if (epoch->fence && epoch->used_seq > epoch->fence_seq)
            check_rma_wrong(rma, event, epoch->used_seq,
                            "no fence completes the accesses since the last one");
        if (!event->error)
            check_rma_complete(rma, event->win, -1, false, event->seq);
        break;
    default:
        break;
    }
}

static void check_rma_made(struct rma *rma, const struct trace_event *event, struct window *window)
{
    window->part[event->rank].epoch.synced = event->seq;
    window->part[event->rank].unit = trace_arg_value(rma->input->trace, event, "disp_unit", 0);
    part_of(rma, event->win, event->rank)->bytes =
        trace_arg_value(rma->input->trace, event, "size", -1);
    if (event->verb == VERB_WIN_CREATE)
        part_of(rma, event->win, event->rank)->base =
            trace_arg_value(rma->input->trace, event, "base", 0);
    window->dynamic |= event->verb == VERB_WIN_CREATE_DYNAMIC;
    window->shared |= event->verb == VERB_WIN_ALLOCATE_SHARED;
    rma->all.shared |= window->shared;
}

static void region_keep(struct rma *rma, const struct trace_event *event, struct window *window)
{
    struct regions *all = &window->part[event->rank].regions;
    struct area_part *memory = part_of(rma, event->win, event->rank);
    int64_t base = trace_arg_value(rma->input->trace, event, "base", 0), end;

    if (__builtin_add_overflow(base, trace_arg_value(rma->input->trace, event, "size", 0), &end) ||
        end < base)
        return;
    if (!all->count || base < memory->base)
        memory->base = base;
    check_rma_good(
        rma, regions_add(all, (struct region){.low = base, .high = end, .since = event->seq}));
}

/* Reads a rank twice: first the sizes and fences of all windows, then the operations on them. */
static enum core_status read_rank(struct rma *rma, uint32_t rank, bool sizes, bool *out_any)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(rma->input->trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    core_table_clear(&rma->open);
    core_table_clear(&rma->requested);
    core_table_clear(&rma->exposures.open);
    assertions_next(&rma->assertions);
    rma->flushes = (struct flushes){0};
    rma->fetching = false;
    while (rma->status == CORE_OK &&
           (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more) {
        struct window *window =
            event.parent || event.win < 0 || !trait_in(event.traits, TRAIT_WINDOW)
                ? NULL
                : window_of(rma, event.win);
        for (uint32_t i = 0; !sizes && i < event.completion_count; i++)
            if (event.completion[i].done)
                check_rma_completed(rma, &event, event.completion[i].request);
        if (rma->fetching && !rma->all.fetched[rank] && !event.parent &&
            (event.completion_count || (window && !verb_accesses(event.verb))))
            rma->all.fetched[rank] = event.seq;
        if (window && event.verb == VERB_SYNC_MEMORY && !rma->all.looked[rank])
            rma->all.looked[rank] = event.seq;
        if (window && (event.verb == VERB_SYNC_MEMORY ||
                       (event.verb == VERB_LOCK &&
                        (event.peer < 0 || /* of all */
                         trace_comm_world(rma->input->trace, event.comm, (int32_t)rank,
                                          event.peer) == (int32_t)rank))))
            rma->all.reads[rank] = true;
        if (!window)
            continue;
        *out_any = true;
        if (!sizes)
            flushes_follow(&rma->flushes, &event, &rma->dedup);
        if (sizes && trait_in(event.traits, TRAIT_MAKES_WIN) && !event.pending && !event.error)
            check_rma_made(rma, &event, window);
        else if (sizes && event.verb == VERB_ATTACH_MEMORY && !event.error)
            region_keep(rma, &event, window);
        else if (sizes && event.verb == VERB_DETACH_MEMORY && !event.error)
            regions_end(&window->part[rank].regions,
                        trace_arg_value(rma->input->trace, &event, "base", 0), event.seq);
        else if (sizes && event.verb == VERB_WIN_FREE && !event.error)
            window->fences[rank].freed = event.seq;
        else if (sizes && event.verb == VERB_FENCE && !event.error)
            check_rma_good(
                rma, fences_add(&window->fences[rank],
                                (struct fence){event.seq, trace_arg_value(rma->input->trace, &event,
                                                                          "assert", 0)}));
        else if (!sizes && verb_accesses(event.verb))
            check_rma_operation(rma, &event, window);
        else if (!sizes)
            check_rma_synchronise(rma, &event, window);
    }
    trace_cursor_close(cursor);
    return status == CORE_OK ? rma->status : status;
}

/* Finds the bytes in [low, high) that a call touches. False: unknown, because the datatype has too
 * many parts. */
static bool local_bytes(const struct trace *trace, const struct misuse *misuse,
                        struct access *access)
{
    bool by_call = misuse->kind == MISUSE_WINDOW_READ || misuse->kind == MISUSE_WINDOW_WRITTEN;

    access->low = access->at = misuse->value[0];
    access->high = misuse->value[1];
    access->datatype = -1;
    if (!by_call || misuse->value[4] <= 0 || misuse->value[4] >= trace->datatype_count)
        return true;
    access->at = misuse->value[2];
    access->count = misuse->value[3];
    access->datatype = (int32_t)misuse->value[4];
    return trace->datatype[access->datatype].segment;
}

/* Records that the rank itself touches its window, which call `other` made. */
static enum core_status check_rma_local(uint32_t rank, uint64_t seq, const struct misuse *misuse,
                                        void *context)
{
    struct rma *rma = context;
    struct trace_event event;
    enum misuse_kind how = misuse->kind;

    if (misuse_kind_rule(how) != MISUSE_RULE_WINDOW ||
        trace_event_get(rma->input->trace, rank, misuse->other, &event) != CORE_OK || event.win < 0)
        return CORE_OK;
    if ((uint32_t)event.win >= rma->window_room || !rma->window[event.win].part ||
        rma->window[event.win].dynamic)
        return CORE_OK; /* the other call is on no window with memory */
    if (rma->window[event.win].shared && how == MISUSE_WINDOW_CHANGED)
        return CORE_OK; /* another rank may have stored there */
    struct access access = {
        .origin = rank,
        .target = rank,
        .win = event.win,
        .seq = seq,
        .end = seq,
        .kind = how == MISUSE_WINDOW_READ || how == MISUSE_WINDOW_LOADED ? LOAD : STORE,
        .itself = how == MISUSE_WINDOW_LOADED || how == MISUSE_WINDOW_STORED ||
                  how == MISUSE_WINDOW_CHANGED,
        .changed = how == MISUSE_WINDOW_CHANGED,
        .exclusive = exposures_holds(&rma->exposures, event.win, rank, seq, true),
        .passive = exposures_holds(&rma->exposures, event.win, rank, seq, false),
        .site = misuse->site};
    if (local_bytes(rma->input->trace, misuse, &access))
        check_rma_add(rma, &access);
    return rma->status;
}

enum core_status check_rma(const struct check_input *input, struct finding_list *list)
{
    struct trace *trace = input->trace;
    struct rma rma = {.input = input,
                      .dedup = {.input = input, .list = list, .rule = RULE_RMA},
                      .exposures = EXPOSURES,
                      .assertions = ASSERTIONS,
                      .types = {.input = input, .list = list, .rule = RULE_RMA},
                      .open = CORE_TABLE(struct open, key),
                      .requested = CORE_TABLE(struct requested, request)};
    struct order *order = NULL, *apart = NULL;
    enum core_status status = CORE_OK;
    bool any = false, whole = true;

    for (uint32_t i = 0; i < trace->call_count && !any; i++)
        any = trait_in(trace->call[i].traits, TRAIT_MAKES_WIN);
    if (!any)
        return CORE_OK;
    any = false;
    for (uint32_t rank = 0; rank < trace->rank_count; rank++)
        whole &= !trace->rank[rank].lost;
    status = CORE_ARRAY_NEW(rma.all.fetched, trace->rank_count + 1, "windows");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(rma.all.looked, trace->rank_count + 1, "windows");
    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(rma.all.reads, trace->rank_count + 1, "windows");
    for (uint32_t rank = 0; rank < trace->rank_count && status == CORE_OK && whole; rank++)
        status = read_rank(&rma, rank, true, &any);
    for (uint32_t i = 0; i < rma.window_room && status == CORE_OK; i++)
        if (rma.window[i].part)
            fences_compare(rma.window[i].fences, &rma.dedup);
    for (uint32_t rank = 0; rank < trace->rank_count && status == CORE_OK && whole; rank++)
        status = read_rank(&rma, rank, false, &any);
    exposures_sort(&rma.exposures);
    if (status == CORE_OK && whole && any)
        status = trace_misuse_each(trace, check_rma_local, &rma);
    if (status == CORE_OK && rma.all.count)
        status = rma_conflict_place(trace, &rma.all);
    if (status == CORE_OK &&
        (rma.all.count || rma.exposures.post_count || rma.exposures.lock_count))
        status = order_new(trace, ORDER_CALLS, &order);
    if (status == CORE_OK && order && input->notes->threads && rma.all.count)
        status = order_new(trace, ORDER_THREADS_APART, &apart);
    if (status == CORE_OK && order)
        compare_regions(&rma, order);
    if (status == CORE_OK && order)
        assertions_compare(&rma.assertions, order, &rma.dedup);
    if (status == CORE_OK && whole)
        assertions_compare_stores(&rma.assertions, rma.all.access, rma.all.count, &rma.dedup);
    if (status == CORE_OK && order)
        status = rma_conflict_check(
            input, order, apart ? apart : order, &rma.all,
            rma.dedup.count < FINDING_DEDUP_MAX ? FINDING_DEDUP_MAX - rma.dedup.count : 0, list);
    if (status == CORE_OK && rma.status == CORE_OK && order && !input->notes->threads)
        exposures_compare(&rma.exposures, order, &rma.dedup);
    if (status == CORE_OK && rma.status == CORE_OK && order && !input->notes->threads)
        exposures_compare_unchecked(&rma.exposures, order, &rma.dedup);
    type_report_done(&rma.types);
    order_free(order);
    order_free(apart);
    for (uint32_t i = 0; i < rma.window_room; i++) {
        for (uint32_t rank = 0; rma.window[i].part && rank < trace->rank_count; rank++) {
            free(rma.window[i].part[rank].epoch.lock);
            free(rma.window[i].part[rank].epoch.group);
            fences_done(&rma.window[i].fences[rank]);
            regions_done(&rma.window[i].part[rank].regions);
        }
        free(rma.window[i].part);
        free(rma.window[i].fences);
    }
    for (uint32_t i = 0; i < rma.all.window_room; i++)
        free(rma.all.window[i].part);
    free(rma.window);
    free(rma.all.window);
    free(rma.all.access);
    exposures_done(&rma.exposures);
    assertions_done(&rma.assertions);
    finding_dedup_done(&rma.dedup);
    core_table_done(&rma.open);
    core_table_done(&rma.requested);
    free(rma.all.fetched);
    free(rma.all.looked);
    free(rma.all.reads);
    status = status == CORE_OK ? rma.status : status;
    return status == CORE_OK ? rma.dedup.status : status;
}
