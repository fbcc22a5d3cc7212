/* Finds where the calls of a rank begin to differ from the run before, and where it receives in
 * another order (diff.h). */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "core/check.h"
#include "core/trace/describe.h"
#include "reports/diff.h"

/* Tells whether timing decides how often the call is made, or the library makes it. */
static bool by_chance(const struct trace_event *event)
{
    return event->parent || trait_in(event->traits, TRAIT_POLLS) ||
           trait_in(event->traits, TRAIT_ANY_TIME);
}

static enum core_status diff_sequence_next(struct trace_cursor *cursor,
                                           struct trace_event *out_event, bool *out_more)
{
    enum core_status status;

    do {
        status = trace_cursor_next(cursor, out_event, out_more);
    } while (status == CORE_OK && *out_more && by_chance(out_event));
    return status;
}

/* Compares two calls, but not their communicators and datatypes, whose ids differ between
 * traces. */
static bool same_call(struct trace *const trace[2], const struct trace_event event[2])
{
    return !strcmp(trace[0]->call[event[0].call].name, trace[1]->call[event[1].call].name) &&
           event[0].peer == event[1].peer && event[0].tag == event[1].tag &&
           event[0].bytes == event[1].bytes && event[0].root == event[1].root &&
           event[0].has_recv_half == event[1].has_recv_half &&
           event[0].recv_peer == event[1].recv_peer && event[0].recv_tag == event[1].recv_tag &&
           event[0].recv_bytes == event[1].recv_bytes;
}

static char *call_words(struct trace *trace, const struct trace_event *event)
{
    char call[512], place[512], *text = NULL;

    return asprintf(&text, "%s at %s", describe_call_said(trace, event, call, sizeof call),
                    trace_site_text(trace, event->site, place, sizeof place)) < 0
               ? NULL
               : text;
}

static enum core_status sequence_of(struct diff *diff, struct trace *const trace[2], uint32_t rank)
{
    struct trace_cursor *cursor[2] = {NULL, NULL};
    struct trace_event event[2];
    bool more[2] = {true, true}, same = true;
    uint64_t number = 0;
    enum core_status status = trace_cursor_open(trace[0], rank, &cursor[0]);

    if (status == CORE_OK)
        status = trace_cursor_open(trace[1], rank, &cursor[1]);
    while (status == CORE_OK && same && (more[0] || more[1])) {
        for (int side = 0; side < 2 && status == CORE_OK; side++)
            status = diff_sequence_next(cursor[side], &event[side], &more[side]);
        if (status != CORE_OK || (!more[0] && !more[1]))
            break;
        number++;
        same = more[0] && more[1] && same_call(trace, event);
    }
    if (status == CORE_OK && !same) {
        struct diff_part part = {.rank = rank, .number = number};
        for (int side = 0; side < 2; side++) {
            part.what[side] = more[side] ? call_words(trace[side], &event[side]) : NULL;
            part.seq[side] = more[side] ? event[side].seq : 0;
        }
        status = CORE_ARRAY_PUSH(diff->sequence, diff->sequence_count, diff->sequence_room,
                                 "the comparison", part);
    }
    trace_cursor_close(cursor[0]);
    trace_cursor_close(cursor[1]);
    return status;
}

/* --- the order of receives -------------------------------------------------------------------- */

/* Rows on all ranks, by rank: each query runs once, as it reads all messages. */
struct by_rank {
    sqlite3_stmt *row;
    bool begun;
    bool more; /* the statement is at a row */
};

static bool by_rank_is_at(const struct by_rank *rows, uint32_t rank)
{
    return rows->more && sqlite3_column_int64(rows->row, 0) == rank;
}

/* Goes to the next row, and tells whether it is the rank's. */
static bool by_rank_next(struct by_rank *rows, uint32_t rank)
{
    rows->more = rows->more && sqlite3_step(rows->row) == SQLITE_ROW;
    return by_rank_is_at(rows, rank);
}

