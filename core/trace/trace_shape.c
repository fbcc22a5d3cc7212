/* Reads the repeated parts of events by id: shapes, the completions of a call (sets) and its
 * further arguments. Looks up the first few one by one; if a caller asks for many, reads all of
 * them at once, within the limits below.
 *
 * Invariants
 *  1. An entry of shape[] with id != 0 was checked: its ids exist in the trace's arrays.
 *  2. Sets are looked up one at a time, each in place of the one before, until the table of sets is
 *     whole.
 *  3. If a table of sets or arguments is whole, its rows are in the order of ids. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace_part.h"
#include "core/work.h"

enum {
    SHAPES_MAX = 1 << 21, /* of 120 bytes */
    PARTS_MAX = 1 << 22,  /* completions, of 48 bytes; arguments, of 24 bytes */
    MISSES_MAX = 64,      /* lookups before all are read */
    NAMES_MAX = 1 << 8
};

#define SHAPE_COLUMNS                                                                              \
    "SELECT id, call, comm, peer, tag, datatype, count, bytes, root, op, site, thread, error, "    \
    "parent_back, recv_peer, recv_tag, recv_datatype, recv_count, recv_bytes, completions, many, " \
    "args, win, near FROM shape"
#define SET_COLUMNS                                                                             \
    "SELECT id, idx, request_ahead, done, source, tag, bytes, error, cancelled, near, members " \
    "FROM completion_set"

static enum core_status no_memory(const struct trace *trace)
{
    return core_report(CORE_NO_MEMORY, "cannot read the trace '%s': out of memory", trace->path);
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Finds the largest id of a table; 0 if the table is empty or its ids make no sense. */
static enum core_status id_last(const struct trace *trace, const char *text, uint64_t *out_last)
{
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(trace, text, &stmt);

    if (status != CORE_OK)
        return status;
    int code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt);
    int64_t last = code == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    *out_last = last > 0 ? (uint64_t)last : 0;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(stmt);
    return status;
}

static enum core_status tables_open(struct trace *trace, struct trace_shapes *shapes)
{
    static const struct {
        const char *text;
        size_t stmt;
    } query[] = {
        {SHAPE_COLUMNS " WHERE id = ?1", offsetof(struct trace_shapes, by_id)},
        {SET_COLUMNS " WHERE id = ?1 ORDER BY idx", offsetof(struct trace_shapes, set_by_id)},
        {"SELECT value, near FROM arg_set WHERE id = ?1 AND name = ?2 ORDER BY idx",
         offsetof(struct trace_shapes, arg_by_name)},
        {"SELECT name, idx, value, near FROM arg_set WHERE id = ?1 ORDER BY rowid",
         offsetof(struct trace_shapes, args_by_id)},
        {"SELECT world, NULL FROM grp_member WHERE grp = ?1 ORDER BY rank",
         offsetof(struct trace_shapes, group_by_id)},
    };
    uint64_t last = 0;
    enum core_status status =
        id_last(trace, "SELECT id FROM shape ORDER BY id DESC LIMIT 1", &last);

    if (status == CORE_OK) {
        int code = trace_source_open(trace->unfold, &shapes->source);
        status = code == SQLITE_OK ? CORE_OK : trace_failed(trace, code);
    }
    for (size_t i = 0; i < sizeof query / sizeof *query && status == CORE_OK; i++)
        status = trace_prepare(trace, query[i].text,
                               (sqlite3_stmt **)(void *)((char *)shapes + query[i].stmt));
    if (status != CORE_OK)
        return status;
    shapes->shape_last = last;
    shapes->shape_room = last < SHAPES_MAX ? (uint32_t)last + 1 : SHAPES_MAX;
    if (last > trace->file_bytes)
        shapes->shape_room = 1;
    CORE_CHECK(shapes->shape_room > 0); /* ids are taken modulo it */
    CORE_CHECK(shapes->shape_room <= SHAPES_MAX);
    shapes->shape = core_alloc_zero(shapes->shape_room, sizeof *shapes->shape);
    return shapes->shape ? CORE_OK : no_memory(trace);
}

