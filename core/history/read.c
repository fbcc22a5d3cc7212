/* Reads the history of a job from its spools (history.h). */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/history/history.h"
#include "core/spool/spool_read.h"

struct lane_state {
    struct history_follower follower;
    struct spool_reader reader;
    bool open, more; /* more: the follower's event is the next call that returned */
};

/* Reads up to the next call of the application that returned, with its committed records. False:
 * there is none. */
static bool lane_next(struct lane_state *lane)
{
    const struct spool_head *head;

    CORE_CHECK(lane->open);
    while ((head = spool_reader_next(&lane->reader)))
        if (history_take(&lane->follower, head))
            return true;
    return false;
}

/* Takes the application's own call that the lane is in, and the arguments written before it. */
static void lane_open_call(struct lane_state *lane, const struct spool_header *header)
{
    struct history_rank *rank = lane->follower.rank;
    const struct history_lane *kept = lane->follower.kept;
    struct history_open *open;

    if (!spool_is_inside(header))
        return;
    if (CORE_ARRAY_PUSH(rank->open, rank->open_count, rank->open_room, "open calls",
                        (struct history_open){.lane = kept->lane,
                                              .event = header->open[spool_innermost(header)]})) {
        lane->follower.history->unclear = true;
        return;
    }
    open = &rank->open[rank->open_count - 1];
    if (open->event.parent) {
        open->event.head.a = UINT16_MAX; /* not the application's: its needs are unknown */
        return;
    }
    if (kept->recv_half.seq == open->event.seq && kept->recv_half.head.words) {
        open->has_recv_half = true;
        open->recv_half = kept->recv_half;
    }
    if (kept->arg_seq == open->event.seq) {
        open->arg_count = kept->arg_count;
        memcpy(open->arg, kept->arg, sizeof open->arg);
    }
    open->of_null = kept->null_seq == open->event.seq;
    const struct history_space *space = history_space_of_open(rank, open);
    if (space)
        open->coll = history_coll_of(rank, space, kept, &open->event);
    if (kept->list_seq != open->event.seq || !kept->list_count)
        return;
    if (CORE_ARRAY_NEW(open->request, kept->list_count, "requests of open calls")) {
        lane->follower.history->unclear = true;
        return;
    }
    for (uint32_t i = 0; i < kept->list_count; i++)
        open->request[i] = (uint32_t)kept->list[i];
    open->request_count = kept->list_count;
    open->request_total = kept->list_total;
}

static enum core_status lane_begin(struct lane_state *lane)
{
    const struct history *history = lane->follower.history;
    struct history_lane *kept = lane->follower.kept;
    const struct history_job *job = &history->job[lane->follower.rank->job];
    enum core_status status =
        spool_reader_open(&lane->reader, job->path, kept->rank - (int32_t)job->base, kept->lane);

    if (status != CORE_OK)
        return status;
    lane->open = lane->follower.rank->present = true;
    kept->based = lane->reader.header.flags & SPOOL_FLAG_LAST && lane->reader.header.drained
                      ? HISTORY_BASE_EXPECTED
                      : HISTORY_BASE_NONE;
    kept->base_events = 0;
    kept->inside_seen = lane->reader.header.layer == SPOOL_LAYER_ON;
    if (kept->position &&
        (!kept->again || spool_reader_resume(&lane->reader, kept->position, kept->again)))
        lane->follower.history->unclear = true;
    return CORE_OK;
}

/* Takes the base as the sum of the dropped records, unless anything else was lost. */
static void lane_end(struct lane_state *lane)
{
    const struct spool_header *header = &lane->reader.header;
    struct history_lane *kept = lane->follower.kept;

    CORE_CHECK(lane->open);
    if (lane->reader.torn || header->lost != kept->base_events || header->stopped ||
        header->flags & (SPOOL_FLAG_FILTERED | SPOOL_FLAG_UNSEEN) ||
        (header->flags & SPOOL_FLAG_LAST && lane->follower.history->job_count > 1) ||
        kept->based == HISTORY_BASE_EXPECTED || kept->based == HISTORY_BASE_TAKING)
        lane->follower.history->unclear = true;
    lane_open_call(lane, header);
    kept->position = spool_reader_position(&lane->reader);
    if (!kept->again && CORE_ARRAY_NEW(kept->again, 1, "reading spools"))
        lane->follower.history->unclear = true;
    else
        spool_delta_copy(kept->again, &lane->reader.again);
}

