/* See history.h. Relies on core/spool/spool_read.h, which checks every length, so that records may
 * be trusted here. */
#include "launch/proof/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/array.h"
#include "core/random.h"
#include "core/spool/spool_read.h"

struct lane_state {
    struct proof_history *history;
    struct proof_rank *rank;
    struct proof_lane *kept;
    int32_t world;
    struct spool_reader reader;
    struct spool_event event; /* the next call of the application that returned */
    bool open, more;
};

/* --- channels and requests -------------------------------------------------------------------- */

static struct proof_channel_key channel_key(uint64_t global, int32_t source, int32_t dest,
                                            int32_t tag)
{
    return (struct proof_channel_key){.global = global, .source = source, .dest = dest, .tag = tag};
}

const struct proof_channel *proof_channel_find(const struct proof_history *history, uint64_t global,
                                               int32_t source, int32_t dest, int32_t tag)
{
    struct proof_channel_key key = channel_key(global, source, dest, tag);

    return core_table_find(&history->channels, &key);
}

/* The channel, made if need be. NULL: out of memory, history is unclear. */
static struct proof_channel *channel_get(struct proof_history *history, uint64_t global,
                                         int32_t source, int32_t dest, int32_t tag)
{
    struct proof_channel_key key = channel_key(global, source, dest, tag);
    struct proof_channel *channel;

    if (core_table_put(&history->channels, &key, "channels", &channel)) {
        history->unclear = true;
        return NULL;
    }
    return channel;
}

const struct proof_space *proof_request_space(const struct proof_rank *rank,
                                              const struct request *request)
{
    uint32_t space = request->own[PROOF_SPACE];

    return space ? proof_space_find(rank, PROOF_SPACE_COMM, space - 1) : NULL;
}

int32_t proof_request_world(const struct proof_rank *rank, const struct request *request)
{
    const struct proof_space *space = proof_request_space(rank, request);

    return space ? proof_space_world(space, request->peer) : EVENT_NONE;
}

uint64_t proof_request_number(const struct request *request)
{
    return (uint64_t)request->own[PROOF_NUMBER] << 32 | request->own[PROOF_NUMBER + 1];
}

static void request_number(struct request *request, uint64_t number)
{
    request->own[PROOF_NUMBER] = (uint32_t)(number >> 32);
    request->own[PROOF_NUMBER + 1] = (uint32_t)number;
}

/* --- events ----------------------------------------------------------------------------------- */

static void space_enter(struct lane_state *lane, struct proof_space *space,
                        const struct spool_event *event)
{
    if (!space->entered++)
        space->lane = lane->kept->lane;
    space->mixed |= space->lane != lane->kept->lane;
    space->recent[space->entered % PROOF_RECENT] = proof_coll_of(lane->rank, event);
}

/* Partitioned requests meet their partners, and no others: as if on a communicator of their own. */
uint64_t proof_request_global(const struct proof_space *space, const struct request *request)
{
    return request->pair ? core_random_mix(space->global + request->pair) : space->global;
}

static void post_send(struct lane_state *lane, struct request *request)
{
    const struct proof_space *space = proof_request_space(lane->rank, request);
    int32_t dest = proof_request_world(lane->rank, request);
    struct proof_channel *channel;

    if (dest == EVENT_PROC_NULL)
        return;
    if (dest < 0) {
        lane->history->unclear = true;
        return;
    }
    channel = channel_get(lane->history, proof_request_global(space, request), lane->world, dest,
                          request->tag);
    if (!channel)
        return;
    if (!channel->sent)
        channel->lane = lane->kept->lane;
    channel->mixed |= channel->lane != lane->kept->lane;
    channel->buffered |= request->mode == EVENT_MODE_BUFFERED;
    request_number(request, ++channel->sent);
}

static void take_message(struct lane_state *lane, const struct request *request, int32_t source,
                         int32_t tag)
{
    const struct proof_space *space =
        proof_space_find(lane->rank, PROOF_SPACE_COMM, (uint32_t)request->comm);
    struct proof_channel *channel;
    int32_t from;

    if (source == EVENT_PROC_NULL)
        return;
    from = space ? proof_space_world(space, source) : EVENT_NONE;
    if (from < 0 || tag == EVENT_NONE) {
        lane->history->unclear = true;
        return;
    }
    channel =
        channel_get(lane->history, proof_request_global(space, request), from, lane->world, tag);
    if (channel)
        channel->received++;
}

static void post_collective(struct lane_state *lane, const struct spool_event *event,
                            enum event_class class)
{
    struct proof_space *space = proof_space_of_call(lane->rank, event, class, false);

