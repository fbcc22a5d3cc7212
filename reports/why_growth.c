/* Finds what grew while the job ran (why.h): the messages sent at a place, in four quarters by
 * time. Only steady growth counts: no quarter is below the one before. */
#include <sqlite3.h>

#include "core/array.h"
#include "reports/why.h"

enum {
    QUARTERS = 4,
    MESSAGES_LEAST = 16, /* per place */
    BYTES_FACTOR = 2,    /* from the first quarter to the last */
    AHEAD_FACTOR = 4,
    AHEAD_SHARE = 50 /* divisor: messages must wait for at least this share of the job's time at the
                        end */
};

/* Leaves out places if the send times of some of their messages are unknown. */
#define CALLS_OF                                                                                 \
    "m JOIN channel c ON c.id = m.channel JOIN event_row s ON s.id = (c.source << 40) + m.send " \
    "JOIN shape ss ON ss.id = s.shape JOIN event_row p ON p.id = (c.dest << 40) + m.receive "    \
    "WHERE "                                                                                     \
    "NOT c.inner"
static const char quarters_sql[] =
    "WITH unknown AS (SELECT DISTINCT ss.call AS call, ifnull(ss.site, 0) AS site FROM "
    "message_summed " CALLS_OF ") SELECT call, site, quarter, count(*), sum(bytes), "
    "sum(max(posted - sent, 0)) FROM (SELECT ss.call AS call, ifnull(ss.site, 0) AS site, m.bytes "
    "AS bytes, s.t_enter AS sent, p.t_enter AS posted, ntile(4) OVER (PARTITION BY ss.call, "
    "ss.site ORDER BY s.t_enter, s.id) AS quarter FROM message_timed " CALLS_OF
    ") WHERE (call, site) NOT IN unknown GROUP BY 1, 2, 3 ORDER BY 1, 2, 3";

struct quarter {
    uint64_t messages, bytes, ahead_ns;
};

/* Returns the means of the first and the last quarter; false if the quarters do not grow
 * steadily. */
static bool why_growth_grows(const struct quarter *quarter, bool ahead, uint64_t factor,
                             uint64_t *out_first, uint64_t *out_last)
{
    uint64_t before = 0, mean = 0;

    for (int i = 0; i < QUARTERS; i++) {
        mean = (ahead ? quarter[i].ahead_ns : quarter[i].bytes) / quarter[i].messages;
        if (mean < before)
            return false;
        before = mean;
        if (!i)
            *out_first = mean;
    }
    *out_last = mean;
    return mean > 0 && mean >= *out_first * factor;
}

static enum core_status place_add(struct why *why, struct why_call at,
                                  const struct quarter *quarter)
{
    struct why_growth growth = {.at = at};
    uint64_t span_ns = why->ranks ? why->elapsed_ns / why->ranks : 0;
    enum core_status status = CORE_OK;

    for (int i = 0; i < QUARTERS; i++)
        growth.messages += quarter[i].messages;
    if (growth.messages < MESSAGES_LEAST)
        return CORE_OK;
    if (why_growth_grows(quarter, false, BYTES_FACTOR, &growth.first, &growth.last))
        status = CORE_ARRAY_PUSH(why->growth, why->growth_count, why->growth_room,
                                 "the report's growth", growth);
    growth.ahead = true;
    if (status == CORE_OK &&
        why_growth_grows(quarter, true, AHEAD_FACTOR, &growth.first, &growth.last) &&
        growth.last * AHEAD_SHARE >= span_ns)
        status = CORE_ARRAY_PUSH(why->growth, why->growth_count, why->growth_room,
                                 "the report's growth", growth);
    return status;
}

enum core_status why_growth_gather(struct trace *trace, struct why *why)
{
    sqlite3_stmt *row = NULL;
    struct quarter quarter[QUARTERS];
    enum core_status status = CORE_OK;

    if (sqlite3_prepare_v2(trace->db, quarters_sql, -1, &row, NULL) != SQLITE_OK)
        return core_report(CORE_BAD_FORMAT, "cannot read '%s': %s", trace->path,
                           sqlite3_errmsg(trace->db));
    for (int expected = 0; status == CORE_OK && sqlite3_step(row) == SQLITE_ROW;) {
        struct why_call at = {.call = sqlite3_column_int(row, 0),
                              .site = sqlite3_column_int(row, 1)};
        int number = sqlite3_column_int(row, 2) - 1;
        if (number == 0)
            expected = 0;
        if (number != expected || at.call < 0 || (uint32_t)at.call >= trace->call_count)
            continue; /* a place with fewer messages than quarters */
        quarter[expected++] = (struct quarter){.messages = (uint64_t)sqlite3_column_int64(row, 3),
                                               .bytes = (uint64_t)sqlite3_column_int64(row, 4),
                                               .ahead_ns = (uint64_t)sqlite3_column_int64(row, 5)};
        if (expected == QUARTERS)
            status = place_add(why, at, quarter);
    }
    sqlite3_finalize(row);
    return status;
}
