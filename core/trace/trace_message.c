/* See trace_message.h. Counts messages by the shapes of their two sides. */
#include "core/trace/trace_message.h"

#include "core/array.h"
#include "core/check.h"
#include "core/table.h"
#include "core/trace/trace_part.h"

struct pair {
    int64_t send, receive;
};
struct seen {
    struct pair shapes;
    struct trace_message message; /* the first message */
};

/* Adds a message to those with the same shapes. */
static enum core_status seen_count(struct core_table *pairs, const struct pair *shapes,
                                   const struct trace_message *message)
{
    struct seen *seen;
    enum core_status status = core_table_put(pairs, shapes, "messages", &seen);

    if (status == CORE_OK && !seen->message.count)
        seen->message = *message;
    if (status == CORE_OK)
        CORE_CHECK(++seen->message.count); /* at most the number of calls */
    return status;
}

static enum core_status seen_tell(const struct core_table *pairs, trace_message_fn fn,
                                  void *context)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < pairs->count && status == CORE_OK; i++) {
        const struct seen *seen = core_table_at(pairs, i);
        CORE_CHECK(seen->message.count); /* seen_count set it */
        status = fn(&seen->message, context);
    }
    return status;
}

/* Reads the messages that a query returns as source, dest, send, receive and, if pairs is given,
 * the shapes of both. If pairs is given, counts them there instead of calling fn. */
static enum core_status trace_message_walk(struct trace *trace, const char *sql,
                                           struct core_table *pairs, trace_message_fn fn,
                                           void *context)
{
    sqlite3_stmt *stmt;
    int step = SQLITE_DONE;
    enum core_status status = trace_prepare(trace, sql, &stmt);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
        int64_t source = sqlite3_column_int64(stmt, 0), dest = sqlite3_column_int64(stmt, 1);
        struct trace_message message = {.source = (uint32_t)source,
                                        .dest = (uint32_t)dest,
                                        .send = (uint64_t)sqlite3_column_int64(stmt, 2),
                                        .receive = (uint64_t)sqlite3_column_int64(stmt, 3)};
        if (source < 0 || dest < 0 || source >= trace->rank_count || dest >= trace->rank_count)
            continue;
        if (!pairs && trace->shapes &&
            trace_row_is_left(trace->shapes, message.source, message.send))
            continue;
        if (pairs) {
            struct pair shapes = {sqlite3_column_int64(stmt, 4), sqlite3_column_int64(stmt, 5)};
            status = seen_count(pairs, &shapes, &message);
        } else {
            message.count = 1;
            status = fn(&message, context);
        }
    }
    if (status == CORE_OK && step != SQLITE_DONE)
        status = trace_damaged(trace, "its messages cannot be read");
    sqlite3_finalize(stmt);
    return status;
}

/* One thread sends and one receives the channel's messages with this tag. */
#define ONE_THREAD                                                                               \
    " AND (m.channel, m.tag) IN (SELECT n.channel, n.tag FROM message_row n JOIN channel d ON "  \
    "d.id = n.channel "                                                                          \
    "LEFT JOIN event_row a ON a.id = (d.source << 40) + n.send LEFT JOIN shape t ON t.id = "     \
    "a.shape "                                                                                   \
    "LEFT JOIN event_row b ON b.id = (d.dest << 40) + n.receive LEFT JOIN shape u ON u.id = "    \
    "b.shape WHERE NOT d.inner GROUP BY 1, 2 "                                                   \
    "HAVING ifnull(min(t.thread) = max(t.thread), 1) AND ifnull(min(u.thread) = max(u.thread), " \
    "1))"
