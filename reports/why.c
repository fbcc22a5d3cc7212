/* See why.h: times of ranks and places, and the aggregation of waits. */
#include "reports/why.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/table.h"

/* --- events ----------------------------------------------------------------------------------- */

struct events {
    const struct report_shapes *shapes;
    why_event_fn fn;
    void *context;
};

static enum core_status row_event(const struct report_row *row, void *context)
{
    const struct events *events = context;
    const struct report_shape *shape = &events->shapes->shape[row->shape];
    struct why_event event = {.rank = row->rank,
                              .in = {shape->call, shape->site},
                              .start_ns = row->start,
                              .end_ns = row->end,
                              .calls = row->repeat,
                              .sum = row->sum,
                              .shapes = events->shapes};

    return shape->inner ? CORE_OK : events->fn(&event, events->context);
}

enum core_status why_events_each(struct trace *trace, why_event_fn fn, void *context)
{
    struct report_shapes shapes = {0};
    struct events events = {&shapes, fn, context};
    enum core_status status = report_shapes_read(trace, &shapes);

    if (status == CORE_OK)
        status = report_rows_each(trace, &shapes, row_event, &events);
    report_shapes_done(&shapes);
    return status;
}

struct place {
    struct {
        int64_t call, site;
    } key;
    uint64_t calls, ns;
};
struct timing {
    const struct trace *trace;
    struct why *why;
    struct core_table places;
    uint64_t busy_ns; /* of the rank: end of its calls so far, as threads may overlap */
};

static enum core_status place_add(struct timing *t, struct why_call in, uint64_t calls, uint64_t ns)
{
    struct place key = {{in.call, in.site}, 0, 0}, *place;
    enum core_status status = core_table_put(&t->places, &key.key, "the report's places", &place);

    if (status == CORE_OK) {
        place->calls += calls;
        place->ns += ns;
    }
    return status;
}

/* Adds rounds of a loop, of whose calls only the total time is known. */
static enum core_status sum_time(struct timing *t, const struct why_event *event)
{
    struct why_rank *rank = &t->why->rank[event->rank];
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < event->sum->call_count && status == CORE_OK; i++) {
        const struct trace_sum_call *call = &event->sum->call[i];
        if (call->shape >= event->shapes->count || !event->shapes->shape[call->shape].known ||
            event->shapes->shape[call->shape].inner)
            continue;
        const struct report_shape *shape = &event->shapes->shape[call->shape];
        rank->mpi_ns += call->total;
        status =
            place_add(t, (struct why_call){shape->call, shape->site}, call->calls, call->total);
    }
    rank->summed_ns += event->end_ns - event->start_ns;
    if (event->end_ns > t->busy_ns)
        t->busy_ns = event->end_ns;
    if (event->end_ns > rank->end_ns)
        rank->end_ns = event->end_ns;
    return status;
}

static enum core_status event_time(const struct why_event *event, void *context)
{
    struct timing *t = context;
    struct why_rank *rank = &t->why->rank[event->rank];
    enum verb verb = event->in.call >= 0 ? t->trace->call[event->in.call].verb : VERB_NONE;

    if (!rank->seen) {
        *rank =
            (struct why_rank){.begin_ns = event->start_ns, .end_ns = event->start_ns, .seen = true};
        t->busy_ns = event->start_ns;
    }
    if (event->sum)
        return sum_time(t, event);
    if (verb == VERB_INIT) {
        rank->begin_ns = rank->end_ns = t->busy_ns = event->end_ns;
        return CORE_OK;
    }
    if (verb == VERB_FINALIZE) {
        if (event->start_ns > rank->end_ns)
            rank->end_ns = event->start_ns;
        return CORE_OK;
    }
    uint64_t from = event->start_ns > t->busy_ns ? event->start_ns : t->busy_ns;
    if (event->end_ns > from) {
        rank->mpi_ns += event->end_ns - from;
        t->busy_ns = event->end_ns;
    }
    if (event->end_ns > rank->end_ns)
        rank->end_ns = event->end_ns;
    return place_add(t, event->in, event->calls, event->end_ns - event->start_ns);
}

static int place_compare(const void *a, const void *b)
{
    const struct why_place *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->in.call != y->in.call)
        return x->in.call < y->in.call ? -1 : 1;
    return (x->in.site > y->in.site) - (x->in.site < y->in.site);
}

static enum core_status times_gather(struct trace *trace, struct why *why)
{
    struct timing t = {.trace = trace, .why = why, .places = CORE_TABLE(struct place, key)};
    enum core_status status = why_events_each(trace, event_time, &t);

