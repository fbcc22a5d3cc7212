/* Unfolds messages of loops: shows the rows of message_row and message_part one by one in the order
 * of their ids, in virtual tables of the trace's own connection.
 *
 *     message_row       all messages; it hides the table
 *     message_timed     those that calls with times of their own began, at both ends
 *     message_summed    the others: a row stands for `messages` of them between the same two calls
 *                       of loops; send and receive are the first message's
 *
 * E.g. two ranks with a million rounds, all but a thousand of which are summed up (event_sum): who
 * asks when messages were sent reads message_timed, and counts the others by message_summed, whose
 * rows are as many as those of message_part.
 *
 * Invariants
 *  1. message_timed and the messages that rows of message_summed stand for are all of message_row.
 *  2. Rows of message_part that take turns are read together, and each of them was checked. */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace_part.h"

enum {
    SEQ_BITS = 40,
    EVERY_MAX = 16, /* rows of message_part that take turns */
    COLUMN_BYTES = 5
};
#define SEQ_END (INT64_C(1) << SEQ_BITS)
#define MESSAGES "the messages of a trace"

enum which { ALL, TIMED, SUMMED };
struct message_table {
    struct trace_table base;
    enum which which;
};
struct ends { /* of a channel */
    int64_t source, dest;
};
struct span { /* ids of calls whose times are summed up: [first, end), of rounds of so many calls */
    int64_t first, end, calls;
};
struct messages { /* a cursor */
    sqlite3_vtab_cursor base;
    enum which which;
    sqlite3_stmt *rows, *parts;
    bool row, parts_ended; /* row: `rows` has a row that was not handed out */
    struct {
        int64_t value[6]; /* id, channel, tag, send, receive, bytes */
        bool has_bytes;
        int64_t send_step, receive_step;
    } part[EVERY_MAX];             /* rows that take turns */
    int64_t every, messages, next; /* next: of all their messages, the one that is due */
    int64_t rounds;                /* SUMMED: that it stands for */
    bool from_part;                /* the current one is that of the parts, */
    int64_t at, count;             /* by its place; and it stands for so many */
    struct ends *ends;             /* by channel */
    struct span *span;             /* ascending */
    uint32_t ends_room, span_count, span_room, span_last;
};

/* --- which are summed up ---------------------------------------------------------------------- */