enum core_status trace_shapes_open(struct trace *trace)
{
    if (trace->shapes)
        return CORE_OK;
    struct trace_shapes *shapes = core_alloc_zero(1, sizeof *shapes);
    if (shapes)
        shapes->rows = core_alloc_zero(trace->rank_count + 1, sizeof *shapes->rows);
    if (!shapes || !shapes->rows) {
        free(shapes);
        return no_memory(trace);
    }
    shapes->rank_count = trace->rank_count;
    enum core_status status = tables_open(trace, shapes);
    if (status != CORE_OK) {
        trace_shapes_free(shapes);
    } else {
        trace->shapes = shapes;
        trace_unfold_keep(trace->unfold, shapes);
    }
    return status;
}

void trace_shapes_keep_all(struct trace_shapes *shapes)
{
    for (uint32_t i = 0; shapes->rounds && i < shapes->rank_count; i++)
        free(shapes->rounds[i].part);
    free(shapes->rounds);
    shapes->rounds = shapes->left = NULL;
}

void trace_shapes_free(struct trace_shapes *shapes)
{
    if (!shapes)
        return;
    free(shapes->shape);
    free(shapes->set.part);
    free(shapes->set.first.at);
    free(shapes->arg.part);
    free(shapes->arg.first.at);
    for (uint32_t i = 0; i < shapes->name_count; i++)
        free(shapes->name[i]);
    free(shapes->name);
    sqlite3_finalize(shapes->by_id);
    sqlite3_finalize(shapes->set_by_id);
    sqlite3_finalize(shapes->arg_by_name);
    sqlite3_finalize(shapes->args_by_id);
    sqlite3_finalize(shapes->group_by_id);
    trace_source_close(shapes->source);
    sqlite3_finalize(shapes->digest_by_event);
    for (uint32_t i = 0; i < shapes->rank_count; i++)
        trace_rows_done(&shapes->rows[i]);
    trace_shapes_keep_all(shapes);
    free(shapes->rows);
    free(shapes);
}

/* --- sets of completions ---------------------------------------------------------------------- */

static bool set_part_read(sqlite3_stmt *stmt, struct trace_set_part *out_part)
{
    int32_t index, done, cancelled, near, members;

    *out_part = (struct trace_set_part){.has_request = sqlite3_column_type(stmt, 2) != SQLITE_NULL,
                                        .ahead = sqlite3_column_int64(stmt, 2),
                                        .bytes = (uint64_t)sqlite3_column_int64(stmt, 6)};
    if (!trace_column(stmt, 1, -1, &index) || index < 0 || !trace_column(stmt, 3, 0, &done) ||
        !trace_column(stmt, 4, EVENT_NONE, &out_part->source) ||
        !trace_column(stmt, 5, EVENT_NONE, &out_part->tag) ||
        !trace_column(stmt, 7, 0, &out_part->error) || !trace_column(stmt, 8, 0, &cancelled) ||
        !trace_column(stmt, 9, 0, &near) || !trace_column(stmt, 10, 0, &members) || members < 1 ||
        members > TRACE_SET_MAX)
        return false;
    out_part->members = (uint32_t)members;
    out_part->index = (uint32_t)index;
    out_part->done = done != 0;
    out_part->cancelled = cancelled != 0;
    out_part->near = near != 0;
    return true;
}

/* Looks up one set, in place of the one before. */
static enum core_status set_look_up(struct trace *trace, int64_t id)
{
    struct trace_sets *set = &trace->shapes->set;
    sqlite3_stmt *stmt = trace->shapes->set_by_id;
    enum core_status status = CORE_OK;
    int code;

