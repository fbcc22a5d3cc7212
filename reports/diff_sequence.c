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

/* Messages of one kind that a rank received, by kind and receive, without unfolding loops. */
static const char series_sql[] =
    "SELECT c.source, m.tag, m.bytes, m.receive, m.step, m.messages FROM (SELECT channel, tag, "
    "bytes, receive, receive_step AS step, messages FROM main.message_part UNION ALL SELECT "
    "channel, tag, bytes, receive, 0, 1 FROM main.message_row WHERE receive IS NOT NULL) m JOIN "
    "channel c ON c.id = m.channel WHERE c.dest = ?1 AND NOT c.inner ORDER BY 1, 2, 3, 4";

struct series { /* received by the calls numbered first, first + step... */
    int64_t source, tag, bytes, first, step, messages;
};
struct series_reader {
    sqlite3_stmt *row;
    struct series next; /* no messages: the end */
};

static struct series series_step(sqlite3_stmt *row)
{
    struct series series = {0};

    if (sqlite3_step(row) == SQLITE_ROW)
        series = (struct series){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1),
                                 sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3),
                                 sqlite3_column_int64(row, 4), sqlite3_column_int64(row, 5)};
    return series;
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

    while (series.messages && (reader->next = series_step(reader->row)).messages &&
           series_join(&series, &reader->next))
        ;
    return series;
}

/* Tells whether the rank surely received the same messages in the same order in both runs: by calls
 * of the same numbers. */
static bool order_is_same(sqlite3_stmt *const row[2], uint32_t rank)
{
    struct series_reader reader[2] = {{.row = row[0]}, {.row = row[1]}};
    struct series series[2];

    for (int side = 0; side < 2; side++) {
        sqlite3_reset(row[side]);
        sqlite3_bind_int64(row[side], 1, rank);
        reader[side].next = series_step(row[side]);
    }
    do {
        for (int side = 0; side < 2; side++)
            series[side] = series_next(&reader[side]);
    } while (!memcmp(&series[0], &series[1], sizeof *series) && series[0].messages);
    return !series[0].messages && !series[1].messages;
}

/* Senders of the messages that a rank received, in the order in which the receives were posted. */
static const char order_sql[] =
    "SELECT c.source, m.tag, m.bytes, m.receive FROM message_row m JOIN channel c ON c.id = "
    "m.channel WHERE "
    "c.dest = ?1 AND NOT c.inner AND m.receive IS NOT NULL ORDER BY m.receive";

static char *message_words(sqlite3_stmt *row)
{
    char *text = NULL, bytes[64];

    return asprintf(&text, "from rank %lld, tag %lld, %s", (long long)sqlite3_column_int64(row, 0),
                    (long long)sqlite3_column_int64(row, 1),
                    describe_bytes((uint64_t)sqlite3_column_int64(row, 2), bytes, sizeof bytes)) < 0
               ? NULL
               : text;
}

static enum core_status order_of(struct diff *diff, sqlite3_stmt *const row[2], uint32_t rank)
{
    bool more[2] = {true, true}, same = true;
    uint64_t number = 0;

    for (int side = 0; side < 2; side++) {
        sqlite3_reset(row[side]);
        sqlite3_bind_int64(row[side], 1, rank);
    }
    while (same) {
        for (int side = 0; side < 2; side++)
            more[side] = sqlite3_step(row[side]) == SQLITE_ROW;
        if (!more[0] || !more[1])
            return CORE_OK; /* a difference in number shows up among the calls */
        number++;
        for (int i = 0; i < 3; i++)
            same &= sqlite3_column_int64(row[0], i) == sqlite3_column_int64(row[1], i);
    }
    struct diff_part part = {
        .rank = rank, .number = number, .what = {message_words(row[0]), message_words(row[1])}};
    for (int side = 0; side < 2; side++) {
        part.from[side] = sqlite3_column_int(row[side], 0);
        part.seq[side] = (uint64_t)sqlite3_column_int64(row[side], 3);
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
    sqlite3_stmt *row[2] = {NULL, NULL}, *series[2] = {NULL, NULL};
    enum core_status status = CORE_OK;

    for (int side = 0; side < 2 && status == CORE_OK; side++)
        if (sqlite3_prepare_v2(trace[side]->db, order_sql, -1, &row[side], NULL) != SQLITE_OK ||
            sqlite3_prepare_v2(trace[side]->db, series_sql, -1, &series[side], NULL) != SQLITE_OK)
            status = core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace[side]->path,
                                 sqlite3_errmsg(trace[side]->db));
    trace[0]->rows_kept_max = trace[1]->rows_kept_max = 0; /* each row is read once */
    for (uint32_t rank = 0; rank < trace[0]->rank_count && status == CORE_OK; rank++) {
        status = sequence_of(diff, trace, rank);
        if (status == CORE_OK && !order_is_same(series, rank))
            status = order_of(diff, row, rank);
    }
    for (int side = 0; side < 2; side++) {
        sqlite3_finalize(row[side]);
        sqlite3_finalize(series[side]);
    }
    return status;
}