static int spans_read(struct trace_unfold *unfold, struct messages *messages)
{
    sqlite3_stmt *stmt = NULL;
    int code = trace_unfold_prepare(
        unfold,
        "SELECT e.id, e.calls, l.calls FROM main.event_sum e JOIN main.loop l ON l.id = e.loop "
        "WHERE e.calls > 0 ORDER BY e.id",
        &stmt);

    while (code == SQLITE_OK && (code = trace_unfold_step(stmt)) == SQLITE_ROW) {
        int64_t first = sqlite3_column_int64(stmt, 0), calls = sqlite3_column_int64(stmt, 1),
                round = sqlite3_column_int64(stmt, 2);
        if (first < 0 || calls > TRACE_SUM_CALLS_MAX || first > INT64_MAX - calls || round < 1)
            code = TRACE_NONSENSE;
        else
            code = CORE_ARRAY_PUSH(messages->span, messages->span_count, messages->span_room,
                                   MESSAGES, (struct span){first, first + calls, round}) == CORE_OK
                       ? SQLITE_OK
                       : SQLITE_NOMEM;
    }
    sqlite3_finalize(stmt);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int ends_read(struct trace_unfold *unfold, struct messages *messages)
{
    sqlite3_stmt *stmt = NULL;
    int code = trace_unfold_prepare(unfold, "SELECT id, source, dest FROM main.channel", &stmt);

    while (code == SQLITE_OK && (code = trace_unfold_step(stmt)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(stmt, 0), source = sqlite3_column_int64(stmt, 1),
                dest = sqlite3_column_int64(stmt, 2);
        if (id < 0 || id >= TRACE_IDS_MAX || source < 0 || source > INT32_MAX || dest < 0 ||
            dest > INT32_MAX || source >> 22 || dest >> 22) {
            code = TRACE_NONSENSE;
            break;
        }
        code = CORE_ARRAY_ROOM_ZERO(messages->ends, messages->ends_room, (uint64_t)id + 1,
                                    MESSAGES) == CORE_OK
                   ? SQLITE_OK
                   : SQLITE_NOMEM;
        if (code == SQLITE_OK)
            messages->ends[id] = (struct ends){source << SEQ_BITS, dest << SEQ_BITS};
    }
    sqlite3_finalize(stmt);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* The rounds that the call is one of; NULL: its times are known. */
static const struct span *span_of(struct messages *messages, int64_t id)
{
    const struct span *span = messages->span;

    if (!messages->span_count)
        return NULL;
    if (id < span[messages->span_last].first || id >= span[messages->span_last].end) {
        uint32_t behind = CORE_ARRAY_FIND(at, 0, messages->span_count, span[at].first <= id);
        messages->span_last = behind ? behind - 1 : 0;
    }
    span = &span[messages->span_last];
    return id >= span->first && id < span->end ? span : NULL;
}

/* How many messages from this one on, each `step` behind the one before, have there the same call
 * of rounds that are summed up. */
static int64_t side_summed(struct messages *messages, int64_t id, int64_t step)
{
    const struct span *span = span_of(messages, id);

    if (!span)
        return 0;
    CORE_CHECK(span->end > id && span->calls > 0); /* spans_read */
    return step <= 0 || step % span->calls ? 1 : (span->end - id - 1) / step + 1;
}

static struct ends ends_of(const struct messages *messages, int64_t channel)
{
    return channel >= 0 && channel < messages->ends_room ? messages->ends[channel]
                                                         : (struct ends){0, 0};
}

static bool row_summed(struct messages *messages)
{
    sqlite3_stmt *row = messages->rows;
    struct ends ends = ends_of(messages, sqlite3_column_int64(row, 1));
    bool sent = sqlite3_column_type(row, 3) != SQLITE_NULL,
         received = sqlite3_column_type(row, 4) != SQLITE_NULL;
    int64_t send = sqlite3_column_int64(row, 3), receive = sqlite3_column_int64(row, 4);

    return (sent && send >= 0 && send < SEQ_END && span_of(messages, ends.source + send)) ||
           (received && receive >= 0 && receive < SEQ_END &&
            span_of(messages, ends.dest + receive));
}

/* In how many rounds from this one on the message is one of the same calls, whose times are summed
 * up; 1: not the same, or at one end only; 0: its times are known. */
static int64_t part_summed(struct messages *messages, int64_t of, int64_t round)
{
    const int64_t *value = messages->part[of].value;
    struct ends ends = ends_of(messages, value[1]);
    int64_t send_step = messages->part[of].send_step,
            receive_step = messages->part[of].receive_step,
            sent = side_summed(messages, ends.source + value[3] + round * send_step, send_step),
            received =
                side_summed(messages, ends.dest + value[4] + round * receive_step, receive_step),
            alike = !sent || !received ? sent || received
                    : sent < received  ? sent
                                       : received;

    CORE_CHECK(of < messages->every && round < messages->messages);
    return alike < messages->messages - round ? alike : messages->messages - round;
}

/* How many rounds from this one on all messages are. */
static int64_t rounds_summed(struct messages *messages, int64_t round)
{
    int64_t least = messages->messages - round;

    CORE_CHECK(least > 0); /* the round is one of them */
    for (int64_t of = 0; least && of < messages->every; of++) {
        int64_t now = part_summed(messages, of, round);
        least = now < least ? now : least;
    }
    return least;
}

/* --- rows ------------------------------------------------------------------------------------- */

static int rows_next(struct messages *messages)
{
    int code;

    do {
        code = trace_unfold_step(messages->rows);
        messages->row = code == SQLITE_ROW;
    } while (code == SQLITE_ROW && messages->which != ALL &&
             row_summed(messages) != (messages->which == SUMMED));
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static bool in_range(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

static int part_read(struct messages *messages, int64_t index)
{
    sqlite3_stmt *stmt = messages->parts;
    int64_t count = sqlite3_column_int64(stmt, 8), every = sqlite3_column_int64(stmt, 9);

    CORE_CHECK(index >= 0 && index < EVERY_MAX);
    if (!index) {
        messages->messages = count;
        messages->every = every;
    }
    if (count != messages->messages || every != messages->every || !in_range(every, 1, EVERY_MAX) ||
        !in_range(count, 1, TRACE_SUM_CALLS_MAX))
        return TRACE_NONSENSE;
    for (int i = 0; i < 6; i++)
        messages->part[index].value[i] = sqlite3_column_int64(stmt, i);
    messages->part[index].has_bytes = sqlite3_column_type(stmt, COLUMN_BYTES) != SQLITE_NULL;
    messages->part[index].send_step = sqlite3_column_int64(stmt, 6);
    messages->part[index].receive_step = sqlite3_column_int64(stmt, 7);
    for (int i = 3; i < 5; i++) /* so that nothing overflows */
        if (!in_range(messages->part[index].value[i], 0, SEQ_END) ||
            !in_range(sqlite3_column_int64(stmt, i + 3), -SEQ_END, SEQ_END))
            return TRACE_NONSENSE;
    return in_range(messages->part[0].value[0], 0, INT64_MAX / 2) &&
                   messages->part[index].value[0] == messages->part[0].value[0] + index
               ? SQLITE_OK
               : TRACE_NONSENSE;
}

/* The next rows of message_part that take turns. */
static int parts_take(struct messages *messages)
{
    int code = SQLITE_ROW;

    messages->next = messages->rounds = 0;
    messages->every = 1;
    for (int64_t i = 0; code == SQLITE_ROW && i < messages->every; i++) {
        code = trace_unfold_step(messages->parts);
        if (code == SQLITE_DONE) {
            messages->parts_ended = true;
            messages->messages = 0;
            return i ? TRACE_NONSENSE : SQLITE_OK;
        }
        if (code == SQLITE_ROW && (code = part_read(messages, i)) == SQLITE_OK)
            code = SQLITE_ROW;
    }
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

/* Goes on to a message of the parts that the table has. */
static int parts_seek(struct messages *messages)
{
    int code = SQLITE_OK;

    while (code == SQLITE_OK && !messages->parts_ended) {
        if (messages->next >= messages->messages * messages->every) {
            code = parts_take(messages);
            continue;
        }
        if (messages->which == ALL || messages->rounds)
            break;
        int64_t of = messages->next % messages->every, round = messages->next / messages->every,
                rounds = of ? 0 : rounds_summed(messages, round);
        if (rounds && messages->which == SUMMED) {
            messages->rounds = rounds;
            break;
        }
        messages->next += rounds * messages->every;
        if (rounds)
            continue;
        if ((part_summed(messages, of, round) > 0) == (messages->which == SUMMED))
            break;
        messages->next++;
    }
    return code;
}

static void part_take(struct messages *messages)
{
    CORE_CHECK(messages->next < messages->messages * messages->every); /* invariant 2 */
    messages->at = messages->next++;
    messages->count = messages->rounds ? messages->rounds : 1;
    if (messages->rounds && messages->next % messages->every == 0) {
        messages->next += (messages->rounds - 1) * messages->every;
        messages->rounds = 0;
    }
}

/* Takes the place of the row that was handed out, and says which comes next. */
static int messages_next(sqlite3_vtab_cursor *cursor)
{
    struct messages *messages = (struct messages *)cursor;
    int code = SQLITE_OK;

    if (!messages->from_part && messages->row)
        code = rows_next(messages);
    if (code == SQLITE_OK)
        code = parts_seek(messages);
    if (code != SQLITE_OK)
        return trace_table_failed(cursor->pVtab, code);
    messages->from_part =
        !messages->parts_ended && (!messages->row || messages->part[0].value[0] + messages->next <=
                                                         sqlite3_column_int64(messages->rows, 0));
    messages->count = 1;
    if (messages->from_part)
        part_take(messages);
    if (!messages->from_part && !messages->row) {
        sqlite3_reset(messages->rows);
        sqlite3_reset(messages->parts);
    }
    return SQLITE_OK;
}

/* --- the tables ------------------------------------------------------------------------------- */

static int messages_connect(sqlite3 *db, void *context, int count, const char *const *word,
                            sqlite3_vtab **out_table, char **error)
{
    struct message_table *table = core_alloc_zero(1, sizeof *table);
    int code = table ? sqlite3_declare_vtab(
                           db, "CREATE TABLE message (id INTEGER, channel INTEGER, tag INTEGER, "
                               "send INTEGER, receive INTEGER, bytes INTEGER, messages INTEGER "
                               "HIDDEN)")
                     : SQLITE_NOMEM;

    (void)error;
    if (code != SQLITE_OK) {
        free(table);
        return code;
    }
    CORE_CHECK(count > 2); /* the module, the database, the table */
    table->base.unfold = context;
    table->which = !strcmp(word[2], "message_timed")    ? TIMED
                   : !strcmp(word[2], "message_summed") ? SUMMED
                                                        : ALL;
    *out_table = &table->base.base;
    return SQLITE_OK;
}

static int messages_plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
    uint64_t rows = trace_table_rows((const struct trace_table *)table);

    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = (double)rows * 2;
    info->orderByConsumed =
        info->nOrderBy == 1 && info->aOrderBy[0].iColumn <= 0 && !info->aOrderBy[0].desc;
    return SQLITE_OK;
}

static int messages_close(sqlite3_vtab_cursor *cursor)
{
    struct messages *messages = (struct messages *)cursor;

    sqlite3_finalize(messages->rows);
    sqlite3_finalize(messages->parts);
    free(messages->ends);
    free(messages->span);
    free(messages);
    return SQLITE_OK;
}

static int messages_open(sqlite3_vtab *table, sqlite3_vtab_cursor **out_cursor)
{
    struct messages *messages = core_alloc_zero(1, sizeof *messages);
    struct trace_unfold *unfold = ((struct trace_table *)table)->unfold;

    if (!messages)
        return SQLITE_NOMEM;
    messages->which = ((struct message_table *)table)->which;
    int code = trace_unfold_prepare(unfold,
                                    "SELECT id, channel, tag, send, receive, bytes FROM "
                                    "main.message_row ORDER BY id",
                                    &messages->rows);
    if (code == SQLITE_OK)
        code = trace_unfold_prepare(
            unfold,
            "SELECT id, channel, tag, send, receive, bytes, send_step, receive_step, "
            "messages, every FROM main.message_part ORDER BY id",
            &messages->parts);
    if (code == SQLITE_OK && messages->which != ALL)
        code = spans_read(unfold, messages);
    if (code == SQLITE_OK && messages->which != ALL)
        code = ends_read(unfold, messages);
    if (code != SQLITE_OK) {
        messages_close(&messages->base);
        return trace_table_failed(table, code);
    }
    *out_cursor = &messages->base;
    return SQLITE_OK;
}

static int messages_filter(sqlite3_vtab_cursor *cursor, int plan, const char *text, int count,
                           sqlite3_value **value)
{
    struct messages *messages = (struct messages *)cursor;

    (void)plan;
    (void)text;
    (void)count;
    (void)value;
    sqlite3_reset(messages->rows);
    sqlite3_reset(messages->parts);
    messages->parts_ended = messages->from_part = false;
    messages->row = true; /* the first is still to be read */
    messages->messages = messages->every = messages->next = messages->rounds = 0;
    return messages_next(cursor);
}

static int messages_eof(sqlite3_vtab_cursor *cursor)
{
    const struct messages *messages = (struct messages *)cursor;

    return !messages->from_part && !messages->row;
}

static int messages_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    const struct messages *messages = (struct messages *)cursor;

    if (column > COLUMN_BYTES) {
        sqlite3_result_int64(context, messages->count);
        return SQLITE_OK;
    }
    if (!messages->from_part) {
        if (sqlite3_column_type(messages->rows, column) != SQLITE_NULL)
            sqlite3_result_int64(context, sqlite3_column_int64(messages->rows, column));
        return SQLITE_OK;
    }
    CORE_CHECK(messages->at >= 0 && messages->every > 0);
    int64_t round = messages->at / messages->every, of = messages->at % messages->every,
            value = messages->part[of].value[column];
    value += column == 0   ? round * messages->every
             : column == 3 ? round * messages->part[of].send_step
             : column == 4 ? round * messages->part[of].receive_step
                           : 0;
    if (column != COLUMN_BYTES || messages->part[of].has_bytes)
        sqlite3_result_int64(context, value);
    return SQLITE_OK;
}

static int messages_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out_id)
{
    const struct messages *messages = (struct messages *)cursor;

    *out_id = messages->from_part ? messages->part[0].value[0] + messages->at
                                  : sqlite3_column_int64(messages->rows, 0);
    return SQLITE_OK;
}

const sqlite3_module trace_message_module = {.xCreate = messages_connect,
                                             .xConnect = messages_connect,
                                             .xBestIndex = messages_plan,
                                             .xDisconnect = trace_table_disconnect,
                                             .xDestroy = trace_table_disconnect,
                                             .xOpen = messages_open,
                                             .xClose = messages_close,
                                             .xFilter = messages_filter,
                                             .xNext = messages_next,
                                             .xEof = messages_eof,
                                             .xColumn = messages_column,
                                             .xRowid = messages_rowid};