    CORE_CHECK(!set->whole); /* invariant 2 */
    set->part_count = 0;
    set->now = 0;
    sqlite3_bind_int64(stmt, 1, id);
    while ((code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        struct trace_set_part part;
        core_work(1);
        if (!set_part_read(stmt, &part))
            status = trace_damaged(trace, "a completion is invalid");
        else if (set->part_count == TRACE_SET_MAX)
            status = core_report(CORE_LIMIT, "'%s': more than %d completions of a call",
                                 trace->path, TRACE_SET_MAX);
        else
            status = CORE_ARRAY_PUSH(set->part, set->part_count, set->part_room, trace->path, part);
        if (status != CORE_OK)
            break;
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_reset(stmt);
    if (status == CORE_OK)
        set->now = id;
    return status;
}

/* Notes where the parts of each id begin, row by row. *out_good = false: the ids are not in order,
 * or too many. first[id] is the first part of id, first[last + 1] the end of all. */
static enum core_status first_set(struct trace_first *first, int64_t id, uint32_t part,
                                  const char *what, bool *out_good)
{
    *out_good = id > 0 && (uint64_t)id >= first->last && id <= PARTS_MAX;
    if (!*out_good || (uint64_t)id == first->last)
        return CORE_OK;
    CORE_CHECK(!first->last || first->at[first->last] <= part); /* rows come in their order */
    enum core_status status = CORE_ARRAY_ROOM(first->at, first->room, (uint64_t)id + 2, what);
    if (status != CORE_OK)
        return status;
    if (!first->last)
        first->at[0] = 0;
    for (uint64_t i = first->last + 1; i <= (uint64_t)id; i++)
        first->at[i] = part;
    first->last = (uint64_t)id;
    return CORE_OK;
}

/* Loads all sets; if that fails, they are looked up one by one. */
static enum core_status sets_load(struct trace *trace)
{
    struct trace_sets *set = &trace->shapes->set;
    bool good = true;
    int code = SQLITE_DONE;
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(trace, SET_COLUMNS " ORDER BY id, idx", &stmt);

    set->tried = true;
    if (status != CORE_OK)
        return status;
    set->part_count = 0;
    set->now = 0;
    while (status == CORE_OK && good &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        struct trace_set_part part;
        good = set->part_count < PARTS_MAX && set_part_read(stmt, &part);
        if (good)
            status = first_set(&set->first, sqlite3_column_int64(stmt, 0), set->part_count,
                               trace->path, &good);
        if (good && status == CORE_OK)
            status = CORE_ARRAY_PUSH(set->part, set->part_count, set->part_room, trace->path, part);
    }
    if (status == CORE_OK && good && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(stmt);
    if (status == CORE_OK && good && set->first.last)
        set->first.at[set->first.last + 1] = set->part_count;
    CORE_CHECK(!set->first.last || set->first.last + 1 < set->first.room);
    set->whole = status == CORE_OK && good;
    if (!set->whole)
        CORE_ARRAY_DONE(set->part, set->part_count, set->part_room);
    return status;
}

enum core_status trace_set_get(struct trace *trace, uint32_t id,
                               const struct trace_set_part **out_part, uint32_t *out_count)
{
    struct trace_sets *set = &trace->shapes->set;
    enum core_status status = CORE_OK;

    *out_count = 0;
    if (!id)
        return CORE_OK;
    if (!set->whole && set->now != id && !set->tried && ++set->missed > MISSES_MAX)
        status = sets_load(trace);
    if (status == CORE_OK && !set->whole && set->now != id)
        status = set_look_up(trace, id);
    if (status != CORE_OK)
        return status;
    uint32_t first = 0, end = set->part_count;
    if (set->whole) {
        CORE_CHECK(set->first.last < PARTS_MAX + UINT64_C(1)); /* invariant 3 */
        first = id <= set->first.last ? set->first.at[id] : 0;
        end = id <= set->first.last ? set->first.at[id + 1] : 0;
    }
    CORE_CHECK(set->whole || set->now == id); /* invariant 2 */
    CORE_CHECK(first <= end);                 /* invariant 3 */
    CORE_CHECK(end <= set->part_count);
    *out_part = set->part + first;
    *out_count = end - first;
    return CORE_OK;
}

/* --- shapes ----------------------------------------------------------------------------------- */

static bool shape_column(sqlite3_stmt *stmt, int column, int32_t none, uint32_t count,
                         int32_t *out_value)
{
    if (!trace_column(stmt, column, none, out_value))
        return false;
    return *out_value == none || (*out_value > 0 && (uint32_t)*out_value < count);
}

static int64_t number_or(sqlite3_stmt *stmt, int column, int64_t none)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL ? none
                                                            : sqlite3_column_int64(stmt, column);
}

/* Reads the current row of stmt, except its id. */
static bool shape_read(const struct trace *trace, sqlite3_stmt *stmt, struct trace_shape *shape)
{
    int64_t set = sqlite3_column_int64(stmt, 19);
    int32_t many;

    *shape = (struct trace_shape){0};
    if (!shape_column(stmt, 1, 0, trace->call_count, &shape->call) || !shape->call ||
        !trace->call[shape->call].name ||
        !shape_column(stmt, 2, -1, trace->comm_count, &shape->comm) ||
        !trace_column(stmt, 3, EVENT_NONE, &shape->peer) ||
        !trace_column(stmt, 4, EVENT_NONE, &shape->tag) ||
        !shape_column(stmt, 5, -1, trace->datatype_count, &shape->datatype) ||
        !trace_column(stmt, 8, EVENT_NONE, &shape->root) ||
        !shape_column(stmt, 9, EVENT_NONE, trace->op_count, &shape->op) ||
        !shape_column(stmt, 10, 0, trace->site_count, &shape->site) ||
        !trace_column(stmt, 11, 0, &shape->thread) || !trace_column(stmt, 12, 0, &shape->error) ||
        !trace_column(stmt, 14, EVENT_NONE, &shape->recv_peer) ||
        !trace_column(stmt, 15, EVENT_NONE, &shape->recv_tag) ||
        !shape_column(stmt, 16, -1, trace->datatype_count, &shape->recv_datatype) ||
        !trace_column(stmt, 20, 0, &many) || !trace_column(stmt, 22, -1, &shape->win) ||
        !trace_column(stmt, 23, 0, &shape->near))
        return false;
    if (shape->comm >= 0 && !trace->comm[shape->comm].member)
        return false;
    if (shape->win >= TRACE_IDS_MAX || shape->win > (int64_t)trace->file_bytes)
        return false;                                      /* arrays by window have that size */
    CORE_CHECK((uint32_t)shape->call < trace->call_count); /* invariant 1 */
    CORE_CHECK(shape->comm < 0 || (uint32_t)shape->comm < trace->comm_count);
    CORE_CHECK(shape->datatype < 0 || (uint32_t)shape->datatype < trace->datatype_count);
    CORE_CHECK(shape->recv_datatype < 0 || (uint32_t)shape->recv_datatype < trace->datatype_count);
    CORE_CHECK(shape->op < 0 || (uint32_t)shape->op < trace->op_count);
    CORE_CHECK((uint32_t)shape->site < trace->site_count);
    shape->count = number_or(stmt, 6, EVENT_NONE);
    shape->bytes = (uint64_t)sqlite3_column_int64(stmt, 7);
    shape->recv_count = number_or(stmt, 17, EVENT_NONE);
    shape->recv_bytes = (uint64_t)sqlite3_column_int64(stmt, 18);
    shape->parent_back = (uint64_t)sqlite3_column_int64(stmt, 13);
    shape->arg_set = sqlite3_column_int64(stmt, 21);
    shape->set = set > 0 && set <= UINT32_MAX ? (uint32_t)set : 0;
    shape->many = many != 0;
    return (int64_t)shape->bytes >= 0 && (int64_t)shape->recv_bytes >= 0;
}

static enum core_status shape_look_up(struct trace *trace, uint32_t id, struct trace_shape *shape)
{
    sqlite3_stmt *stmt = trace->shapes->by_id;
    enum core_status status = CORE_OK;

    shape->id = 0;
    sqlite3_bind_int64(stmt, 1, id);
    int code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt);
    if (code != SQLITE_ROW)
        status = code == SQLITE_DONE ? trace_damaged(trace, "an event has no shape")
                                     : trace_failed(trace, code);
    else if (!shape_read(trace, stmt, shape))
        status = trace_damaged(trace, "an event is invalid");
    sqlite3_reset(stmt);
    if (status == CORE_OK)
        shape->id = id;
    return status;
}

/* Loads all valid shapes; trace_shape_find reports why another one is invalid. */
static enum core_status shapes_load(struct trace *trace)
{
    struct trace_shapes *shapes = trace->shapes;
    int code = SQLITE_DONE;
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(trace, SHAPE_COLUMNS, &stmt);

