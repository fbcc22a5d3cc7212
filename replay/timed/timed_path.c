/* Finds why ranks wait, and the longest chain of causes. */
#include "core/array.h"
#include "replay/timed/timed_state.h"

uint64_t timed_ps(const struct timed_engine *e, uint64_t ticks)
{
    return ticks / e->scale + (ticks % e->scale >= e->scale - e->scale / 2 && e->scale > 1);
}

/* Splits the wait that `message` ended, from blocked_at until now: until both sides were posted,
 * then until its ports were free, then while it moved; the last part of that counts as sharing of
 * links. */
void timed_path_idle(struct timed_engine *e, uint32_t rank, const struct timed_message *m,
                     uint64_t started)
{
    uint64_t at = e->rank[rank].blocked_at;

    CORE_CHECK_HOT(m->ready <= e->now && started <= e->now);
    if (at >= e->now)
        return;
    if (m->ready > at) {
        if (m->flags & MESSAGE_SENT_LAST || (m->flags & MESSAGE_EAGER))
            timed_column_add(e, COLUMN_LATE_SENDER, rank, m->ready - at);
        else
            timed_column_add(e, COLUMN_LATE_RECEIVER, rank, m->ready - at);
        at = m->ready;
    }
    if (started > at) {
        if (e->shared && e->options.port == REPLAY_PORT_MULTI)
            timed_column_add(e, COLUMN_LINK, rank, started - at);
        else
            timed_column_add(e, COLUMN_PORT, rank, started - at);
        at = started;
    }
    uint64_t moving = e->now - at, alone = timed_duration(e, m);
    timed_column_add(e, COLUMN_TRANSFER, rank, moving < alone ? moving : alone);
    timed_column_add(e, COLUMN_LINK, rank, moving < alone ? 0 : moving - alone);
}

uint32_t timed_path_record(struct timed_engine *e, const struct timed_record *record)
{
    if (timed_failed(e, CORE_ARRAY_ROOM(e->record, e->record_room, (uint64_t)e->record_count + 2,
                                        "the critical path")))
        return 0;
    if (e->record_count == 0)
        e->record[e->record_count++] = (struct timed_record){0}; /* 0: no cause */
    CORE_CHECK_HOT(record->start <= record->end);
    CORE_CHECK_HOT(record->prev < e->record_count); /* causes come first */
    e->record[e->record_count] = *record;
    return e->record_count++;
}

/* Records a completed message. Its cause is the later post, or the port that became free last. */
uint32_t timed_path_message(struct timed_engine *e, uint32_t id, uint64_t started)
{
    const struct timed_message *m = &e->message[id];
    uint32_t prev;

    if (started > m->ready) {
        uint32_t send = e->cause[m->src].send_port, recv = e->cause[m->dst].recv_port;
        uint64_t send_end = send ? e->record[send].end : 0,
                 recv_end = recv ? e->record[recv].end : 0;
        prev = send_end >= recv_end ? send : recv;
    } else {
        prev = m->flags & (MESSAGE_SENT_LAST | MESSAGE_EAGER) ? e->side[id].send : e->side[id].recv;
    }
    uint32_t record = timed_path_record(e, &(struct timed_record){.start = started,
                                                                  .end = e->now,
                                                                  .amount = m->bytes,
                                                                  .rank = m->src,
                                                                  .peer = m->dst,
                                                                  .op = m->send_op,
                                                                  .prev = prev,
                                                                  .kind = REPLAY_STEP_MESSAGE});
    e->cause[m->src].send_port = record;
    e->cause[m->dst].recv_port = record;
    return record;
}

enum core_status timed_path_result(struct timed_engine *e, struct replay_timed_result *out)
{
    uint32_t last = 0, count = 0;
    uint64_t latest = 0;

    if (!e->cause)
        return CORE_OK;
    for (uint32_t r = 0; r < e->program->rank_count; r++)
        if (e->rank[r].flags & RANK_ENDED && e->rank[r].blocked_at > latest) {
            latest = e->rank[r].blocked_at;
            last = e->cause[r].rank;
        }
    for (uint32_t at = last; at; at = e->record[at].prev) {
        CORE_CHECK(at < e->record_count && e->record[at].prev < at); /* causes come first */
        count++;
    }
    out->step = core_alloc_zero(count ? count : 1, sizeof *out->step);
    if (!out->step)
        return core_report(CORE_NO_MEMORY, "out of memory for the critical path");
    out->step_count = count;
    for (uint32_t at = last; at; at = e->record[at].prev) {
        const struct timed_record *record = &e->record[at];
        out->step[--count] = (struct replay_timed_step){.start_ps = timed_ps(e, record->start),
                                                        .end_ps = timed_ps(e, record->end),
                                                        .amount = record->amount,
                                                        .rank = record->rank,
                                                        .peer = record->peer,
                                                        .op = record->op,
                                                        .kind = record->kind};
        if (record->kind == REPLAY_STEP_MESSAGE && record->rank != record->peer) {
            out->path_alphas++;
            out->path_bytes += record->amount;
        } else if (record->kind == REPLAY_STEP_COMBINE) {
            out->path_operations += record->amount;
        } else if (record->kind == REPLAY_STEP_COMPUTE) {
            out->path_compute_ps += record->amount;
        }
    }
    CORE_CHECK(count == 0);
    return CORE_OK;
}
