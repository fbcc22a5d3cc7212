/* Sums up the records that a rank with CROSSWAIT_LAST drops (core/history), so that its launcher
 * can prove a hang, however long the job has run. Works when a part of the ring is full, and costs
 * the program's calls nothing before that.
 *
 * Invariants
 *  1. Only while one thread calls MPI: once there is a second lane of events, no more bases are
 *     made. Earlier bases stay valid, since the other threads' calls came after them.
 *  2. An error, or a bug of the recorder, ends only the summary. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/history/history.h"
#include "interpose/dropped_records.h"

enum {
    LANES = 2,            /* one of events, one of definitions */
    OUTSTANDING = 1 << 14 /* limit: a base would not hold more */
};

static struct base {
    struct history history;
    struct history_rank rank;
    struct history_lane kept;
    struct history_follower follower;
    struct spool_writer *definer;
    uint32_t (*lanes)(void);
    struct spool_delta again;   /* state of the records that were followed */
    uint64_t followed, defined; /* positions reached in both lanes */
    jmp_buf out;                /* target of a failed check */
} * base;
static _Thread_local bool summing;

/* Replaces the function of core/check.c, which is not linked: a failed check ends only the summary
 * (invariant 2). */
_Noreturn void core_check_failed(const char *file, int line, const char *expression)
{
    if (base && summing)
        longjmp(base->out, 1);
    fprintf(stderr, "crosswait: bug: %s:%d: check failed: %s\n", file, line, expression);
    abort();
}

static void base_end(void)
{
    history_rank_done(&base->rank);
    history_lane_done(&base->kept);
    core_table_done(&base->history.channels);
    event_view_done(&base->history.view);
    free(base);
    base = NULL;
}

static void take_definitions(const struct spool_writer *definer)
{
    uint64_t end = atomic_load_explicit(&definer->header->committed, memory_order_acquire);
    const struct spool_head *head;

    while ((head = spool_writer_record(definer, &base->defined, end)))
        history_define(&base->history, &base->rank, head);
    base->history.unclear |= base->defined < end;
}

static void take_events(const struct spool_writer *writer)
{
    uint64_t end = atomic_load_explicit(&writer->header->committed, memory_order_relaxed);
    const struct spool_head *head;

    take_definitions(base->definer);
    base->kept.inside_seen = writer->header->layer == SPOOL_LAYER_ON;
    while ((head = spool_writer_record(writer, &base->followed, end))) {
        head = spool_delta_whole(&base->again, head);
        if (!head)
            base->history.unclear = true;
        else if (history_take(&base->follower, head))
            history_follow(&base->follower);
    }
    base->history.unclear |= base->followed < end;
}

static size_t sum_up(struct spool_writer *writer, void *room, size_t bytes)
{
    uint64_t missed =
        atomic_load_explicit(&writer->header->lost, memory_order_relaxed) - writer->dropped_events;

    if (writer == base->definer) {
        take_definitions(writer);
        return 0;
    }
    if (!room) {
        take_events(writer);
        base->history.unclear |= missed > 0 || base->history.channels.count > OUTSTANDING ||
                                 requests_count(&base->rank.requests) > OUTSTANDING;
        return 0;
    }
    return history_base_make(&base->follower, writer->events, room, bytes);
}

static void dropped_records_unsaid(enum core_status status, const char *message, void *context)
{
    (void)status;
    (void)message;
    (void)context;
}

static size_t base_of(struct spool_writer *writer, void *room, size_t bytes, void *context)
{
    volatile size_t made = 0; /* survives longjmp */

    (void)context;
    if (!base || base->lanes() > LANES) /* invariant 1: checked before and after */
        return 0;
    core_report_hook(dropped_records_unsaid, NULL);
    summing = true;
    if (setjmp(base->out))
        base->history.unclear = true;
    else
        made = sum_up(writer, room, bytes);
    summing = false;
    core_report_hook(NULL, NULL);
    if (base->lanes() > LANES)
        return 0;
    if (base->history.unclear)
        base_end();
    return made;
}

void base_start(struct spool_writer *events, struct spool_writer *definitions,
                uint32_t (*lanes)(void))
{
    base = calloc(1, sizeof *base);
    if (!base)
        return;
    base->definer = definitions;
    base->lanes = lanes;
    base->history.rank_count = (uint32_t)events->header->world_size;
    history_rank_init(&base->rank);
    base->history.channels = (struct core_table)CORE_TABLE(struct history_channel, key);
    base->kept.rank = events->header->rank;
    base->kept.lane = events->header->lane;
    base->follower = (struct history_follower){
        .history = &base->history, .rank = &base->rank, .kept = &base->kept};
    spool_writer_base(events, base_of, NULL);
    spool_writer_base(definitions, base_of, NULL);
}
