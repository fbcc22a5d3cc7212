/* Measures recorded collectives: lowers the program with the library's own messages once, cuts each
 * collective out of it by its range of operations on every member, and runs it on the timed clock.
 */
#include "model/cost.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "model/bound.h"
#include "model/extract.h"
#include "replay/program/lower.h"
#include "replay/timed/timed.h"

struct inner_span {  /* the operations of one collective call of a rank */
    uint64_t parent; /* event of the call */
    uint32_t first, count;
};

struct inner_rank {
    struct inner_span *span; /* ascending by parent */
    uint32_t count, room;
};

struct measuring {
    struct trace *trace;
    struct replay_program program;
    struct inner_rank *inner; /* by rank */
    struct extractor *extractor;
    struct extract_range *range; /* by rank, for the present cut */
};

/* The model's name for a call, and which side's bytes are its n or m. */
static const struct cost_kind {
    enum verb verb;
    const char *collective;
    enum { SIZE_SEND, SIZE_RECV, SIZE_NONE } size;
    bool cut; /* the call's size is the whole vector, the model's size one block */
} kinds[] = {
    {VERB_BCAST, "bcast", SIZE_SEND, false},
    {VERB_REDUCE, "reduce", SIZE_SEND, false},
    {VERB_ALLREDUCE, "allreduce", SIZE_SEND, false},
    {VERB_SCATTER, "scatter", SIZE_RECV, false},
    {VERB_GATHER, "gather", SIZE_SEND, false},
    {VERB_ALLGATHER, "allgather", SIZE_SEND, false},
    {VERB_ALLTOALL, "alltoall", SIZE_SEND, false},
    {VERB_REDUCE_SCATTER_BLOCK, "reduce_scatter", SIZE_SEND, false},
    {VERB_REDUCE_SCATTER, "reduce_scatter", SIZE_SEND, true},
    {VERB_SCAN, "scan", SIZE_SEND, false},
    {VERB_BARRIER, "barrier", SIZE_NONE, false},
};

static const struct cost_kind *find_kind(const struct trace_call *call)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool sizes = kinds[i].cut == trait_in(call->traits, TRAIT_PER_RANK);
        if (kinds[i].verb == call->verb && sizes &&
            !(call->traits & (TRAIT_BIT(NEIGHBOR) | TRAIT_BIT(MAKES_REQUEST))))
            return &kinds[i];
    }
    return NULL;
}

/* Returns the block or vector of the model, in bytes: the largest size that any member names on the
 * relevant side. A rank in place names no size, and the roots of scatter and gather name the other
 * side's. */
static uint64_t model_bytes(const struct cost_kind *kind, const struct collective_list *collectives,
                            const struct collective *collective)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; kind->size != SIZE_NONE && i < collective->count; i++) {
        const struct trace_event *event = &collectives->part[collective->first + i].event;
        bool root = event->root == (int32_t)i;
        uint64_t told = kind->size == SIZE_SEND ? event->bytes : event->recv_bytes;
        if ((strcmp(kind->collective, "scatter") == 0 || strcmp(kind->collective, "gather") == 0) &&
            root && collective->count > 1)
            continue;
        if (told > bytes)
            bytes = told;
    }
    return kind->cut && collective->count ? bytes / collective->count : bytes;
}

#define A_COST "the cost of collectives" /* out of memory for ... */

static enum core_status add_span(struct inner_rank *inner, uint64_t parent, uint32_t index)
{
    if (inner->count && inner->span[inner->count - 1].parent == parent) {
        inner->span[inner->count - 1].count = index - inner->span[inner->count - 1].first + 1;
        return CORE_OK;
    }
    return CORE_ARRAY_PUSH(inner->span, inner->count, inner->room, A_COST,
                           (struct inner_span){.parent = parent, .first = index, .count = 1});
}

/* Walks over a rank's events and operations in parallel, both in the order of seq, and notes which
 * operations belong to which parent. */
static enum core_status find_spans(struct measuring *m, uint32_t rank)
{
    const struct replay_rank *ops = &m->program.rank[rank];
    struct trace_cursor *cursor;
    struct trace_event event;
    uint32_t index = 0;
    bool more = true;
    enum core_status status = trace_cursor_open(m->trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK &&
           more) {
        while (index < ops->op_count && ops->op[index].event < event.seq)
            index++;
        for (; index < ops->op_count && ops->op[index].event == event.seq && status == CORE_OK;
             index++)
            if (event.parent && (ops->op[index].flags & REPLAY_FLAG_INSIDE))
                status = add_span(&m->inner[rank], event.parent, index);
    }
    trace_cursor_close(cursor);
    return status;
}

static const struct inner_span *span_of(const struct inner_rank *inner, uint64_t parent)
{
    uint32_t low = CORE_ARRAY_FIND(at, 0, inner->count, inner->span[at].parent < parent);
    return low < inner->count && inner->span[low].parent == parent ? &inner->span[low] : NULL;
}