    if (status != CORE_OK)
        return status;
    while ((code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(stmt, 0);
        if (id > 0 && id < shapes->shape_room && shape_read(trace, stmt, &shapes->shape[id]))
            shapes->shape[id].id = (uint32_t)id;
    }
    if (code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(stmt);
    return status;
}

enum core_status trace_shape_find(struct trace *trace, uint32_t id,
                                  const struct trace_shape **out_shape)
{
    struct trace_shapes *shapes = trace->shapes;
    struct trace_shape *shape = &shapes->shape[id % shapes->shape_room];
    enum core_status status = CORE_OK;

    *out_shape = shape;
    core_work(1);
    if (shapes->shape_last < shapes->shape_room && ++shapes->missed == MISSES_MAX)
        status = shapes_load(trace);
    if (status == CORE_OK && !id)
        status = trace_damaged(trace, "an event has no shape");
    if (status == CORE_OK && shape->id != id)
        status = shape_look_up(trace, id, shape);
    CORE_CHECK(status != CORE_OK || shape->id == id); /* invariant 1 */
    return status;
}

/* --- further arguments ------------------------------------------------------------------------ */

/* Finds or adds the number of a name. */
static enum core_status name_number(struct trace *trace, const char *name, uint32_t *out_number)
{
    struct trace_shapes *shapes = trace->shapes;

    for (*out_number = 0; *out_number < shapes->name_count; ++*out_number)
        if (strcmp(shapes->name[*out_number], name) == 0)
            return CORE_OK;
    char *copy = core_alloc(strlen(name) + 1);
    if (!copy)
        return no_memory(trace);
    strcpy(copy, name);
    enum core_status status =
        CORE_ARRAY_PUSH(shapes->name, shapes->name_count, shapes->name_room, trace->path, copy);
    if (status != CORE_OK)
        free(copy);
    CORE_CHECK(status != CORE_OK || *out_number + 1 == shapes->name_count); /* the last one */
    return status;
}

static enum core_status arg_add(struct trace *trace, sqlite3_stmt *stmt, bool *out_good)
{
    struct trace_args *arg = &trace->shapes->arg;
    const char *name = (const char *)sqlite3_column_text(stmt, 1);
    struct trace_arg_part part = {.index = (uint32_t)sqlite3_column_int64(stmt, 2),
                                  .value = sqlite3_column_int64(stmt, 3),
                                  .near = sqlite3_column_int(stmt, 4)};
    int64_t id = sqlite3_column_int64(stmt, 0);

    *out_good = name && arg->part_count < PARTS_MAX && trace->shapes->name_count < NAMES_MAX;
    if (!*out_good)
        return CORE_OK;
    enum core_status status = first_set(&arg->first, id, arg->part_count, trace->path, out_good);
    if (status == CORE_OK && *out_good)
        status = name_number(trace, name, &part.name);
    if (status != CORE_OK || !*out_good)
        return status;
    CORE_CHECK((uint64_t)id == arg->first.last);
    /* Texts have no part, so this id may have none yet. */
    const struct trace_arg_part *last =
        arg->part_count > arg->first.at[id] ? &arg->part[arg->part_count - 1] : NULL;
    *out_good = !last || last->name != part.name || last->index < part.index;
    if (sqlite3_column_type(stmt, 3) != SQLITE_INTEGER)
        return CORE_OK; /* only trace_args_each reads texts */
    return CORE_ARRAY_PUSH(arg->part, arg->part_count, arg->part_room, trace->path, part);
}

/* Loads all arguments; if that fails, they are looked up one by one. */
static enum core_status args_load(struct trace *trace)
{
    struct trace_args *arg = &trace->shapes->arg;
    bool good = true;
    int code = SQLITE_DONE;
    sqlite3_stmt *stmt;
    enum core_status status = trace_prepare(
        trace, "SELECT id, name, idx, value, near FROM arg_set ORDER BY rowid", &stmt);

    arg->tried = true;
    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && good &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW)
        status = arg_add(trace, stmt, &good);
    if (status == CORE_OK && good && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_finalize(stmt);
    if (status == CORE_OK && good && arg->first.last)
        arg->first.at[arg->first.last + 1] = arg->part_count;
    CORE_CHECK(!arg->first.last || arg->first.last + 1 < arg->first.room);
    arg->whole = status == CORE_OK && good;
    if (!arg->whole)
        CORE_ARRAY_DONE(arg->part, arg->part_count, arg->part_room);
    return status;
}

/* Returns a value that counts from the event's rank or request if `near` says so. */
static int64_t value_from(const struct trace_event *event, int near, int64_t value)
{
    uint64_t from = near == TRACE_NEAR_RANK      ? event->rank
                    : near == TRACE_NEAR_REQUEST ? event->request
                                                 : 0;

    return (int64_t)((uint64_t)value + from); /* no overflow, whatever is read */
}

/* Reads the values in column 0; column 1 says from what of the event they count (value_from). */
static enum core_status values_read(struct trace *trace, sqlite3_stmt *stmt,
                                    const struct trace_event *event, int64_t **out_value,
                                    uint32_t *out_count)
{
    enum core_status status = CORE_OK;
    int64_t *value = NULL;
    uint32_t count = 0, room = 0;
    int code;

    while ((code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        if (sqlite3_column_type(stmt, 0) != SQLITE_INTEGER)
            continue;
        if (count == TRACE_SET_MAX)
            status = core_report(CORE_LIMIT, "'%s': more than %d values of a call", trace->path,
                                 TRACE_SET_MAX);
        else
            status = CORE_ARRAY_PUSH(
                value, count, room, trace->path,
                value_from(event, sqlite3_column_int(stmt, 1), sqlite3_column_int64(stmt, 0)));
        if (status != CORE_OK)
            break;
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    if (status != CORE_OK) {
        free(value);
        return status;
    }
    *out_value = value;
    *out_count = count;
    return CORE_OK;
}

static enum core_status arg_look_up(struct trace *trace, const struct trace_event *event,
                                    const char *name, int64_t **out_value, uint32_t *out_count)
{
    sqlite3_stmt *stmt = trace->shapes->arg_by_name;

    sqlite3_bind_int64(stmt, 1, event->arg_set);
    sqlite3_bind_text(stmt, 2, name, -1, SQLITE_STATIC);
    enum core_status status = values_read(trace, stmt, event, out_value, out_count);
    sqlite3_reset(stmt);
    sqlite3_clear_bindings(stmt);
    return status;
}

static enum core_status arg_copy(struct trace *trace, const struct trace_event *event,
                                 const char *name, int64_t **out_value, uint32_t *out_count)
{
    int64_t set = event->arg_set;
    const struct trace_shapes *shapes = trace->shapes;
    const struct trace_args *arg = &shapes->arg;
    uint32_t room = 0, number = 0;

    CORE_CHECK(arg->whole);
    *out_value = NULL;
    *out_count = 0;
    while (number < shapes->name_count && strcmp(shapes->name[number], name) != 0)
        number++;
    if (number == shapes->name_count || set < 0 || (uint64_t)set > arg->first.last)
        return CORE_OK;
    CORE_CHECK(arg->first.at[set] <= arg->first.at[set + 1]); /* invariant 3 */
    CORE_CHECK(arg->first.at[set + 1] <= arg->part_count);
    for (uint32_t i = arg->first.at[set]; i < arg->first.at[set + 1]; i++) {
        enum core_status status =
            arg->part[i].name != number
                ? CORE_OK
                : CORE_ARRAY_PUSH(*out_value, *out_count, room, trace->path,
                                  value_from(event, arg->part[i].near, arg->part[i].value));
        if (status != CORE_OK) {
            free(*out_value);
            return status;
        }
    }
    return CORE_OK;
}

enum core_status trace_arg_find(struct trace *trace, const struct trace_event *event,
                                const char *name, int64_t **out_value, uint32_t *out_count)
{
    struct trace_args *arg = &trace->shapes->arg;
    enum core_status status = CORE_OK;

    *out_value = NULL;
    *out_count = 0;
    if (!event->arg_set)
        return CORE_OK;
    if (!arg->tried && ++arg->missed > MISSES_MAX)
        status = args_load(trace);
    if (status != CORE_OK)
        return status;
    return arg->whole ? arg_copy(trace, event, name, out_value, out_count)
                      : arg_look_up(trace, event, name, out_value, out_count);
}

enum core_status trace_args_each(struct trace *trace, const struct trace_event *event,
                                 trace_arg_fn fn, void *context)
{
    enum core_status status = event->arg_set ? trace_shapes_open(trace) : CORE_OK;
    int code = SQLITE_DONE;

    if (!event->arg_set || status != CORE_OK)
        return status;
    sqlite3_stmt *stmt = trace->shapes->args_by_id;
    sqlite3_bind_int64(stmt, 1, event->arg_set);
    while (status == CORE_OK &&
           (code = core_fault() ? SQLITE_NOMEM : sqlite3_step(stmt)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        int type = sqlite3_column_type(stmt, 2);
        status =
            fn(name ? name : "?", (uint32_t)sqlite3_column_int64(stmt, 1),
               value_from(event, sqlite3_column_int(stmt, 3), sqlite3_column_int64(stmt, 2)),
               type == SQLITE_TEXT ? (const char *)sqlite3_column_text(stmt, 2) : NULL, context);
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = trace_failed(trace, code);
    sqlite3_reset(stmt);
    return status;
}

enum core_status trace_group_get(struct trace *trace, int64_t group, int64_t **out_member,
                                 uint32_t *out_count)
{
    enum core_status status = trace_shapes_open(trace);

    if (status != CORE_OK)
        return status;
    sqlite3_stmt *stmt = trace->shapes->group_by_id;
    sqlite3_bind_int64(stmt, 1, group);
    status =
        values_read(trace, stmt, &(const struct trace_event){.rank = 0}, out_member, out_count);
    sqlite3_reset(stmt);
    return status;
}
