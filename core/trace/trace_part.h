/* Shared by the files trace*.c, and included by nobody else. */
#ifndef CORE_TRACE_TRACE_PART_H
#define CORE_TRACE_TRACE_PART_H

#include <sqlite3.h>

#include "core/trace/trace.h"

enum { TRACE_IDS_MAX = 1 << 24 };

/* Reports what is wrong with a trace that was opened: CORE_BAD_FORMAT, or CORE_NO_MEMORY and
 * CORE_IO as SQLite's code says. */
enum core_status trace_failed(const struct trace *trace, int code);
enum core_status trace_damaged(const struct trace *trace, const char *what);

enum core_status trace_prepare(const struct trace *trace, const char *text,
                               sqlite3_stmt **out_stmt);

/* A column as an int32_t; NULL is `none`. False: it is no such number. */
bool trace_column(sqlite3_stmt *stmt, int column, int32_t none, int32_t *out_value);

/* --- trace_shape.c: what repeats of events ---------------------------------------------------- */

struct trace_shape {
    uint32_t id, set; /* id 0: empty. set: of its completions; 0: none */
    int32_t call, comm, win, peer, tag, datatype, root, op, site, thread, error;
    int32_t recv_peer, recv_tag, recv_datatype;
    int64_t count, recv_count, arg_set;
    uint64_t bytes, recv_bytes, parent_back;
    bool many; /* the call has a list of requests */
};
struct trace_set_part { /* a completion, its request counted from the event's */
    int64_t ahead;
    uint64_t bytes;
    uint32_t index;
    int32_t source, tag, error;
    bool has_request, done, cancelled;
};
struct trace_arg_part {
    uint32_t name, index;
    int64_t value;
};
struct trace_first { /* where each id's parts begin: at[0, last + 2), ids from 1 */
    uint32_t *at, room;
    uint64_t last;
};
struct trace_sets {
    struct trace_set_part *part;
    uint32_t part_count, part_room, missed;
    struct trace_first first;
    int64_t now; /* the one that was looked up; whole: all were read */
    bool tried, whole;
};
struct trace_args {
    struct trace_arg_part *part;
    uint32_t part_count, part_room, missed;
    struct trace_first first;
    bool tried, whole;
};
struct trace_row { /* of event_row */
    uint64_t seq;
    int64_t request, enter, repeat;
    int64_t duration; /* -1: the call did not return */
    uint32_t shape;
    int32_t tag; /* from which those of the shape and its completions are counted */
    bool summed; /* enter and duration are those of the rounds that it is one of */
};
struct trace_row_kept { /* the same in 24 bytes; see trace_row.c */
    int64_t enter;
    uint32_t seq, shape, request, duration;
};
struct trace_rows {
    struct trace_row_kept *row;
    int32_t *tag;          /* of each; none: 0, as are those beyond tag_room */
    struct trace_row *odd; /* those that 24 bytes cannot hold */
    uint32_t count, room, tag_room, odd_count, odd_room;
    bool whole; /* they are all that the rank has; else there are none */
};
struct trace_left_part { /* calls [from, end) of a rank */
    uint64_t from, end;
};
struct trace_left { /* of a rank, ascending; see trace_rounds.h */
    struct trace_left_part *part;
    uint32_t count, room;
};
enum { TRACE_BATCH_ROWS = 128 };
struct trace_batch { /* rows that a query takes at a time */
    struct trace_row row[TRACE_BATCH_ROWS];
    int64_t id[TRACE_BATCH_ROWS];
    uint32_t count, room, next;
    bool damaged, ended; /* the row behind them makes no sense; there is none */
};
struct trace_shapes { /* what cursors share */
    struct trace_shape *shape;
    uint64_t shape_last; /* the largest id */
    uint32_t shape_room, missed;
    struct trace_sets set;
    struct trace_args arg;
    char **name; /* of arguments */
    uint32_t name_count, name_room;
    struct trace_rows *rows;        /* a rank each */
    uint32_t rank_count, rows_held; /* rows_held: of all ranks, kept or held by a cursor */
    struct trace_left *rounds;      /* a rank each: what is left out; NULL: nothing */
    struct trace_left *left;        /* the same, while cursors pass over it; else NULL */
    struct trace_source *source;    /* of events that are looked up */
    sqlite3_stmt *by_id, *set_by_id, *arg_by_name, *args_by_id, *group_by_id,
        *digest_by_event; /* prepared when it is first asked for */
};