    if (space)
        space_enter(lane, space, event);
}

/* A call that was refused: the other members may have been refused, too, or count one more. What
 * fails on a file has failed in the middle of the call, after all had come. */
static void post_refused(struct lane_state *lane, const struct spool_event *event,
                         enum event_class class)
{
    struct proof_space *space = proof_space_of_call(lane->rank, event, class, true);

    if (space && class == EVENT_CLASS_FILE_COLL)
        space_enter(lane, space, event);
    else if (space)
        space->uneven = true;
}

/* Sends, receives, and non-blocking collectives on a communicator count there; what others need is
 * not followed. */
static struct proof_space *request_place(struct lane_state *lane, const struct trace_event *event,
                                         struct request *request)
{
    struct proof_space *space =
        proof_space_find(lane->rank, PROOF_SPACE_COMM, (uint32_t)request->comm);

    if (request->matched || request->kind > REQUEST_COLLECTIVE ||
        event->class == EVENT_CLASS_FILE_COLL)
        return NULL;
    if (!space)
        lane->history->unclear = true;
    else if (event->class != EVENT_CLASS_COLL_INIT)
        request->own[PROOF_SPACE] = space->key.id + 1;
    return space;
}

static void begun(struct lane_state *lane, const struct trace_event *event, struct request *request)
{
    struct proof_space *space;

    if (request->kind == REQUEST_COLLECTIVE && !request->id) {
        post_collective(lane, &lane->event, event->class);
        return;
    }
    space = request->persistent ? NULL : request_place(lane, event, request);
    if (request->kind == REQUEST_SEND) {
        post_send(lane, request);
    } else if (event->class == EVENT_CLASS_FILE_COLL) {
        post_collective(lane, &lane->event, event->class);
    } else if (request->kind == REQUEST_COLLECTIVE && space) {
        space_enter(lane, space, &lane->event);
        request_number(request, space->entered);
    }
}

static void made(struct lane_state *lane, const struct trace_event *event, struct request *request)
{
    struct proof_space *space = request_place(lane, event, request);

    if (space && request->kind == REQUEST_COLLECTIVE)
        space_enter(lane, space, &lane->event);
}

static enum core_status step_take(enum request_step step, const struct trace_event *event,
                                  struct request *request, const struct trace_completion *done,
                                  void *context)
{
    struct lane_state *lane = context;
    bool receives = request->kind == REQUEST_RECEIVE;

    switch (step) {
    case REQUEST_MADE:
        made(lane, event, request);
        break;
    case REQUEST_MATCHED:
        take_message(lane, request, request->peer, request->tag);
        break;
    case REQUEST_BEGUN:
        if (!event->error || request->kind != REQUEST_COLLECTIVE)
            begun(lane, event, request);
        break;
    case REQUEST_DONE:
        if (receives && !request->matched && !done->cancelled && (!request->id || !done->error))
            take_message(lane, request, done->source, done->tag);
        break;
    case REQUEST_FREED: /* it still takes a message, and nobody will say which */
        lane->history->unclear |= request->active && request->kind != REQUEST_SEND;
        break;
    case REQUEST_ARMED: /* nothing is sent yet */
        break;
    }
    return CORE_OK;
}

static bool on_epochs(enum event_class class)
{
    switch (class) {
    case EVENT_CLASS_RMA_POST:
    case EVENT_CLASS_RMA_START:
    case EVENT_CLASS_RMA_COMPLETE:
    case EVENT_CLASS_RMA_WAIT:
    case EVENT_CLASS_RMA_TEST:
    case EVENT_CLASS_RMA_LOCK:
    case EVENT_CLASS_RMA_UNLOCK:
    case EVENT_CLASS_RMA_FLUSH:
    case EVENT_CLASS_RMA:
        return true;
    default:
        return false;
    }
}

/* The statuses that were kept are the event's own from now on; they are needed once. */
static void follow(struct lane_state *lane, const struct proof_call *call)
{
    const struct spool_event *event = &lane->event;
    struct proof_lane *kept = lane->kept;
    bool listed = kept->list_seq == event->seq;
    uint32_t own = 0;

    for (uint32_t i = 0; i < kept->done_count; i++)
        if (kept->done[i].seq == event->seq)
            kept->done[own++] = kept->done[i];
    kept->done_count = 0;
    struct event_parts parts = {.class = (enum event_class)call->class,
                                .mode = (enum event_mode)call->mode,
                                .traits = call->traits,
                                .request = kept->list,
                                .request_count = listed ? kept->list_count : 0,
                                .done = kept->done,
                                .done_count = own,
                                .bytes =
                                    (uint64_t)proof_bytes(lane->rank, event->type, event->count)};
    if (kept->leg.seq == event->seq && kept->leg.head.words)
        parts.leg = &kept->leg;
    if (trait_in(call->traits, TRAIT_MATCHED) && kept->arg_seq == event->seq && kept->arg_count)
        parts.message = (uint64_t)kept->arg[0];
    struct proof_history *history = lane->history;
    if (event_view_set(&history->view, event, &parts) ||
        requests_follow(&lane->rank->requests, &history->view.event, step_take, lane))
        history->unclear = true;
}

