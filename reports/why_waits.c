/* Finds who waited for whom (why.h), from messages with the calls that begin and complete them at
 * both ends, and from collectives. */
#include <sqlite3.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/table.h"
#include "core/trace/collective.h"
#include "reports/why.h"

struct gathering {
    struct trace *trace;
    struct why *why;
    struct why_waits *waits;
    struct core_table latest; /* by waiting call: its wait */
};
struct latest {
    uint64_t event;
    uint32_t wait; /* index + 1 */
};

static enum core_status why_waits_failed(struct trace *trace)
{
    return core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace->path,
                       sqlite3_errmsg(trace->db));
}

/* Adds a wait; of several waits in one call the one that ends last counts. */
static enum core_status wait_add(struct gathering *g, uint64_t event, const struct why_wait *wait)
{
    struct latest *latest;

    if (wait->end_ns <= wait->start_ns || wait->rank == wait->by)
        return CORE_OK;
    enum core_status status = core_table_put(&g->latest, &event, "the report's waits", &latest);
    if (status != CORE_OK)
        return status;
    if (!latest->wait) {
        status = CORE_ARRAY_PUSH(g->waits->wait, g->waits->count, g->waits->room,
                                 "the report's waits", *wait);
        latest->wait = g->waits->count;
    } else if (g->waits->wait[latest->wait - 1].end_ns < wait->end_ns) {
        g->waits->wait[latest->wait - 1] = *wait;
    }
    return status;
}

/* --- messages --------------------------------------------------------------------------------- */

/* As in messages.c: columns have types, otherwise the index is not used. */
static const char completions[] =
    "CREATE TEMP TABLE why_completed (rank INTEGER, request INTEGER, id INTEGER); INSERT INTO "
    "temp.why_completed SELECT e.id >> 40, e.request + d.request_ahead, e.id FROM event_row e "
    "JOIN shape s ON s.id = e.shape JOIN completion_set d ON d.id = s.completions WHERE d.done AND "
    "d.request_ahead IS NOT NULL AND e.t_enter IS NOT NULL; CREATE INDEX temp.why_by_request ON "
    "why_completed (rank, "
    "request, id)";
#define COMPLETION(rank, event)                                                                  \
    "ifnull((SELECT id FROM temp.why_completed d WHERE d.rank = " rank " AND d.request = " event \
    ".request AND d.id > " event ".id ORDER BY d.id LIMIT "                                      \
    "1), " event ".id)"
static const char messages[] =
    "SELECT c.source, c.dest, s.t_enter, ss.call, ss.site, p.t_enter, ps.call, ps.site, "
    "f.id, f.t_enter, f.t_enter + f.duration, fs.call, fs.site, "
    "r.id, r.t_enter, r.t_enter + r.duration, rs.call, rs.site FROM message_timed m "
    "CROSS JOIN channel c ON c.id = m.channel "
    "CROSS JOIN event_row s ON s.id = (c.source << 40) + m.send CROSS JOIN shape ss ON ss.id = "
    "s.shape "
    "CROSS JOIN event_row p ON p.id = (c.dest << 40) + m.receive CROSS JOIN shape ps ON ps.id = "
    "p.shape "
    "CROSS JOIN event_row f ON f.id = " COMPLETION(
        "c.source", "s") " CROSS JOIN shape fs ON fs.id = f.shape "
                         "CROSS JOIN event_row r ON r.id = " COMPLETION(
                             "c.dest", "p") " CROSS JOIN shape rs ON rs.id = r.shape "
                                            "WHERE NOT c.inner AND r.duration IS NOT NULL";

static uint64_t why_waits_number(sqlite3_stmt *row, int column)
{
    return (uint64_t)sqlite3_column_int64(row, column);
}

static struct why_call call_at(const struct trace *trace, sqlite3_stmt *row, int column)
{
    struct why_call call = {.call = -1, .site = sqlite3_column_int(row, column + 1)};
    int64_t id = sqlite3_column_int64(row, column);

    if (id >= 0 && (uint64_t)id < trace->call_count)
        call.call = (int32_t)id;
    return call;
}

static enum core_status message_waits(struct gathering *g, sqlite3_stmt *row)
{
    const struct trace *trace = g->trace;
    uint64_t source = why_waits_number(row, 0), dest = why_waits_number(row, 1),
             sent_ns = why_waits_number(row, 2), posted_ns = why_waits_number(row, 5);
    bool sender_left = sqlite3_column_type(row, 10) != SQLITE_NULL;
    uint64_t send_from = why_waits_number(row, 9), send_to = why_waits_number(row, 10),
             receive_from = why_waits_number(row, 14), receive_to = why_waits_number(row, 15);