/* --- trace_provenance.c: who made the objects ------------------------------------------------- */

/* trace->made is there from then on. */
enum core_status trace_made_open(struct trace *trace);
void trace_made_free(struct trace_made *made);

/* --- trace_cursor.c --------------------------------------------------------------------------- */

struct trace_cursor;
/* The next event is that of the number, or the first behind it. */
void trace_cursor_seek(struct trace_cursor *cursor, uint64_t seq);

/* --- trace_row.c: rows of events -------------------------------------------------------------- */

/* The SQL function crosswait_take(): puts a row of event_row into the batch that the pointer of its
 * context names; true ends the step. */
void trace_row_take(sqlite3_context *context, int count, sqlite3_value **value);
/* Keeps a row behind those that are kept already. *out_kept = false: it cannot be. */
enum core_status trace_rows_add(const struct trace *trace, struct trace_rows *rows,
                                const struct trace_row *row, bool *out_kept);
void trace_rows_done(struct trace_rows *rows);
/* No rank's rows are kept any more. No cursor is open. */
void trace_rows_forget(struct trace *trace);
/* Whether cursors pass over the call. */
bool trace_row_is_left(const struct trace_shapes *shapes, uint32_t rank, uint64_t seq);
/* Rows held, as counted against trace->rows_kept_max. */
uint32_t trace_rows_weight(const struct trace_rows *rows);
/* The index of a row that is kept; UINT32_MAX: it is not there. */
uint32_t trace_rows_find(const struct trace_rows *rows, uint64_t seq);
struct trace_row trace_rows_get(const struct trace_rows *rows, uint32_t index);

/* --- trace_unfold.c: loops unfolded ----------------------------------------------------------- */

/* trace->unfold is there from then on, and temp.event_row and temp.message_row hold all events and
 * messages. */
enum core_status trace_unfold_open(struct trace *trace);
void trace_unfold_free(struct trace_unfold *unfold);
/* Rows that cursors keep serve those that look for one from now on; NULL: they are gone. */
void trace_unfold_keep(struct trace_unfold *unfold, const struct trace_shapes *shapes);

/* All events of some ids, in their order. Codes are SQLite's: for trace_source_failed. */
struct trace_source;
int trace_source_open(struct trace_unfold *unfold, struct trace_source **out_source);
void trace_source_close(struct trace_source *source);
/* From low to high, both included. */
void trace_source_seek(struct trace_source *source, int64_t low, int64_t high);
/* SQLITE_ROW; SQLITE_DONE: there are no more. */
int trace_source_next(struct trace_source *source, struct trace_row *out_row, int64_t *out_id);
/* The event of that id, instead. SQLITE_DONE: there is none. */
int trace_source_get(struct trace_source *source, int64_t id, struct trace_row *out_row);
/* It is not read on, and holds no lock. */
void trace_source_rest(struct trace_source *source);
enum core_status trace_source_failed(const struct trace *trace, int code);

/* trace->shapes is there from then on. */
enum core_status trace_shapes_open(struct trace *trace);
void trace_shapes_free(struct trace_shapes *shapes);
/* Nothing is left out any more. */
void trace_shapes_keep_all(struct trace_shapes *shapes);

enum core_status trace_shape_find(struct trace *trace, uint32_t id,
                                  const struct trace_shape **out_shape);
static inline enum core_status trace_shape_get(struct trace *trace, uint32_t id,
                                               const struct trace_shape **out_shape)
{
    const struct trace_shape *shape = &trace->shapes->shape[id % trace->shapes->shape_room];

    *out_shape = shape;
    return __builtin_expect(shape->id == id && id, 1) ? CORE_OK
                                                      : trace_shape_find(trace, id, out_shape);
}
/* The completions of a set; 0: none. Valid until the next call. */
enum core_status trace_set_get(struct trace *trace, uint32_t id,
                               const struct trace_set_part **out_part, uint32_t *out_count);
/* Values of an argument of a set of arguments; as trace_arg_get. */
enum core_status trace_arg_find(struct trace *trace, int64_t set, const char *name,
                                int64_t **out_value, uint32_t *out_count);

#endif