static bool is_inside(void *context, uint32_t rank, uint32_t index, const struct replay_op *op)
{
    (void)context;
    (void)rank;
    (void)index;
    return op->flags & REPLAY_FLAG_INSIDE;
}

/* Measures one collective. *out_done false: its record is incomplete. */
static enum core_status measure_part(struct measuring *m, const struct collective_list *collectives,
                                     const struct collective *collective,
                                     struct replay_measure *out_measure, bool *out_done)
{
    struct replay_program part;
    bool missing;

    *out_done = false;
    memset(m->range, 0, m->program.rank_count * sizeof *m->range);
    for (uint32_t i = 0; i < collective->count; i++) {
        const struct collective_part *member = &collectives->part[collective->first + i];
        const struct inner_span *span = span_of(&m->inner[member->rank], member->event.seq);
        if (span)
            m->range[member->rank] =
                (struct extract_range){.first = span->first, .count = span->count};
    }
    enum core_status status =
        extractor_cut(m->extractor, m->range, is_inside, NULL, &part, &missing);
    if (status != CORE_OK)
        return status;
    if (!missing) {
        status = replay_timed_measure(&part, NULL, out_measure);
        *out_done = status == CORE_OK && out_measure->blocked_count == 0 &&
                    (out_measure->messages > 0 || collective->count == 1);
    }
    replay_program_done(&part);
    return status;
}

static bool cost_complete(const struct collective_list *collectives,
                          const struct collective *collective)
{
    for (uint32_t i = 0; i < collective->count; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];
        if (!part->present || part->event.pending || !verb_is_coll(part->event.verb) ||
            trait_in(part->event.traits, TRAIT_MAKES_REQUEST) ||
            part->event.call != collectives->part[collective->first].event.call)
            return false;
    }
    return collective->count > 0;
}

/* Returns the call of the first member that entered, which need not be member 0. */
static const struct trace_call *call_of(const struct trace *trace,
                                        const struct collective_list *collectives,
                                        const struct collective *collective)
{
    for (uint32_t i = 0; i < collective->count; i++) {
        const struct collective_part *part = &collectives->part[collective->first + i];
        if (part->present)
            return &trace->call[part->event.call];
    }
    return NULL;
}

static void judge_entry(struct cost_entry *entry)
{
    struct model_query query = {.collective = entry->collective,
                                .ranks = entry->ranks,
                                .root = entry->root,
                                .words = entry->bytes,
                                .unit = entry->element_bytes,
                                .rounds = entry->rounds,
                                .measured_words = entry->words_bytes};
    struct model_match match[COST_ROWS_MAX];
    struct model_case of = {.ranks = entry->ranks, .root = entry->root, .words = entry->bytes};
    struct model_bound bound;
    size_t found = entry->ranks > 1 ? model_match(&query, match, COST_ROWS_MAX) : 0;

    entry->row_count = (uint32_t)(found < COST_ROWS_MAX ? found : COST_ROWS_MAX);
    for (uint32_t i = 0; i < entry->row_count; i++)
        entry->row[i] = match[i].row;
    if (model_bound(entry->collective, &of, NULL, &bound) == CORE_OK) {
        struct model_ratio words = model_bound_words(&bound);
        entry->bound_rounds = bound.rounds;
        entry->bound_bytes = (uint64_t)((words.num + words.den - 1) / words.den);
    }
}

static enum core_status measure_one(struct measuring *m, const struct collective_list *collectives,
                                    const struct collective *collective, struct cost_list *list,
                                    uint32_t *room)
{
    const struct trace_event *first = &collectives->part[collective->first].event;
    const struct trace_call *call = call_of(m->trace, collectives, collective);
    const struct cost_kind *known = call ? find_kind(call) : NULL;
    const struct cost_kind *kind = cost_complete(collectives, collective) ? known : NULL;
    struct replay_measure measure;
    bool done = false;
    enum core_status status = CORE_OK;

    if (m->trace->comm[collective->comm].inter)
        return CORE_OK;
    if (kind && list->count < COST_MEASURED_MAX)
        status = measure_part(m, collectives, collective, &measure, &done);
    if (status != CORE_OK || !done) {
        list->unmeasured += known != NULL;
        return status;
    }
    status = CORE_ARRAY_ROOM(list->entry, *room, list->count + 1, A_COST);
    if (status != CORE_OK)
        return status;
    struct cost_entry *entry = &list->entry[list->count++];
    *entry = (struct cost_entry){.comm = collective->comm,
                                 .number = collective->number,
                                 .rank = collectives->part[collective->first].rank,
                                 .seq = first->seq,
                                 .call = first->call,
                                 .site = first->site,
                                 .collective = kind->collective,
                                 .ranks = collective->count,
                                 .root = first->root >= 0 ? (uint32_t)first->root : 0,
                                 .bytes = model_bytes(kind, collectives, collective),
                                 .rounds = measure.rounds,
                                 .words_bytes = measure.words_bytes,
                                 .messages = measure.messages,
                                 .volume_bytes = measure.volume_bytes};
    for (uint32_t i = 0; i < collective->count; i++) {
        const struct trace_event *event = &collectives->part[collective->first + i].event;
        if (!event->summed && event->t_leave - event->t_enter > entry->time_ns)
            entry->time_ns = event->t_leave - event->t_enter;
    }
    int64_t element = first->datatype >= 0 ? m->trace->datatype[first->datatype].size : 1;
    entry->element_bytes = element > 0 ? (uint64_t)element : 1;
    judge_entry(entry);
    return CORE_OK;
}