/* Goes to the first row of the rank, and tells whether there is one. Ranks come in order. */
static bool by_rank_find(struct by_rank *rows, uint32_t rank)
{
    if (!rows->begun)
        rows->more = sqlite3_step(rows->row) == SQLITE_ROW;
    rows->begun = true;
    while (rows->more && sqlite3_column_int64(rows->row, 0) < rank)
        rows->more = sqlite3_step(rows->row) == SQLITE_ROW;
    return by_rank_is_at(rows, rank);
}

static enum core_status by_rank_open(const struct trace *trace, const char *sql,
                                     struct by_rank *out_rows)
{
    if (sqlite3_prepare_v2(trace->db, sql, -1, &out_rows->row, NULL) != SQLITE_OK)
        return core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace->path,
                           sqlite3_errmsg(trace->db));
    return CORE_OK;
}

/* Messages of one kind that a rank received, by kind and receive, without unfolding loops. */
static const char series_sql[] =
    "SELECT c.dest, c.source, m.tag, m.bytes, m.receive, m.step, m.messages FROM (SELECT channel, "
    "tag, "
    "bytes, receive, receive_step AS step, messages FROM main.message_part UNION ALL SELECT "
    "channel, tag, bytes, receive, 0, 1 FROM main.message_row WHERE receive IS NOT NULL) m JOIN "
    "channel c ON c.id = m.channel WHERE NOT c.inner ORDER BY 1, 2, 3, 4, 5";

struct series { /* received by the calls numbered first, first + step... */
    int64_t source, tag, bytes, first, step, messages;
};
struct series_reader {
    struct by_rank *rows;
    uint32_t rank;
    struct series next; /* no messages: the end */
};

static struct series series_at(sqlite3_stmt *row)
{
    return (struct series){sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2),
                           sqlite3_column_int64(row, 3), sqlite3_column_int64(row, 4),
                           sqlite3_column_int64(row, 5), sqlite3_column_int64(row, 6)};
}

static struct series series_step(struct series_reader *reader)
{
    return by_rank_next(reader->rows, reader->rank) ? series_at(reader->rows->row)
                                                    : (struct series){0};
}

/* Joins the next series to the one before it. */
static bool series_join(struct series *before, const struct series *next)
{
    int64_t step = before->messages > 1 ? before->step : next->first - before->first;

    if (!next->messages || next->source != before->source || next->tag != before->tag ||
        next->bytes != before->bytes || step <= 0 || (next->messages > 1 && next->step != step) ||
        (next->first - before->first) / step != before->messages ||
        (next->first - before->first) % step)
        return false;
    before->step = step;
    before->messages += next->messages;
    return true;
}

static struct series series_next(struct series_reader *reader)
{
    struct series series = reader->next;

    while (series.messages && (reader->next = series_step(reader)).messages &&
           series_join(&series, &reader->next))
        ;
    return series;
}

/* Tells whether the rank surely received the same messages in the same order in both runs: by calls
 * of the same numbers. */
static bool order_is_same(struct by_rank rows[2], uint32_t rank)
{
    struct series_reader reader[2] = {{&rows[0], rank, {0}}, {&rows[1], rank, {0}}};
    struct series series[2];

    for (int side = 0; side < 2; side++)
        if (by_rank_find(&rows[side], rank))
            reader[side].next = series_at(rows[side].row);
    do {
        for (int side = 0; side < 2; side++)
            series[side] = series_next(&reader[side]);
    } while (!memcmp(&series[0], &series[1], sizeof *series) && series[0].messages);
    return !series[0].messages && !series[1].messages;
}

/* Senders of the messages that a rank received, in the order in which the receives were posted. */
static const char order_sql[] =
    "SELECT c.dest, c.source, m.tag, m.bytes, m.receive FROM message_row m JOIN channel c ON c.id "
    "= m.channel WHERE NOT c.inner AND m.receive IS NOT NULL ORDER BY c.dest, m.receive";