/* The order of the channel's messages with this tag makes no difference. */
#define OVERTAKING                                                                             \
    " AND (c.comm NOT IN (SELECT comm FROM hint WHERE key IN (" MATCHING_REORDERING_KEYS       \
    ") AND given) OR (m.channel, m.tag) IN (SELECT n.channel, n.tag FROM message_row n JOIN "  \
    "channel d ON d.id = n.channel LEFT JOIN event_row a ON a.id = (d.source << 40) + n.send " \
    "WHERE NOT d.inner GROUP BY 1, 2 HAVING count(a.shape) = count(*) AND min(a.shape) = "     \
    "max(a.shape)))"
#define EACH                                                                                      \
    "SELECT c.source, c.dest, m.send, m.receive, s.shape, r.shape FROM channel c JOIN "           \
    "message_row m ON m.channel = c.id "                                                          \
    "JOIN event_row s ON s.id = (c.source << 40) + m.send JOIN event_row r ON r.id = (c.dest << " \
    "40) + m.receive WHERE NOT c.inner"

/* --- if the rows of all ranks are in memory --------------------------------------------------- */

struct channel {
    int64_t id;
    uint32_t source, dest;
};

/* Loads the application's channels between existing ranks. */
static enum core_status channels_load(struct trace *trace, struct core_table *channels)
{
    sqlite3_stmt *stmt;
    int step = SQLITE_DONE;
    enum core_status status =
        trace_prepare(trace, "SELECT id, source, dest FROM channel WHERE NOT inner", &stmt);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(stmt, 0), source = sqlite3_column_int64(stmt, 1),
                dest = sqlite3_column_int64(stmt, 2);
        struct channel *channel;
        if (source < 0 || dest < 0 || source >= trace->rank_count || dest >= trace->rank_count)
            continue;
        status = core_table_put(channels, &id, "channels", &channel);
        if (status != CORE_OK)
            break;
        channel->source = (uint32_t)source;
        channel->dest = (uint32_t)dest;
    }
    if (status == CORE_OK && step != SQLITE_DONE)
        status = trace_damaged(trace, "its messages cannot be read");
    sqlite3_finalize(stmt);
    return status;
}

static bool rows_are_kept(const struct trace *trace)
{
    bool kept = trace->shapes != NULL;

    for (uint32_t i = 0; i < trace->rank_count && kept; i++)
        kept = trace->shapes->rows[i].whole;
    return kept;
}

/* Counts one message of the channel. */
static enum core_status row_count(struct trace *trace, const struct channel *channel, uint64_t send,
                                  uint64_t receive, struct core_table *pairs)
{
    const struct trace_rows *source = &trace->shapes->rows[channel->source],
                            *dest = &trace->shapes->rows[channel->dest];
    uint32_t from = trace_rows_find(source, send), to = trace_rows_find(dest, receive);

    CORE_CHECK(channel->source < trace->rank_count); /* channels_load skips others */
    CORE_CHECK(channel->dest < trace->rank_count);
    if (from == UINT32_MAX || to == UINT32_MAX)
        return CORE_OK;
    struct pair shapes = {source->row[from].shape, dest->row[to].shape};
    return seen_count(
        pairs, &shapes,
        &(struct trace_message){
            .source = channel->source, .dest = channel->dest, .send = send, .receive = receive});
}

/* Counts a series of messages of the channel. The row of stmt holds the first send and receive,
 * their steps, and the number of messages. Skips the messages of calls that are left out. */
static enum core_status part_count(struct trace *trace, const struct channel *channel,
                                   sqlite3_stmt *stmt, struct core_table *pairs)
{
    const struct trace_left *left = &trace->shapes->left[channel->source];
    uint64_t send = (uint64_t)sqlite3_column_int64(stmt, 1),
             receive = (uint64_t)sqlite3_column_int64(stmt, 2),
             send_step = (uint64_t)sqlite3_column_int64(stmt, 3),
             receive_step = (uint64_t)sqlite3_column_int64(stmt, 4);
    int64_t messages = sqlite3_column_int64(stmt, 5);
    enum core_status status = CORE_OK;

    if (messages > TRACE_SUM_CALLS_MAX)
        return trace_damaged(trace, "its messages cannot be read");
    for (uint64_t n = 0; status == CORE_OK && (int64_t)n < messages; n++) {
        uint64_t at = send + n * send_step;
        uint32_t part = CORE_ARRAY_FIND(i, 0, left->count, left->part[i].end <= at);
        if (part == left->count || left->part[part].from > at)
            status = row_count(trace, channel, at, receive + n * receive_step, pairs);
        else if (send_step)
            n += (left->part[part].end - 1 - at) / send_step;
    }
    return status;
}