static void keep_done(struct lane_state *lane, const struct spool_done *done)
{
    struct proof_lane *kept = lane->kept;

    if (CORE_ARRAY_PUSH(kept->done, kept->done_count, kept->done_room, "completions", *done))
        lane->history->unclear = true;
}

static void keep_list(struct lane_state *lane, const struct spool_list *list)
{
    const unsigned char *value = spool_tail(list, sizeof *list);

    if (list->head.a != SPOOL_LIST_REQUESTS)
        return;
    if (lane->kept->list_seq != list->seq) {
        lane->kept->list_seq = list->seq;
        lane->kept->list_count = 0;
    }
    lane->kept->list_total = list->total;
    if (CORE_ARRAY_ROOM(lane->kept->list, lane->kept->list_room,
                        (uint64_t)lane->kept->list_count + list->count, "lists of requests")) {
        lane->history->unclear = true;
        return;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t wide = 0;

        memcpy(&wide, value + (size_t)i * list->head.b, list->head.b == 8 ? 8 : 4);
        lane->kept->list[lane->kept->list_count++] = (int64_t)(uint32_t)wide;
    }
}

/* What goes into a call, not what comes out of it. */
static void keep_args(struct lane_state *lane, const struct spool_args *args)
{
    const unsigned char *value = spool_tail(args, sizeof *args);

    if (args->head.b)
        return;
    lane->kept->arg_seq = args->seq;
    lane->kept->arg_count = args->head.a < PROOF_ARGS_MAX ? args->head.a : PROOF_ARGS_MAX;
    memcpy(lane->kept->arg, value, lane->kept->arg_count * sizeof *lane->kept->arg);
}

static void take_event(struct lane_state *lane)
{
    const struct spool_event *event = &lane->event;
    const struct proof_call *call;

    if (event->head.a >= lane->rank->call_count || !lane->rank->call[event->head.a].known) {
        lane->history->unclear = true;
        return;
    }
    call = &lane->rank->call[event->head.a];
    if (event->head.b)
        post_refused(lane, event, (enum event_class)call->class);
    else if (on_epochs((enum event_class)call->class))
        proof_epoch_post(lane->history, lane->rank, event, lane->kept->arg,
                         lane->kept->arg_seq == event->seq ? lane->kept->arg_count : 0);
    follow(lane, call);
}

/* An inner call: its completions are its own affair. */
static void forget_inner(struct proof_lane *kept, uint64_t seq)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < kept->done_count; i++)
        if (kept->done[i].seq != seq)
            kept->done[left++] = kept->done[i];
    kept->done_count = left;
}

/* Reads on to the next call of the application that returned, with what was committed for it.
 * false: there is none. */
static bool lane_next(struct lane_state *lane)
{
    const struct spool_head *head;

    while ((head = spool_reader_next(&lane->reader))) {
        switch (head->kind) {
        case SPOOL_EVENT:
            memcpy(&lane->event, head, sizeof lane->event);
            if (!lane->event.parent)
                return true;
            forget_inner(lane->kept, lane->event.seq);
            break;
        case SPOOL_DONE:
            keep_done(lane, (const struct spool_done *)head);
            break;
        case SPOOL_LIST:
            keep_list(lane, (const struct spool_list *)head);
            break;
        case SPOOL_LEG:
            lane->kept->leg = *(const struct spool_leg *)head;
            break;
        case SPOOL_ARGS:
            keep_args(lane, (const struct spool_args *)head);
            break;
        case SPOOL_LOST:
            lane->history->unclear = true;
            break;
        default:
            proof_define(lane->history, lane->rank, head);
            break;
        }
    }
    return false;
}

/* The application's own call that the lane is in, and what of its arguments was written before it.
 */