static char *message_words(sqlite3_stmt *row)
{
    char *text = NULL, bytes[64];

    return asprintf(&text, "from rank %lld, tag %lld, %s", (long long)sqlite3_column_int64(row, 1),
                    (long long)sqlite3_column_int64(row, 2),
                    describe_bytes((uint64_t)sqlite3_column_int64(row, 3), bytes, sizeof bytes)) < 0
               ? NULL
               : text;
}

static enum core_status order_of(struct diff *diff, struct by_rank rows[2], uint32_t rank)
{
    bool more[2], same = true;
    uint64_t number = 0;

    for (int side = 0; side < 2; side++)
        more[side] = by_rank_find(&rows[side], rank);
    for (;;) {
        if (!more[0] || !more[1])
            return CORE_OK; /* a difference in number shows up among the calls */
        number++;
        for (int i = 1; i <= 3; i++)
            same &= sqlite3_column_int64(rows[0].row, i) == sqlite3_column_int64(rows[1].row, i);
        if (!same)
            break;
        for (int side = 0; side < 2; side++)
            more[side] = by_rank_next(&rows[side], rank);
    }
    struct diff_part part = {.rank = rank,
                             .number = number,
                             .what = {message_words(rows[0].row), message_words(rows[1].row)}};
    for (int side = 0; side < 2; side++) {
        part.from[side] = sqlite3_column_int(rows[side].row, 1);
        part.seq[side] = (uint64_t)sqlite3_column_int64(rows[side].row, 4);
    }
    return CORE_ARRAY_PUSH(diff->order, diff->order_count, diff->order_room, "the comparison",
                           part);
}

/* --- ranks that differ in the same way -------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool same_part(const struct diff_part *a, const struct diff_part *b)
{
    return a->number == b->number && same_text(a->what[0], b->what[0]) &&
           same_text(a->what[1], b->what[1]);
}

enum core_status diff_part_ranks(const struct diff_part *part, uint32_t count, uint32_t at,
                                 char **out_ranks)
{
    uint32_t *rank, ranks = 0;

    *out_ranks = NULL;
    for (uint32_t i = 0; i < at; i++)
        if (same_part(&part[i], &part[at]))
            return CORE_OK;
    enum core_status status = CORE_ARRAY_NEW(rank, count, "the comparison");
    if (status != CORE_OK)
        return status;
    for (uint32_t i = at; i < count; i++)
        if (same_part(&part[i], &part[at]))
            rank[ranks++] = part[i].rank;
    CORE_CHECK(ranks > 0); /* at least part[at] itself */
    *out_ranks = wording_ranks_short(rank, ranks);
    free(rank);
    return *out_ranks ? CORE_OK : core_report(CORE_NO_MEMORY, "out of memory for the comparison");
}

enum core_status diff_sequences(struct diff *diff)
{
    struct trace *const trace[2] = {diff->side[0]->trace, diff->side[1]->trace};
    struct by_rank order[2] = {{0}}, series[2] = {{0}};
    enum core_status status = CORE_OK;

    for (int side = 0; side < 2 && status == CORE_OK; side++) {
        status = by_rank_open(trace[side], series_sql, &series[side]);
        if (status == CORE_OK)
            status = by_rank_open(trace[side], order_sql, &order[side]);
    }
    trace[0]->rows_kept_max = trace[1]->rows_kept_max = 0; /* each row is read once */
    for (uint32_t rank = 0; rank < trace[0]->rank_count && status == CORE_OK; rank++) {
        status = sequence_of(diff, trace, rank);
        if (status == CORE_OK && !order_is_same(series, rank))
            status = order_of(diff, order, rank);
    }
    for (int side = 0; side < 2; side++) {
        sqlite3_finalize(order[side].row);
        sqlite3_finalize(series[side].row);
    }
    return status;
}