    if (status == CORE_OK)
        status = CORE_ARRAY_NEW(why->place, t.places.count + 1, "the report's places");
    for (uint32_t i = 0; status == CORE_OK && i < t.places.count; i++) {
        const struct place *place = core_table_at(&t.places, i);
        why->place[why->place_count++] =
            (struct why_place){.in = {(int32_t)place->key.call, (int32_t)place->key.site},
                               .calls = place->calls,
                               .ns = place->ns};
    }
    if (why->place_count)
        qsort(why->place, why->place_count, sizeof *why->place, place_compare);
    core_table_done(&t.places);
    return status;
}

static void ranks_sum(struct why *why)
{
    uint64_t work = 0;

    for (uint32_t i = 0; i < why->ranks; i++) {
        const struct why_rank *rank = &why->rank[i];
        uint64_t elapsed = rank->end_ns - rank->begin_ns,
                 own = elapsed > rank->mpi_ns ? elapsed - rank->mpi_ns : 0;
        why->elapsed_ns += elapsed;
        why->timed_ns += elapsed > rank->summed_ns ? elapsed - rank->summed_ns : 0;
        why->mpi_ns += rank->mpi_ns;
        work += own;
        if (own > why->work_max_ns)
            why->work_max_ns = own;
        if (rank->end_ns > why->rank[why->end].end_ns)
            why->end = i;
    }
    why->work_mean_ns = why->ranks ? work / why->ranks : 0;
}

/* --- aggregation of waits --------------------------------------------------------------------- */

struct blame { /* of a row: the ranks waited for */
    struct {
        uint64_t row, by;
        int64_t call, site;
    } key;
    uint64_t ns;
};
struct row {
    struct {
        uint64_t kind;
        int64_t call, site;
    } key;
    struct why_row out;
    uint32_t *rank, count, room;
};

static enum core_status row_wait(struct core_table *rows, struct core_table *blames,
                                 const struct why_wait *wait)
{
    struct row key = {.key = {wait->kind, wait->in.call, wait->in.site}}, *row;
    struct blame *blame;
    uint64_t ns = wait->end_ns - wait->start_ns;
    enum core_status status = core_table_put(rows, &key.key, "the report's waits", &row);

    if (status != CORE_OK)
        return status;
    row->out.kind = wait->kind;
    row->out.in = wait->in;
    row->out.waits++;
    row->out.ns += ns;
    uint64_t number = (uint64_t)((char *)row - rows->entry) / rows->entry_bytes;
    struct blame of = {.key = {number, wait->by, wait->until.call, wait->until.site}};
    if (!row->count || row->rank[row->count - 1] != wait->rank) /* waits are sorted by rank */
        status =
            CORE_ARRAY_PUSH(row->rank, row->count, row->room, "the report's waits", wait->rank);
    if (status == CORE_OK)
        status = core_table_put(blames, &of.key, "the report's waits", &blame);
    if (status == CORE_OK)
        blame->ns += ns;
    return status;
}

static void blames_find(struct core_table *rows, const struct core_table *blames)
{
    for (uint32_t i = 0; i < blames->count; i++) {
        const struct blame *blame = core_table_at(blames, i);
        struct row *row = core_table_at(rows, (uint32_t)blame->key.row);
        if (blame->ns <= row->out.by_ns)
            continue;
        row->out.by = (uint32_t)blame->key.by;
        row->out.by_ns = blame->ns;
        row->out.until = (struct why_call){(int32_t)blame->key.call, (int32_t)blame->key.site};
    }
}

static int row_compare(const void *a, const void *b)
{
    const struct why_row *x = a, *y = b;

    if (x->ns != y->ns)
        return x->ns < y->ns ? 1 : -1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->in.call != y->in.call)
        return x->in.call < y->in.call ? -1 : 1;
    return (x->in.site > y->in.site) - (x->in.site < y->in.site);
}

static enum core_status rows_gather(const struct why_waits *waits, struct why *why)
{
    struct core_table rows = CORE_TABLE(struct row, key), blames = CORE_TABLE(struct blame, key);
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < waits->count && status == CORE_OK; i++) {
        const struct why_wait *wait = &waits->wait[i];
        why->waited_ns[wait->kind] += wait->end_ns - wait->start_ns;
        why->rank[wait->rank].waited_ns += wait->end_ns - wait->start_ns;
        status = row_wait(&rows, &blames, wait);
    }
    blames_find(&rows, &blames);
    for (uint32_t i = 0; i < rows.count; i++) {
        struct row *row = core_table_at(&rows, i);
        if (status == CORE_OK) {
            row->out.ranks = wording_ranks_short(row->rank, row->count);
            status = CORE_ARRAY_PUSH(why->row, why->row_count, why->row_room, "the report's waits",
                                     row->out);
        }
        free(row->rank);
    }
    if (why->row_count)
        qsort(why->row, why->row_count, sizeof *why->row, row_compare);
    core_table_done(&rows);
    core_table_done(&blames);
    return status;
}

