/* Finds where the ranks were when a job ended badly: the last call of each thread, grouped. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/wording.h"
#include "core/array.h"
#include "reports/report.h"

enum {
    EVENTS_LOOKED_AT_MAX = 4096, /* events of a rank searched for the last call of each of its
                                    threads */
    EVENTS_BEHIND_MAX = 1 << 16, /* the same, with those inside of collectives */
    THREADS_MAX = 64,            /* threads of a rank that are kept apart */
    CALLBACKS_MAX = 64           /* further events searched for the calls in whose callbacks the
                                    last ones were made */
};

struct group {
    struct report_last last;
    int32_t call, site;
    uint32_t *rank, count, room;
};
struct gathering {
    struct report_facts *facts;
    struct group *group;
    uint32_t count, room;
};

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Adds a rank to the group of its key. since_ns: when the rank got there. */
static enum core_status group_add(struct gathering *g, uint32_t rank, struct group key,
                                  uint64_t since_ns)
{
    uint32_t at = 0;

    while (at < g->count && !(g->group[at].call == key.call && g->group[at].site == key.site &&
                              g->group[at].last.pending == key.last.pending &&
                              g->group[at].last.state == key.last.state &&
                              same_text(g->group[at].last.detail, key.last.detail)))
        at++;
    if (at == g->count) {
        key.last.since_first_ns = key.last.since_last_ns = since_ns;
        key.last.rank = rank;
        enum core_status status =
            CORE_ARRAY_PUSH(g->group, g->count, g->room, "the report's last calls", key);
        if (status != CORE_OK)
            return status;
    }
    struct group *group = &g->group[at];
    if (since_ns < group->last.since_first_ns)
        group->last.since_first_ns = since_ns;
    if (since_ns > group->last.since_last_ns)
        group->last.since_last_ns = since_ns;
    return CORE_ARRAY_PUSH(group->rank, group->count, group->room, "the report's last calls", rank);
}

static struct group group_of(const struct trace *trace, uint32_t rank)
{
    return (struct group){
        .last = {.state = trace->rank[rank].state, .detail = trace->rank[rank].detail},
        .call = -1,
        .site = -1};
}

struct lasts { /* last calls of a rank's threads */
    struct {
        int thread;
        struct group key;
        uint64_t since_ns;
    } last[THREADS_MAX];
    int count;
};

/* Notes a row, read from the last event backwards. A thread's last call is the one it is in, if
 * any; calls made in that call's callbacks have later events. */
static void last_note(struct lasts *lasts, const struct group *key, sqlite3_stmt *row)
{
    int thread = sqlite3_column_int(row, 0), at = 0;
    bool pending = sqlite3_column_int(row, 5); /* a call with summed times has left */

    while (at < lasts->count && lasts->last[at].thread != thread)
        at++;
    if (at == THREADS_MAX || (at < lasts->count && (lasts->last[at].key.last.pending || !pending)))
        return;
    lasts->count += at == lasts->count;
    lasts->last[at].thread = thread;
    lasts->last[at].key = *key;
    lasts->last[at].key.call = sqlite3_column_int(row, 1);
    lasts->last[at].key.site = sqlite3_column_int(row, 2);
    lasts->last[at].key.last.pending = pending;
    lasts->last[at].since_ns =
        (uint64_t)sqlite3_column_int64(row, 3) + (uint64_t)sqlite3_column_int64(row, 4);
}

static bool are_inside(const struct lasts *lasts)
{
    for (int i = 0; i < lasts->count; i++)
        if (!lasts->last[i].key.last.pending)
            return false;
    return true;
}

static enum core_status rank_gather(struct gathering *g, sqlite3_stmt *row, uint32_t rank)
{
    const struct trace *trace = g->facts->trace;
    struct group key = group_of(trace, rank);
    struct lasts lasts = {.count = 0};
    int threads = (int)trace->rank[rank].threads, further = 0;
    enum core_status status = CORE_OK;