static bool has_inner(struct trace *trace)
{
    sqlite3_stmt *statement;
    bool found = false;

    if (sqlite3_prepare_v2(trace->db, "SELECT 1 FROM shape WHERE parent_back IS NOT NULL LIMIT 1",
                           -1, &statement, NULL) == SQLITE_OK)
        found = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

static void measuring_done(struct measuring *m)
{
    for (uint32_t i = 0; m->inner && i < m->program.rank_count; i++)
        free(m->inner[i].span);
    free(m->inner);
    free(m->range);
    extractor_free(m->extractor);
    replay_program_done(&m->program);
}

enum core_status cost_list_measure(struct trace *trace, struct cost_list *out_list)
{
    struct measuring m = {.trace = trace};
    struct collective_list collectives = {0};
    struct cost_list list = {0};
    uint32_t room = 0;
    enum core_status status = collective_list_load(trace, &collectives);

    if (status == CORE_OK && collectives.count && has_inner(trace)) {
        status =
            replay_lower(trace, &(struct replay_lower_options){.inside = true, .inside_some = true},
                         &m.program, NULL);
        if (status == CORE_OK)
            status = extractor_new(&m.program, &m.extractor);
        if (status == CORE_OK) {
            status = CORE_ARRAY_NEW(m.inner, m.program.rank_count, A_COST);
            if (status == CORE_OK)
                status = CORE_ARRAY_NEW(m.range, m.program.rank_count, A_COST);
        }
        for (uint32_t rank = 0; rank < m.program.rank_count && status == CORE_OK; rank++)
            status = find_spans(&m, rank);
        for (uint32_t i = 0; i < collectives.count && status == CORE_OK; i++)
            status = measure_one(&m, &collectives, &collectives.collective[i], &list, &room);
        measuring_done(&m);
    }
    collective_list_done(&collectives);
    if (status == CORE_OK)
        *out_list = list;
    else
        cost_list_done(&list);
    return status;
}

struct comm_filter {
    const struct replay_program *program;
    int32_t comm;
};

static bool is_on_comm(void *context, uint32_t rank, uint32_t index, const struct replay_op *op)
{
    const struct comm_filter *filter = context;

    (void)rank;
    (void)index;
    switch ((enum replay_op_kind)op->kind) {
    case REPLAY_SEND:
    case REPLAY_ISEND:
    case REPLAY_RECV:
    case REPLAY_IRECV:
    case REPLAY_PROBE:
        return filter->program->comm[op->comm].origin == filter->comm;
    case REPLAY_WAIT:
    case REPLAY_WAIT_ALL:
    case REPLAY_WAIT_ANY:
    case REPLAY_WAIT_SOME:
        return true; /* those of other requests are dropped */
    default:
        return false;
    }
}

enum core_status cost_comm_measure(const struct replay_program *program, int32_t comm,
                                   bool buffered, struct replay_measure *out_measure,
                                   bool *out_done)
{
    struct replay_timed_options machine = replay_timed_defaults();
    struct comm_filter filter = {.program = program, .comm = comm};
    struct extract_range *range = calloc(program->rank_count, sizeof *range);
    struct extractor *extractor = NULL;
    struct replay_program part;
    bool missing;
    enum core_status status =
        range ? extractor_new(program, &extractor) : core_report(CORE_NO_MEMORY, "out of memory");

    *out_done = false;
    if (buffered)
        machine.eager_bytes = INT64_MAX;
    for (uint32_t i = 0; range && i < program->rank_count; i++)
        range[i].count = program->rank[i].op_count;
    if (status == CORE_OK)
        status = extractor_cut(extractor, range, is_on_comm, &filter, &part, &missing);
    if (status == CORE_OK) {
        if (!missing)
            status = replay_timed_measure(&part, &machine, out_measure);
        *out_done = status == CORE_OK && !missing && out_measure->blocked_count == 0 &&
                    out_measure->messages > 0;
        replay_program_done(&part);
    }
    extractor_free(extractor);
    free(range);
    return status;
}

void cost_list_done(struct cost_list *list)
{
    free(list->entry);
    *list = (struct cost_list){0};
}
