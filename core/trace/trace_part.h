/* Shared by the files trace*.c; no other file includes it. */
#ifndef CORE_TRACE_TRACE_PART_H
#define CORE_TRACE_TRACE_PART_H

#include <sqlite3.h>

#include "core/trace/trace.h"

enum { TRACE_IDS_MAX = 1 << 24, TRACE_SET_MAX = 1 << 24 /* completions, or values, of a call */ };

/* Report what is wrong with an open trace: CORE_BAD_FORMAT, or CORE_NO_MEMORY or CORE_IO according
 * to SQLite's code. */
enum core_status trace_failed(const struct trace *trace, int code);
enum core_status trace_damaged(const struct trace *trace, const char *what);

enum core_status trace_prepare(const struct trace *trace, const char *text,
                               sqlite3_stmt **out_stmt);

/* Reads a column as an int32_t; NULL becomes `none`. Returns false if it is no such number. */
bool trace_column(sqlite3_stmt *stmt, int column, int32_t none, int32_t *out_value);

/* --- trace_shape.c: repeated parts of events -------------------------------------------------- */

struct trace_shape {
    uint32_t id, set; /* id 0: empty. set: its completions; 0: none */
    int32_t call, comm, win, peer, tag, datatype, root, op, site, thread, error;
    int32_t recv_peer, recv_tag, recv_datatype;
    int32_t near; /* bits of enum trace_near */
    int64_t count, recv_count, arg_set;
    uint64_t bytes, recv_bytes, parent_back;
    bool many; /* the call has a list of requests */
};
struct trace_set_part { /* completions, with their requests relative to the event's */
    int64_t ahead;
    uint64_t bytes;
    uint32_t index;
    int32_t source, tag, error;
    bool has_request, done, cancelled;
    bool near;        /* source counts from the event's rank */
    uint32_t members; /* stands for so many, whose indices and requests count up */
};
struct trace_arg_part {
    uint32_t name, index;
    int64_t value;
    int near; /* enum trace_arg_near; 0: value counts from nothing */
};
struct trace_first { /* the first part of each id: at[0, last + 2), ids from 1 */
    uint32_t *at, room;
    uint64_t last;
};
struct trace_sets {
    struct trace_set_part *part;
    uint32_t part_count, part_room, missed;
    struct trace_first first;
    int64_t now; /* now: the set that was looked up; whole: all sets were read */
    bool tried, whole;
};
struct trace_args {
    struct trace_arg_part *part;
    uint32_t part_count, part_room, missed;
    struct trace_first first;
    bool tried, whole;
};
struct trace_row { /* one row of event_row */
    uint64_t seq;
    int64_t request, enter, repeat;
    int64_t duration; /* -1: the call did not return */
    uint32_t shape;
    int32_t tag; /* base for the tags of the shape and its completions */
    bool summed; /* enter and duration are those of all rounds of the loop */
};
struct trace_row_kept { /* the same in 24 bytes; see trace_row.c */
    int64_t enter;
    uint32_t seq, shape, request, duration;
};
struct trace_rows {
    struct trace_row_kept *row;
    int32_t *tag;          /* one per row, if any is not 0; 0 beyond tag_room */
    struct trace_row *odd; /* the rows that do not fit into 24 bytes */
    uint32_t count, room, tag_room, odd_count, odd_room;
    bool whole; /* true: these are all rows of the rank; false: there are none */
};
struct trace_left_part { /* calls [from, end) of a rank */
    uint64_t from, end;
};
struct trace_left { /* the parts of a rank that are left out, ascending; see trace_rounds.h */
    struct trace_left_part *part;
    uint32_t count, room;
};
enum { TRACE_BATCH_ROWS = 128 };
struct trace_batch { /* the rows of one step of a query */
    struct trace_row row[TRACE_BATCH_ROWS];
    int64_t id[TRACE_BATCH_ROWS];
    uint32_t count, room, next;
    bool damaged, ended; /* damaged: the row behind them makes no sense; ended: no row follows */
};
struct trace_shapes { /* shared by all cursors */
    struct trace_shape *shape;
    uint64_t shape_last; /* the largest id */
    uint32_t shape_room, missed;
    struct trace_sets set;
    struct trace_args arg;
    char **name; /* of arguments */
    uint32_t name_count, name_room;
    struct trace_rows *rows;        /* one per rank */
    uint32_t rank_count, rows_held; /* rows_held: of all ranks, kept or held by a cursor */
    struct trace_left *rounds;      /* per rank, the rounds that are left out; or NULL */
    struct trace_left *left;        /* the same while cursors skip them; else NULL */
    struct trace_source *source;    /* of events that are looked up by id */
    sqlite3_stmt *by_id, *set_by_id, *arg_by_name, *args_by_id, *group_by_id,
        *digest_by_event; /* each prepared at its first use */
};

/* --- trace_provenance.c: the makers of objects ------------------------------------------------ */