static enum core_status walk_rows(struct trace *trace, struct core_table *pairs)
{
    bool all = !trace->shapes->left;
    struct core_table channels = CORE_TABLE(struct channel, id);
    const struct channel *channel = NULL;
    sqlite3_stmt *stmt;
    int step = SQLITE_DONE;
    enum core_status status = channels_load(trace, &channels);

    CORE_CHECK(rows_are_kept(trace));
    if (status == CORE_OK)
        status = trace_prepare(
            trace,
            all ? "SELECT channel, send, receive FROM message_row WHERE send IS NOT NULL AND "
                  "receive IS NOT NULL"
                : "SELECT channel, send, receive, 0, 0, 1 FROM main.message_row WHERE send IS NOT "
                  "NULL AND receive IS NOT NULL UNION ALL SELECT channel, send, receive, "
                  "send_step, receive_step, messages FROM message_part",
            &stmt);
    if (status != CORE_OK) {
        core_table_done(&channels);
        return status;
    }
    while (status == CORE_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(stmt, 0);
        if (!channel || channel->id != id)
            channel = core_table_find(&channels, &id);
        if (channel && all)
            status = row_count(trace, channel, (uint64_t)sqlite3_column_int64(stmt, 1),
                               (uint64_t)sqlite3_column_int64(stmt, 2), pairs);
        else if (channel)
            status = part_count(trace, channel, stmt, pairs);
    }
    if (status == CORE_OK && step != SQLITE_DONE)
        status = trace_damaged(trace, "its messages cannot be read");
    sqlite3_finalize(stmt);
    core_table_done(&channels);
    return status;
}

enum core_status trace_messages_each(struct trace *trace, bool threads, trace_message_fn fn,
                                     void *context)
{
    struct core_table pairs = CORE_TABLE(struct seen, shapes);
    bool overtaking = false;
    for (uint32_t i = 0; i < trace->comm_count; i++)
        overtaking |= trace->comm[i].overtaking;
    enum core_status status =
        !threads && !overtaking && rows_are_kept(trace)
            ? walk_rows(trace, &pairs)
            : trace_message_walk(trace, threads ? EACH OVERTAKING ONE_THREAD : EACH OVERTAKING,
                                 &pairs, fn, context);

    if (status == CORE_OK)
        status = seen_tell(&pairs, fn, context);
    core_table_done(&pairs);
    return status;
}

enum core_status trace_messages_all(struct trace *trace, trace_message_fn fn, void *context)
{
    return trace_message_walk(
        trace,
        "SELECT c.source, c.dest, m.send, m.receive FROM channel c JOIN message_row m ON "
        "m.channel = c.id "
        "WHERE NOT c.inner AND m.send IS NOT NULL AND m.receive IS NOT NULL",
        NULL, fn, context);
}

/* Reads message_row only: messages in message_part always have both sides. */
enum core_status trace_messages_unreceived(struct trace *trace, trace_message_fn fn, void *context)
{
    return trace_message_walk(
        trace,
        "SELECT c.source, c.dest, m.send, m.receive FROM channel c JOIN main.message_row m ON "
        "m.channel = c.id WHERE NOT c.inner AND m.send IS NOT NULL AND m.receive IS NULL "
        "ORDER BY c.source, m.send",
        NULL, fn, context);
}