    if (trace->rank[rank].state == EVENT_RANK_FINISHED)
        return group_add(g, rank, key, 0);
    if (threads > THREADS_MAX)
        threads = THREADS_MAX;
    sqlite3_reset(row);
    sqlite3_bind_int64(row, 1, rank);
    sqlite3_bind_int64(row, 2, EVENTS_LOOKED_AT_MAX);
    sqlite3_bind_int64(row, 3, EVENTS_BEHIND_MAX);
    while ((lasts.count < threads || (!are_inside(&lasts) && further++ < CALLBACKS_MAX)) &&
           sqlite3_step(row) == SQLITE_ROW)
        last_note(&lasts, &key, row);
    for (int i = 0; i < lasts.count && status == CORE_OK; i++)
        status = group_add(g, rank, lasts.last[i].key, lasts.last[i].since_ns);
    return status == CORE_OK && !lasts.count ? group_add(g, rank, key, 0) : status;
}

static int group_compare(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    bool fine = x->last.state == EVENT_RANK_FINISHED;

    if (fine != (y->last.state == EVENT_RANK_FINISHED))
        return fine ? 1 : -1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (x->last.rank > y->last.rank) - (x->last.rank < y->last.rank);
}

static enum core_status last_add(struct report_facts *facts, const struct group *group)
{
    const struct trace *trace = facts->trace;
    struct report_last last = group->last;

    last.count = group->count;
    last.ranks = wording_ranks_short(group->rank, group->count);
    if (group->call >= 0 && (uint32_t)group->call < trace->call_count) {
        last.call = trace->call[group->call].name;
        last.where = source_place(facts->source, trace, group->site);
    }
    enum core_status status =
        last.ranks ? CORE_ARRAY_PUSH(facts->last, facts->last_count, facts->last_room,
                                     "the report's last calls", last)
                   : core_report(CORE_NO_MEMORY, "out of memory for the report's last calls");
    if (status != CORE_OK) {
        free(last.ranks);
        free(last.where);
    }
    return status;
}

static bool ended_well(const struct report_facts *facts)
{
    return facts->reason == ENDING_NONE &&
           facts->ranks_in_state[EVENT_RANK_FINISHED] == facts->trace->rank_count;
}

enum core_status report_last_gather(struct report_facts *facts)
{
/* The rank's last event, and so many before it: to sort its events from the last one backwards, all
 * of them would be read. */
#define EVENTS_OF_RANK "WHERE id >= ?1 << 40 AND id < (?1 + 1) << 40"
    static const char sql[] =
        "SELECT s.thread, s.call, s.site, ifnull(e.t_enter, (SELECT t_leave FROM event_sum "
        "WHERE id <= e.id ORDER BY id DESC LIMIT 1)), e.duration, e.t_enter IS NOT NULL AND "
        "e.duration IS NULL FROM event_row e JOIN shape s ON s.id = e.shape WHERE e.id >= max(?1 "
        "<< 40, ifnull((SELECT max(last) FROM "
        "(SELECT max(id) AS last FROM main.event_row " EVENTS_OF_RANK
        " UNION ALL SELECT max(id) + calls - 1 FROM event_part " EVENTS_OF_RANK
        " UNION ALL SELECT max(id) + calls - 1 FROM event_sum " EVENTS_OF_RANK
        ")), 0) - ?3) AND e.id < (?1 + 1) << 40 AND s.parent_back IS NULL "
        "ORDER BY e.id DESC LIMIT ?2";
    struct gathering g = {.facts = facts};
    sqlite3_stmt *row = NULL;
    enum core_status status = CORE_OK;

    if (ended_well(facts))
        return CORE_OK;
    if (sqlite3_prepare_v2(facts->trace->db, sql, -1, &row, NULL) != SQLITE_OK)
        return core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", facts->trace->path,
                           sqlite3_errmsg(facts->trace->db));
    for (uint32_t rank = 0; rank < facts->trace->rank_count && status == CORE_OK; rank++)
        status = rank_gather(&g, row, rank);
    sqlite3_finalize(row);
    if (g.count)
        qsort(g.group, g.count, sizeof *g.group, group_compare);
    for (uint32_t i = 0; i < g.count && status == CORE_OK; i++)
        status = last_add(facts, &g.group[i]);
    for (uint32_t i = 0; i < g.count; i++)
        free(g.group[i].rank);
    free(g.group);
    return status;
}