    if (source >= trace->rank_count || dest >= trace->rank_count)
        return CORE_OK;
    g->why->messages++;
    /* Another tool's record that lacks calls may lack the call that posted the receive. */
    bool posted = !(trace->imported && trace->rank[dest].lost);
    g->why->early += posted && sent_ns < posted_ns;
    struct why_wait sender = {.rank = (uint32_t)dest,
                              .by = (uint32_t)source,
                              .kind = WHY_LATE_SENDER,
                              .start_ns = receive_from,
                              .end_ns = sent_ns < receive_to ? sent_ns : receive_to,
                              .in = call_at(trace, row, 16),
                              .until = call_at(trace, row, 3)};
    enum core_status status = wait_add(g, why_waits_number(row, 13), &sender);
    if (status != CORE_OK || !posted || !sender_left || posted_ns > send_to)
        return status; /* a rank that left before the receive was posted did not wait for it */
    struct why_wait receiver = {.rank = (uint32_t)source,
                                .by = (uint32_t)dest,
                                .kind = WHY_LATE_RECEIVER,
                                .start_ns = send_from,
                                .end_ns = posted_ns,
                                .in = call_at(trace, row, 11),
                                .until = call_at(trace, row, 6)};
    return wait_add(g, why_waits_number(row, 8), &receiver);
}

static enum core_status messages_gather(struct gathering *g)
{
    sqlite3 *db = g->trace->db;
    sqlite3_stmt *row = NULL;
    enum core_status status = CORE_OK;
    int code = sqlite3_exec(db, completions, NULL, NULL, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(db, messages, -1, &row, NULL);
    while (code == SQLITE_OK && status == CORE_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
        status = message_waits(g, row);
        code = SQLITE_OK;
    }
    if (status == CORE_OK && code != SQLITE_DONE)
        status = why_waits_failed(g->trace);
    sqlite3_finalize(row);
    sqlite3_exec(db, "DROP TABLE IF EXISTS temp.why_completed", NULL, NULL, NULL);
    return status;
}

/* --- collectives ------------------------------------------------------------------------------ */

static bool why_waits_blocks(const struct collective_part *part)
{
    return part->present && !part->event.pending && !part->event.summed &&
           (part->event.class == EVENT_CLASS_COLL || part->event.class == EVENT_CLASS_COMM_CREATE);
}

/* Returns the last member to enter except `but`; NULL: no other member was there. */
static const struct collective_part *last_of(const struct collective_part *part, uint32_t count,
                                             const struct collective_part *but)
{
    const struct collective_part *last = NULL;

    for (uint32_t i = 0; i < count; i++)
        if (&part[i] != but && part[i].present &&
            (!last || part[i].event.t_enter > last->event.t_enter))
            last = &part[i];
    return last;
}

/* Returns the member whose data this member needs; NULL: it needs none. */
static const struct collective_part *why_waits_awaited(const struct collective_part *part,
                                                       uint32_t count,
                                                       const struct collective_part *member)
{
    uint64_t traits = member->event.traits;
    int32_t root = member->event.root;
    bool rooted = root >= 0 && (uint32_t)root < count;

    if (trait_in(traits, TRAIT_FROM_ROOT))
        return rooted && part[root].present ? &part[root] : NULL;
    if (trait_in(traits, TRAIT_TO_ROOT))
        return rooted && &part[root] == member ? last_of(part, count, member) : NULL;
    if (trait_in(traits, TRAIT_PREFIX))
        return last_of(part, (uint32_t)(member - part), NULL);
    return trait_in(traits, TRAIT_NEIGHBOR) ? NULL : last_of(part, count, member);
}

static enum core_status collective_waits(struct gathering *g, const struct collective_part *part,
                                         uint32_t count)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < count; i++)
        if (part[i].present && part[i].event.summed)
            return CORE_OK; /* the last to enter is unknown */
    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        const struct collective_part *by =
            why_waits_blocks(&part[i]) ? why_waits_awaited(part, count, &part[i]) : NULL;
        if (!by || part[i].rank >= g->trace->rank_count || by->rank >= g->trace->rank_count)
            continue;
        const struct trace_event *in = &part[i].event, *until = &by->event;
        struct why_wait wait = {.rank = part[i].rank,
                                .by = by->rank,
                                .kind = WHY_COLLECTIVE,
                                .start_ns = in->t_enter,
                                .end_ns =
                                    until->t_enter < in->t_leave ? until->t_enter : in->t_leave,
                                .in = {in->call, in->site},
                                .until = {until->call, until->site}};
        status = wait_add(g, ((uint64_t)in->rank << 40) + in->seq, &wait);
    }
    return status;
}

static enum core_status collectives_gather(struct gathering *g)
{
    struct collective_list list;
    enum core_status status = collective_list_load(g->trace, &list);

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < list.count && status == CORE_OK; i++) {
        const struct collective *of = &list.collective[i];
        if (of->comm >= 0 && (uint32_t)of->comm < g->trace->comm_count &&
            !g->trace->comm[of->comm].inter)
            status = collective_waits(g, &list.part[of->first], of->count);
    }
    collective_list_done(&list);
    return status;
}

/* --- all -------------------------------------------------------------------------------------- */

static int by_rank_and_end(const void *a, const void *b)
{
    const struct why_wait *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

enum core_status why_waits_gather(struct trace *trace, struct why *why, struct why_waits *out)
{
    struct gathering g = {
        .trace = trace, .why = why, .waits = out, .latest = CORE_TABLE(struct latest, event)};
    enum core_status status = messages_gather(&g);

    if (status == CORE_OK)
        status = collectives_gather(&g);
    if (status == CORE_OK && out->count)
        qsort(out->wait, out->count, sizeof *out->wait, by_rank_and_end);
    core_table_done(&g.latest);
    return status;
}

void why_waits_done(struct why_waits *waits)
{
    CORE_ARRAY_DONE(waits->wait, waits->count, waits->room);
}
