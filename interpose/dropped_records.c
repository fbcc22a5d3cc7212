/* A rank that keeps its newest records only sums up what it drops (core/history): so that its
 * launcher can prove a hang however long the job has run. Records are followed when a part of the
 * ring is full, none in the program's calls before that.
 *
 * Invariants
 *  1. Only while one thread calls MPI: as soon as there is a second lane of events, no more bases
 *     are made. Those made before hold, as whatever the other threads did came after them.
 *  2. Trouble, and bugs of ours as well, end the summing up, and nothing else. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/history/history.h"
#include "interpose/dropped_records.h"

enum {
    LANES = 2,            /* of events, and of definitions */
    OUTSTANDING = 1 << 14 /* more is not kept: no base would hold it */
};

static struct base {
    struct history history;
    struct history_rank rank;
    struct history_lane kept;
    struct history_follower follower;
    struct spool_writer *definer;
    uint32_t (*lanes)(void);
    struct spool_delta again;   /* of the records that were followed */
    uint64_t followed, defined; /* up to where, in both lanes */
    jmp_buf out;                /* of a failed check */
} * base;
static _Thread_local bool summing;

/* The leaf's own (core/check.c is not linked): what fails while we sum up ends only that
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
    volatile size_t made = 0; /* across setjmp */

    (void)context;
    if (!base || base->lanes() > LANES) /* invariant 1: asked before and after */
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