static void lane_rewind(struct history_lane *kept)
{
    kept->position = 0;
    kept->done_count = kept->list_count = 0;
    kept->list_seq = kept->arg_seq = kept->null_seq = 0;
    memset(&kept->recv_half, 0, sizeof kept->recv_half);
    for (uint32_t i = 0; i < HISTORY_PARTS; i++)
        kept->part[i].seq = kept->part[i].count = 0;
}

static void opens_free(struct history_rank *rank)
{
    for (uint32_t i = 0; i < rank->open_count; i++)
        free(rank->open[i].request);
    CORE_ARRAY_DONE(rank->open, rank->open_count, rank->open_room);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void finalize_spaces(struct history *history)
{
    for (uint32_t r = 0; r < history->rank_count; r++) {
        const struct history_job *job = &history->job[history->rank[r].job];
        struct history_space made = {.key = {.kind = HISTORY_SPACE_FINALIZE},
                                     .global = history_job_global(history->rank[r].job, 0),
                                     .size = job->rank_count};
        struct history_space *space = history_space_add(history, &history->rank[r], &made);

        for (uint32_t i = 0; space && i < job->rank_count; i++)
            space->member[i] = (int32_t)(job->base + i);
    }
}

static enum core_status lanes_find(struct history *history, const struct spool_lane_name *name,
                                   uint32_t count)
{
    struct history_lane *lane = NULL;
    enum core_status status = CORE_ARRAY_NEW(lane, count, "lanes");

    CORE_CHECK(name != NULL || !count);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        lane[i] = (struct history_lane){.rank = name[i].rank, .lane = name[i].lane};
        for (uint32_t k = 0; k < history->lane_count; k++)
            if (history->lane[k].rank == name[i].rank && history->lane[k].lane == name[i].lane) {
                lane[i] = history->lane[k];
                memset(&history->lane[k], 0, sizeof history->lane[k]);
                history->lane[k].rank = -1;
            }
    }
    for (uint32_t k = 0; k < history->lane_count; k++)
        history_lane_done(&history->lane[k]);
    free(history->lane);
    history->lane = lane;
    history->lane_count = count;
    return CORE_OK;
}

static enum core_status history_start(struct history *history, uint32_t rank_count)
{
    enum core_status status = CORE_ARRAY_NEW(history->rank, rank_count, "ranks");

    if (status != CORE_OK)
        return status;
    CORE_CHECK(history->rank != NULL || !rank_count);
    history->rank_count = rank_count;
    history->channels = (struct core_table)CORE_TABLE(struct history_channel, key);
    for (uint32_t r = 0; r < rank_count; r++) {
        struct history_rank *rank = &history->rank[r];

        history_rank_init(rank);
        while (r >= history->job[rank->job].base + history->job[rank->job].rank_count)
            rank->job++;
    }
    finalize_spaces(history);
    return CORE_OK;
}

/* Takes the definitions of a lane first, as one thread may use what another one defined. */
static enum core_status definitions_take(struct lane_state *lane)
{
    const struct spool_head *head;
    enum core_status status;

    CORE_CHECK(!lane->open);
    lane_rewind(lane->follower.kept);
    status = lane_begin(lane);
    if (status != CORE_OK)
        return status;
    while ((head = spool_reader_next(&lane->reader)))
        history_define(lane->follower.history, lane->follower.rank, head);
    spool_reader_close(&lane->reader);
    lane->open = false;
    return CORE_OK;
}

static struct lane_state *lane_earliest(struct lane_state *lane, uint32_t count)
{
    struct lane_state *earliest = NULL;

    for (uint32_t i = 0; i < count; i++)
        if (lane[i].more &&
            (!earliest || lane[i].follower.event.t_leave < earliest->follower.event.t_leave))
            earliest = &lane[i];
    return earliest;
}

static enum core_status lanes_take(struct lane_state *lane, uint32_t count)
{
    enum core_status status = CORE_OK;
    struct lane_state *next;

    for (uint32_t i = 0; i < count && count > 1 && status == CORE_OK; i++)
        status = definitions_take(&lane[i]);
    for (uint32_t i = 0; i < count && status == CORE_OK; i++)
        status = lane_begin(&lane[i]);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < count; i++)
        lane[i].more = lane_next(&lane[i]);
    while ((next = lane_earliest(lane, count))) {
        history_follow(&next->follower);
        next->more = lane_next(next);
    }
    for (uint32_t i = 0; i < count; i++)
        lane_end(&lane[i]);
    return CORE_OK;
}