enum core_status trace_started_get(struct trace *trace, uint32_t rank, uint64_t start,
                                   struct trace_event *out_event)
{
    sqlite3_stmt *stmt;
    uint64_t seq = 0;
    enum core_status status = trace_prepare(
        trace,
        "SELECT max(m.id) FROM event_row e JOIN event_row m ON m.request = e.request AND m.id < "
        "e.id "
        "AND m.id >= (?1 << 40) JOIN shape s ON s.id = m.shape JOIN call c ON c.id = s.call "
        "WHERE e.id = (?1 << 40) + ?2 AND c.class IN ('send_init', 'recv_init')",
        &stmt);

    if (status != CORE_OK)
        return status;
    sqlite3_bind_int64(stmt, 1, rank);
    sqlite3_bind_int64(stmt, 2, (int64_t)start);
    if (sqlite3_step(stmt) == SQLITE_ROW)
        seq = (uint64_t)sqlite3_column_int64(stmt, 0) & ((UINT64_C(1) << 40) - 1);
    sqlite3_finalize(stmt);
    CORE_CHECK(rank < trace->rank_count);
    return seq ? trace_event_get(trace, rank, seq, out_event) : CORE_NOT_FOUND;
}

enum core_status trace_exact_each(struct trace *trace, trace_exact_fn fn, void *context)
{
    sqlite3_stmt *stmt;
    int step = SQLITE_DONE;
    enum core_status status = trace_prepare(
        trace,
        "SELECT c.dest, m.receive, h.event & 1099511627775, m.bytes FROM hint h CROSS JOIN channel "
        "c "
        "ON c.comm = h.comm AND c.dest = h.event >> 40 AND NOT c.inner CROSS JOIN message_row m ON "
        "m.channel = c.id WHERE h.key = '" MATCHING_HINT_EXACT_LENGTH_KEY
        "' AND h.given AND m.bytes >= 0 AND h.event = (SELECT max(i.event) FROM hint i WHERE "
        "i.comm = h.comm AND i.key = h.key AND i.event >= (c.dest << 40) AND i.event < (c.dest << "
        "40) + m.receive) ORDER BY 1, 2",
        &stmt);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
        int64_t rank = sqlite3_column_int64(stmt, 0);
        if (rank >= 0 && rank < trace->rank_count)
            status = fn((uint32_t)rank, (uint64_t)sqlite3_column_int64(stmt, 1),
                        (uint64_t)sqlite3_column_int64(stmt, 2),
                        (uint64_t)sqlite3_column_int64(stmt, 3), context);
    }
    if (status == CORE_OK && step != SQLITE_DONE)
        status = trace_damaged(trace, "its messages cannot be read");
    sqlite3_finalize(stmt);
    return status;
}

enum core_status trace_unreceived_each(struct trace *trace, trace_unreceived_fn fn, void *context)
{
    sqlite3_stmt *stmt;
    int step = SQLITE_DONE;
    enum core_status status = trace_prepare(
        trace,
        "SELECT c.id, u.rank, u.peer, u.tag, u.count FROM unreceived u JOIN comm c ON "
        "c.global = u.global ORDER BY 2, 1, 3, 4",
        &stmt);

    if (status != CORE_OK)
        return status;
    while (status == CORE_OK && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
        int64_t rank = sqlite3_column_int64(stmt, 1), count = sqlite3_column_int64(stmt, 4);
        const struct trace_unreceived sent = {.comm = sqlite3_column_int(stmt, 0),
                                              .rank = (uint32_t)rank,
                                              .peer = sqlite3_column_int(stmt, 2),
                                              .tag = sqlite3_column_int(stmt, 3),
                                              .count = (uint64_t)count};
        if (rank >= 0 && rank < trace->rank_count && count > 0)
            status = fn(&sent, context);
    }
    if (status == CORE_OK && step != SQLITE_DONE)
        status = trace_damaged(trace, "its messages cannot be read");
    sqlite3_finalize(stmt);
    return status;
}