static void lane_open_call(struct lane_state *lane, const struct spool_header *header)
{
    struct proof_rank *rank = lane->rank;
    const struct proof_lane *kept = lane->kept;
    struct proof_open *open;

    if (!spool_is_inside(header))
        return;
    if (CORE_ARRAY_PUSH(rank->open, rank->open_count, rank->open_room, "open calls",
                        (struct proof_open){.lane = kept->lane,
                                            .event = header->open[spool_innermost(header)]})) {
        lane->history->unclear = true;
        return;
    }
    open = &rank->open[rank->open_count - 1];
    if (open->event.parent) {
        open->event.head.a = UINT16_MAX; /* not the application's: what it waits for is not known */
        return;
    }
    if (kept->leg.seq == open->event.seq && kept->leg.head.words) {
        open->has_leg = true;
        open->leg = kept->leg;
    }
    if (kept->arg_seq == open->event.seq) {
        open->arg_count = kept->arg_count;
        memcpy(open->arg, kept->arg, sizeof open->arg);
    }
    if (kept->list_seq != open->event.seq || !kept->list_count)
        return;
    if (CORE_ARRAY_NEW(open->request, kept->list_count, "requests of open calls")) {
        lane->history->unclear = true;
        return;
    }
    for (uint32_t i = 0; i < kept->list_count; i++)
        open->request[i] = (uint32_t)kept->list[i];
    open->request_count = kept->list_count;
    open->request_total = kept->list_total;
}

static enum core_status lane_begin(struct lane_state *lane, const char *job_path)
{
    enum core_status status =
        spool_reader_open(&lane->reader, job_path, lane->kept->rank, lane->kept->lane);

    if (status != CORE_OK)
        return status;
    lane->open = lane->rank->present = true;
    if (lane->kept->position &&
        (!lane->kept->again ||
         spool_reader_resume(&lane->reader, lane->kept->position, lane->kept->again)))
        lane->history->unclear = true;
    return CORE_OK;
}

static void lane_end(struct lane_state *lane)
{
    const struct spool_header *header = &lane->reader.header;

    if (lane->reader.torn || header->lost || header->stopped ||
        header->flags & (SPOOL_FLAG_FILTERED | SPOOL_FLAG_UNSEEN) ||
        (header->flags & SPOOL_FLAG_LAST && header->drained))
        lane->history->unclear = true;
    lane_open_call(lane, header);
    lane->kept->position = spool_reader_position(&lane->reader);
    if (!lane->kept->again && CORE_ARRAY_NEW(lane->kept->again, 1, "reading spools"))
        lane->history->unclear = true;
    else
        *lane->kept->again = lane->reader.again;
}

static void lane_rewind(struct proof_lane *kept)
{
    kept->position = 0;
    kept->done_count = kept->list_count = 0;
    kept->list_seq = kept->arg_seq = 0;
    memset(&kept->leg, 0, sizeof kept->leg);
}

static void opens_free(struct proof_rank *rank)
{
    for (uint32_t i = 0; i < rank->open_count; i++)
        free(rank->open[i].request);
    CORE_ARRAY_DONE(rank->open, rank->open_count, rank->open_room);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void finalize_spaces(struct proof_history *history)
{
    struct proof_space made = {.key = {.kind = PROOF_SPACE_FINALIZE}, .size = history->rank_count};

    for (uint32_t r = 0; r < history->rank_count; r++) {
        struct proof_space *space = proof_space_add(history, &history->rank[r], &made);

        for (uint32_t i = 0; space && i < history->rank_count; i++)
            space->member[i] = (int32_t)i;
    }
}

static enum core_status lanes_find(struct proof_history *history,
                                   const struct spool_lane_name *name, uint32_t count)
{
    struct proof_lane *lane = NULL;
    enum core_status status = CORE_ARRAY_NEW(lane, count, "lanes");

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        lane[i] = (struct proof_lane){.rank = name[i].rank, .lane = name[i].lane};
        for (uint32_t k = 0; k < history->lane_count; k++)
            if (history->lane[k].rank == name[i].rank && history->lane[k].lane == name[i].lane) {
                lane[i] = history->lane[k];
                memset(&history->lane[k], 0, sizeof history->lane[k]);
                history->lane[k].rank = -1;
            }
    }
    for (uint32_t k = 0; k < history->lane_count; k++) {
        free(history->lane[k].again);
        free(history->lane[k].done);
        free(history->lane[k].list);
    }
    free(history->lane);
    history->lane = lane;
    history->lane_count = count;
    return CORE_OK;
}

static enum core_status history_start(struct proof_history *history, uint32_t rank_count)
{
    enum core_status status = CORE_ARRAY_NEW(history->rank, rank_count, "ranks");