/* Sets trace->made. */
enum core_status trace_made_open(struct trace *trace);
void trace_made_free(struct trace_made *made);

/* --- trace_cursor.c --------------------------------------------------------------------------- */

struct trace_cursor;
/* Moves the cursor to the event of that number, or the first one behind it. */
void trace_cursor_seek(struct trace_cursor *cursor, uint64_t seq);

/* --- trace_row.c: rows of events -------------------------------------------------------------- */

/* Implements the SQL function crosswait_take(): puts a row of event_row into the batch of its
 * context's pointer, and returns true when the batch is full, which ends the step. */
void trace_row_take(sqlite3_context *context, int count, sqlite3_value **value);
/* Appends a row to those that are kept. *out_kept = false: the row cannot be kept. */
enum core_status trace_rows_add(const struct trace *trace, struct trace_rows *rows,
                                const struct trace_row *row, bool *out_kept);
void trace_rows_done(struct trace_rows *rows);
/* Drops the kept rows of all ranks. No cursor may be open. */
void trace_rows_forget(struct trace *trace);
/* Tells whether cursors skip the call. */
bool trace_row_is_left(const struct trace_shapes *shapes, uint32_t rank, uint64_t seq);
/* Returns the number of rows held, as counted against trace->rows_kept_max. */
uint32_t trace_rows_weight(const struct trace_rows *rows);
/* Returns the index of a kept row; UINT32_MAX: not found. */
uint32_t trace_rows_find(const struct trace_rows *rows, uint64_t seq);
struct trace_row trace_rows_get(const struct trace_rows *rows, uint32_t index);

/* --- trace_unfold.c: loops unfolded ----------------------------------------------------------- */

/* Sets trace->unfold, and makes temp.event_row and temp.message_row, which show all events and
 * messages, temp.message_timed, which shows the messages whose calls have times, and
 * temp.message_summed, whose rows stand for `messages` of the others each. */
enum core_status trace_unfold_open(struct trace *trace);
void trace_unfold_free(struct trace_unfold *unfold);
/* Serves lookups from now on from rows that cursors keep; NULL: no longer. */
void trace_unfold_keep(struct trace_unfold *unfold, const struct trace_shapes *shapes);

/* Serve its virtual tables. Codes are SQLite's. */
#define TRACE_NONSENSE SQLITE_CORRUPT_VTAB /* the trace is damaged */
int trace_unfold_prepare(const struct trace_unfold *unfold, const char *text,
                         sqlite3_stmt **out_stmt);
int trace_unfold_step(sqlite3_stmt *stmt);
struct trace_table {
    sqlite3_vtab base;
    struct trace_unfold *unfold;
};
int trace_table_failed(sqlite3_vtab *table, int code);      /* sets its message; returns the code */
uint64_t trace_table_rows(const struct trace_table *table); /* a guess for SQLite's planner */
int trace_table_disconnect(sqlite3_vtab *table);
extern const sqlite3_module trace_message_module; /* trace_unfold_message.c */

/* Reads all events of a range of ids, in ascending order. Codes are SQLite's: for
 * trace_source_failed. */
struct trace_source;
int trace_source_open(struct trace_unfold *unfold, struct trace_source **out_source);
void trace_source_close(struct trace_source *source);
/* Restricts the source to ids from low to high, both included. */
void trace_source_seek(struct trace_source *source, int64_t low, int64_t high);
/* Makes the source skip, from here on, summed rounds of loops of whose calls it wants no shape.
 * _passed: whether it skipped any. */
typedef bool (*trace_wants_fn)(uint32_t shape, void *context);
void trace_source_only(struct trace_source *source, trace_wants_fn wants, void *context);
bool trace_source_passed(const struct trace_source *source);
/* Returns SQLITE_ROW, or SQLITE_DONE at the end. */
int trace_source_next(struct trace_source *source, struct trace_row *out_row, int64_t *out_id);
/* Reads one event by id. Returns SQLITE_DONE if there is none. */
int trace_source_get(struct trace_source *source, int64_t id, struct trace_row *out_row);
/* Resets the source's queries, which then hold no lock. The source is not read on. */
void trace_source_rest(struct trace_source *source);
enum core_status trace_source_failed(const struct trace *trace, int code);

/* Sets trace->shapes. */
enum core_status trace_shapes_open(struct trace *trace);
void trace_shapes_free(struct trace_shapes *shapes);
/* Leaves no rounds out from now on. */
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
/* Returns the completions of a set; 0: none. Valid until the next call. */
enum core_status trace_set_get(struct trace *trace, uint32_t id,
                               const struct trace_set_part **out_part, uint32_t *out_count);
/* Loads the values of an argument of the event, like trace_arg_get. */
enum core_status trace_arg_find(struct trace *trace, const struct trace_event *event,
                                const char *name, int64_t **out_value, uint32_t *out_count);

#endif