/* Counts the lanes of threads: with --last, definitions have a lane of their own. */
static uint32_t lanes_of_threads(const struct lane_state *lane, uint32_t count)
{
    uint32_t newest = 0;

    for (uint32_t i = 0; i < count; i++)
        newest += (lane[i].reader.header.flags & SPOOL_FLAG_LAST) != 0;
    return newest ? newest : count;
}

/* Takes the lanes first .. end of one rank. */
static enum core_status rank_take(struct history *history, uint32_t first, uint32_t end)
{
    struct history_rank *rank = &history->rank[history->lane[first].rank];
    struct lane_state *lane = NULL;
    enum core_status status = CORE_ARRAY_NEW(lane, end - first, "lanes");

    CORE_CHECK(first < end);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < end - first; i++)
        lane[i].follower = (struct history_follower){
            .history = history, .rank = rank, .kept = &history->lane[first + i]};
    status = lanes_take(lane, end - first);
    rank->lanes = status == CORE_OK ? lanes_of_threads(lane, end - first) : 0;
    for (uint32_t i = 0; i < end - first; i++)
        if (lane[i].open)
            spool_reader_close(&lane[i].reader);
    free(lane);
    return status;
}

/* Lists the lanes of all jobs, by rank of the history. */
static enum core_status lanes_list(const struct history *history, struct spool_lane_name **out_name,
                                   uint32_t *out_count)
{
    struct spool_lane_name *all = NULL;
    uint32_t all_count = 0, room = 0;
    enum core_status status = CORE_OK;

    for (uint32_t j = 0; j < history->job_count && status == CORE_OK; j++) {
        const struct history_job *job = &history->job[j];
        struct spool_lane_name *name = NULL;
        uint32_t count = 0;

        CORE_CHECK(job->path != NULL);
        status = spool_lanes_list(job->path, &name, &count);
        for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
            if (name[i].rank < 0 || (uint32_t)name[i].rank >= job->rank_count)
                status = CORE_BAD_FORMAT;
            name[i].rank += (int32_t)job->base;
            if (status == CORE_OK)
                status = CORE_ARRAY_PUSH(all, all_count, room, "lanes", name[i]);
        }
        free(name);
    }
    if (status != CORE_OK) {
        free(all);
        return status;
    }
    *out_name = all;
    *out_count = all_count;
    return CORE_OK;
}

static enum core_status jobs_take(struct history *history, uint32_t rank_count)
{
    struct spool_lane_name *name = NULL;
    uint32_t count = 0;
    bool several = history->job_count > 1;
    enum core_status status = lanes_list(history, &name, &count);
    const struct history now = *history;

    CORE_CHECK(history->job != NULL);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 1; i < count; i++)
        several |= name[i].rank == name[i - 1].rank;
    if (history->rank_count != rank_count || several) {
        history_done(history);
        history->job = now.job;
        history->link = now.link;
        history->job_count = now.job_count;
        history->link_count = now.link_count;
    }
    if (!history->rank)
        status = history_start(history, rank_count);
    if (status == CORE_OK)
        status = lanes_find(history, name, count);
    for (uint32_t r = 0; r < rank_count && status == CORE_OK; r++)
        opens_free(&history->rank[r]);
    for (uint32_t i = 0, end; i < count && status == CORE_OK; i = end) {
        for (end = i; end < count && name[end].rank == name[i].rank; end++)
            continue;
        status = rank_take(history, i, end);
    }
    free(name);
    return status;
}

enum core_status history_read_jobs(const struct history_job *job, uint32_t job_count,
                                   const struct history_link *link, uint32_t link_count,
                                   struct history *history)
{
    CORE_CHECK(job_count > 0);
    const struct history_job *last = &job[job_count - 1];
    enum core_status status;

    history->job = job;
    history->job_count = job_count;
    history->link = link;
    history->link_count = link_count;
    status = jobs_take(history, last->base + last->rank_count);
    if (status != CORE_OK)
        history_done(history);
    history->job = NULL;
    history->link = NULL;
    return status;
}

enum core_status history_read(const char *job_path, uint32_t rank_count, struct history *history)
{
    const struct history_job job = {.path = job_path, .rank_count = rank_count};

    return history_read_jobs(&job, 1, NULL, 0, history);
}

void history_done(struct history *history)
{
    for (uint32_t r = 0; history->rank && r < history->rank_count; r++) {
        opens_free(&history->rank[r]);
        history_rank_done(&history->rank[r]);
    }
    for (uint32_t k = 0; k < history->lane_count; k++)
        history_lane_done(&history->lane[k]);
    free(history->lane);
    free(history->rank);
    core_table_done(&history->channels);
    event_view_done(&history->view);
    memset(history, 0, sizeof *history);
}