    if (status != CORE_OK)
        return status;
    history->rank_count = rank_count;
    history->channels = (struct core_table)CORE_TABLE(struct proof_channel, key);
    for (uint32_t r = 0; r < rank_count; r++) {
        struct proof_rank *rank = &history->rank[r];

        requests_init(&rank->requests);
        rank->spaces = (struct core_table)CORE_TABLE(struct proof_space, key);
        rank->groups = (struct core_table)CORE_TABLE(struct proof_group, id);
    }
    finalize_spaces(history);
    return CORE_OK;
}

/* One thread may use what another one defined. */
static enum core_status definitions_take(struct lane_state *lane, const char *job_path)
{
    const struct spool_head *head;
    enum core_status status;

    lane_rewind(lane->kept);
    status = lane_begin(lane, job_path);
    if (status != CORE_OK)
        return status;
    while ((head = spool_reader_next(&lane->reader)))
        proof_define(lane->history, lane->rank, head);
    spool_reader_close(&lane->reader);
    lane->open = false;
    return CORE_OK;
}

static struct lane_state *lane_earliest(struct lane_state *lane, uint32_t count)
{
    struct lane_state *earliest = NULL;

    for (uint32_t i = 0; i < count; i++)
        if (lane[i].more && (!earliest || lane[i].event.t_leave < earliest->event.t_leave))
            earliest = &lane[i];
    return earliest;
}

static enum core_status lanes_take(struct lane_state *lane, uint32_t count, const char *job_path)
{
    enum core_status status = CORE_OK;
    struct lane_state *next;

    for (uint32_t i = 0; i < count && count > 1 && status == CORE_OK; i++)
        status = definitions_take(&lane[i], job_path);
    for (uint32_t i = 0; i < count && status == CORE_OK; i++)
        status = lane_begin(&lane[i], job_path);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < count; i++)
        lane[i].more = lane_next(&lane[i]);
    while ((next = lane_earliest(lane, count))) {
        take_event(next);
        next->more = lane_next(next);
    }
    for (uint32_t i = 0; i < count; i++)
        lane_end(&lane[i]);
    return CORE_OK;
}

/* The lanes first .. end of one rank. */
static enum core_status rank_take(struct proof_history *history, const char *job_path,
                                  uint32_t first, uint32_t end)
{
    struct proof_rank *rank = &history->rank[history->lane[first].rank];
    struct lane_state *lane = NULL;
    enum core_status status = CORE_ARRAY_NEW(lane, end - first, "lanes");

    if (status != CORE_OK)
        return status;
    rank->lanes = end - first;
    for (uint32_t i = 0; i < end - first; i++)
        lane[i] = (struct lane_state){.history = history,
                                      .rank = rank,
                                      .kept = &history->lane[first + i],
                                      .world = history->lane[first + i].rank};
    status = lanes_take(lane, end - first, job_path);
    for (uint32_t i = 0; i < end - first; i++)
        if (lane[i].open)
            spool_reader_close(&lane[i].reader);
    free(lane);
    return status;
}

enum core_status proof_history_read(const char *job_path, uint32_t rank_count,
                                    struct proof_history *history)
{
    struct spool_lane_name *name = NULL;
    uint32_t count = 0;
    bool several = false;
    enum core_status status = spool_lanes_list(job_path, &name, &count);

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 1; i < count; i++)
        several |= name[i].rank == name[i - 1].rank;
    if (history->rank_count != rank_count || several)
        proof_history_done(history);
    if (!history->rank)
        status = history_start(history, rank_count);
    if (status == CORE_OK)
        status = lanes_find(history, name, count);
    for (uint32_t r = 0; r < rank_count && status == CORE_OK; r++)
        opens_free(&history->rank[r]);
    for (uint32_t i = 0, end; i < count && status == CORE_OK; i = end) {
        for (end = i; end < count && name[end].rank == name[i].rank; end++)
            continue;
        if (name[i].rank < 0 || (uint32_t)name[i].rank >= rank_count)
            status = CORE_BAD_FORMAT;
        else
            status = rank_take(history, job_path, i, end);
    }
    free(name);
    if (status != CORE_OK)
        proof_history_done(history);
    return status;
}

void proof_history_done(struct proof_history *history)
{
    for (uint32_t r = 0; history->rank && r < history->rank_count; r++) {
        struct proof_rank *rank = &history->rank[r];

        proof_defined_free(rank);
        requests_done(&rank->requests);
        free(rank->lock);
        opens_free(rank);
    }
    for (uint32_t k = 0; k < history->lane_count; k++) {
        free(history->lane[k].again);
        free(history->lane[k].done);
        free(history->lane[k].list);
    }
    free(history->lane);
    free(history->rank);
    core_table_done(&history->channels);
    event_view_done(&history->view);
    memset(history, 0, sizeof *history);
}