/* --- slow rounds ------------------------------------------------------------------------------ */

/* Gathers slow rounds that took at least a hundredth of the job's time. */
static enum core_status slow_gather(struct trace *trace, struct why *why)
{
    enum { SLOW_SHARE = 100, SLOW_MAX = 5 };
    static const char sql[] =
        "SELECT r.event >> 40, s.call, ifnull(s.site, 0), r.number, r.duration, r.usual FROM "
        "slow_round r CROSS JOIN event_row e ON e.id = r.event CROSS JOIN shape s ON s.id = "
        "e.shape "
        "WHERE r.duration >= ?1 ORDER BY r.duration DESC, r.event LIMIT ?2";
    sqlite3_stmt *row = NULL;
    enum core_status status = CORE_OK;
    int code = sqlite3_prepare_v2(trace->db, sql, -1, &row, NULL);

    sqlite3_bind_int64(row, 1,
                       (int64_t)(why->elapsed_ns / (why->ranks ? why->ranks : 1) / SLOW_SHARE));
    sqlite3_bind_int64(row, 2, SLOW_MAX);
    while (code == SQLITE_OK && status == CORE_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
        int64_t call = sqlite3_column_int64(row, 1);
        struct why_slow slow = {.rank = (uint32_t)sqlite3_column_int64(row, 0),
                                .at = {call >= 0 && call < trace->call_count ? (int32_t)call : -1,
                                       sqlite3_column_int(row, 2)},
                                .number = (uint64_t)sqlite3_column_int64(row, 3),
                                .ns = (uint64_t)sqlite3_column_int64(row, 4),
                                .usual_ns = (uint64_t)sqlite3_column_int64(row, 5)};
        code = SQLITE_OK;
        status = CORE_ARRAY_PUSH(why->slow, why->slow_count, why->slow_room,
                                 "the report's slow rounds", slow);
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace->path,
                             sqlite3_errmsg(trace->db));
    sqlite3_finalize(row);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

enum core_status why_gather(struct trace *trace, struct why *out_why)
{
    struct why why = {.ranks = trace->rank_count};
    struct why_waits waits = {0};
    enum core_status status = CORE_ARRAY_NEW(why.rank, why.ranks + 1, "the report's ranks");

    if (status == CORE_OK)
        status = times_gather(trace, &why);
    if (status == CORE_OK) {
        ranks_sum(&why);
        status = why_waits_gather(trace, &why, &waits);
    }
    if (status == CORE_OK)
        status = rows_gather(&waits, &why);
    if (status == CORE_OK && why.ranks)
        status = why_path_gather(trace, &waits, &why);
    why_waits_done(&waits);
    if (status == CORE_OK)
        status = why_growth_gather(trace, &why);
    if (status == CORE_OK)
        status = slow_gather(trace, &why);
    if (status == CORE_OK)
        *out_why = why;
    else
        why_done(&why);
    return status;
}

void why_done(struct why *why)
{
    for (uint32_t i = 0; i < why->row_count; i++)
        free(why->row[i].ranks);
    free(why->row);
    free(why->rank);
    free(why->place);
    free(why->part);
    free(why->segment);
    free(why->growth);
    free(why->slow);
    *why = (struct why){0};
}

uint32_t why_culprit(const struct why *why, const struct why_part **out_part)
{
    enum { PATH_SHARE = 2, WAIT_SHARE = 20 };
    uint64_t *work = calloc((size_t)why->ranks + 1, sizeof *work), waited = 0;
    uint32_t most = 0;

    for (int kind = 0; kind < WHY_KIND_COUNT; kind++)
        waited += why->waited_ns[kind];
    for (uint32_t i = 0; work && i < why->part_count; i++)
        if (!why->part[i].inside)
            work[why->part[i].rank] += why->part[i].ns;
    for (uint32_t i = 1; work && i < why->ranks; i++)
        if (work[i] > work[most])
            most = i;
    bool found = work && why->ranks > 1 && work[most] * PATH_SHARE >= why->path_ns &&
                 waited * WAIT_SHARE >= why->timed_ns && waited;
    free(work);
    if (!found)
        return UINT32_MAX;
    *out_part = NULL;
    for (uint32_t i = 0; i < why->part_count && !*out_part; i++)
        if (why->part[i].rank == most && !why->part[i].inside)
            *out_part = &why->part[i];
    return most;
}
