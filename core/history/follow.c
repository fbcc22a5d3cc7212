/* Follows the records of a rank, one by one (history.h). Relies on core/spool/spool_read.h, which
 * checks every length, so that this file can trust records. */
#include "core/history/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/random.h"
#include "core/spool/spool_read.h"
#include "core/trace/misuse.h"

/* --- channels and requests -------------------------------------------------------------------- */

static struct history_channel_key channel_key(uint64_t global, int32_t source, int32_t dest,
                                              int32_t tag)
{
    return (struct history_channel_key){
        .global = global, .source = source, .dest = dest, .tag = tag};
}

const struct history_channel *history_channel_find(const struct history *history, uint64_t global,
                                                   int32_t source, int32_t dest, int32_t tag)
{
    struct history_channel_key key = channel_key(global, source, dest, tag);

    return core_table_find(&history->channels, &key);
}

/* Returns the channel, which it creates if necessary. NULL: out of memory; the history is then
 * unclear. */
static struct history_channel *channel_get(struct history *history, uint64_t global, int32_t source,
                                           int32_t dest, int32_t tag)
{
    struct history_channel_key key = channel_key(global, source, dest, tag);
    struct history_channel *channel;

    if (core_table_put(&history->channels, &key, "channels", &channel)) {
        history->unclear = true;
        return NULL;
    }
    return channel;
}

const struct history_space *history_request_space(const struct history_rank *rank,
                                                  const struct request *request)
{
    uint32_t space = request->own[HISTORY_SPACE];

    return space ? history_space_find(rank, HISTORY_SPACE_COMM, space - 1) : NULL;
}

/* Returns the peer's world rank, or EVENT_ANY, EVENT_PROC_NULL; EVENT_NONE if out of range. */
static int32_t request_world(const struct history_rank *rank, const struct request *request)
{
    const struct history_space *space = history_request_space(rank, request);

    return space ? history_space_world(space, request->peer) : EVENT_NONE;
}

uint64_t history_request_number(const struct request *request)
{
    return (uint64_t)request->own[HISTORY_NUMBER] << 32 | request->own[HISTORY_NUMBER + 1];
}

static void request_number(struct request *request, uint64_t number)
{
    request->own[HISTORY_NUMBER] = (uint32_t)(number >> 32);
    request->own[HISTORY_NUMBER + 1] = (uint32_t)number;
}

/* --- events ----------------------------------------------------------------------------------- */

static void space_enter(struct history_follower *lane, struct history_space *space,
                        const struct spool_event *event)
{
    if (!space->entered++) {
        space->lane = lane->kept->lane;
        space->place = history_space_place(space, lane->kept->rank);
    }
    CORE_CHECK(space->key.kind <= HISTORY_SPACE_FINALIZE);
    space->mixed |= space->lane != lane->kept->lane;
    space->recent[space->entered % HISTORY_RECENT] =
        history_coll_of(lane->rank, space, lane->kept, event);
}

/* Returns the communicator's number in channels. Partitioned requests match only their partners, as
 * if on a communicator of their own. */
uint64_t history_request_global(const struct history_space *space, const struct request *request)
{
    return request->pair ? core_random_mix(space->global + request->pair) : space->global;
}

static void post_send(struct history_follower *lane, struct request *request)
{
    const struct history_space *space = history_request_space(lane->rank, request);
    int32_t dest = request_world(lane->rank, request);
    struct history_channel *channel;

    if (dest == EVENT_PROC_NULL)
        return;
    if (dest < 0) {
        lane->history->unclear = true;
        return;
    }
    channel = channel_get(lane->history, history_request_global(space, request), lane->kept->rank,
                          dest, request->tag);
    if (!channel)
        return;
    if (!channel->sent)
        channel->lane = lane->kept->lane;
    CORE_CHECK(channel->key.source == lane->kept->rank);
    channel->mixed |= channel->lane != lane->kept->lane || space->overtaking;
    channel->buffered |= request->mode == EVENT_MODE_BUFFERED;
    request_number(request, ++channel->sent);
}

static void take_message(struct history_follower *lane, const struct request *request,
                         int32_t source, int32_t tag)
{
    const struct history_space *space =
        history_space_find(lane->rank, HISTORY_SPACE_COMM, (uint32_t)request->comm);
    struct history_channel *channel;
    int32_t from;

    if (source == EVENT_PROC_NULL)
        return;
    from = space ? history_space_world(space, source) : EVENT_NONE;
    if (from < 0 || tag == EVENT_NONE) {
        lane->history->unclear = true;
        return;
    }
    channel = channel_get(lane->history, history_request_global(space, request), from,
                          lane->kept->rank, tag);
    CORE_CHECK(!channel || channel->key.dest == lane->kept->rank);
    if (channel)
        channel->received++;
}

static void post_collective(struct history_follower *lane, const struct spool_event *event,
                            enum event_class class)
{
    struct history_space *space = history_space_of_call(lane->rank, event, class, false);

    if (space)
        space_enter(lane, space, event);
}

/* Tells whether a refused call surely sent and received nothing, and took no part in what the other
 * members do. */
static bool did_nothing(const struct history_lane *kept, const struct spool_event *event,
                        enum event_class class)
{
    CORE_CHECK(event->head.b);
    CORE_CHECK(class < EVENT_CLASS_COUNT);
    return (class == EVENT_CLASS_COLL || class == EVENT_CLASS_ICOLL) && kept->inside_seen &&
           kept->inside_of != event->seq && kept->inside_of != UINT64_MAX;
}

/* Follows a refused call: the other members may have been refused too, or count one call more. A
 * call on a file fails after all members have entered it. */
static void post_refused(struct history_follower *lane, const struct spool_event *event,
                         enum event_class class)
{
    struct history_space *space = history_space_of_call(lane->rank, event, class, true);

    if (space && class == EVENT_CLASS_FILE_COLL) {
        space_enter(lane, space, event);
        space->failed = true;
    } else if (space && !did_nothing(lane->kept, event, class)) {
        space->refused += space->key.kind == HISTORY_SPACE_COMM;
        space->uneven |= space->key.kind != HISTORY_SPACE_COMM;
    }
}

/* Sets the place of a request. Sends, receives, and collectives that make a request count on their
 * communicator, persistent ones when they are created; the needs of others are not followed. */
static struct history_space *request_place(struct history_follower *lane,
                                           const struct trace_event *event, struct request *request)
{
    struct history_space *space =
        history_space_find(lane->rank, HISTORY_SPACE_COMM, (uint32_t)request->comm);

    if (request->matched || request->kind > REQUEST_COLLECTIVE ||
        event->class == EVENT_CLASS_FILE_COLL)
        return NULL;
    if (!space)
        lane->history->unclear = true;
    else
        request->own[HISTORY_SPACE] = space->key.id + 1;
    return space;
}

void history_count_round(struct history_follower *lane, const struct request *request)
{
    if (request->kind != REQUEST_COLLECTIVE || !request->persistent)
        return;
    const struct history_space *known = history_request_space(lane->rank, request);
    uint64_t number = history_request_number(request);
    struct history_space *space =
        known ? history_space_find(lane->rank, known->key.kind, known->key.id) : NULL;

    if (space && number && number + HISTORY_RECENT > space->entered)
        space->recent[number % HISTORY_RECENT].rounds = request->rounds;
}

static void follow_begun(struct history_follower *lane, const struct trace_event *event,
                         struct request *request)
{
    struct history_space *space;

    if (request->kind == REQUEST_COLLECTIVE && !request->id) {
        post_collective(lane, &lane->event, event->class);
        return;
    }
    history_count_round(lane, request);
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

static void follow_made(struct history_follower *lane, const struct trace_event *event,
                        struct request *request)
{
    struct history_space *space = request_place(lane, event, request);

    if (space && request->kind == REQUEST_COLLECTIVE) {
        space_enter(lane, space, &lane->event);
        request_number(request, space->entered);
    }
}

static enum core_status step_take(enum request_step step, const struct trace_event *event,
                                  struct request *request, const struct trace_completion *done,
                                  void *context)
{
    struct history_follower *lane = context;
    bool receives = request->kind == REQUEST_RECEIVE;

    if (request->id > lane->rank->newest)
        lane->rank->newest = request->id;
    switch (step) {
    case REQUEST_MADE:
        follow_made(lane, event, request);
        break;
    case REQUEST_MATCHED:
        take_message(lane, request, request->peer, request->tag);
        break;
    case REQUEST_BEGUN:
        if (!event->error || request->kind != REQUEST_COLLECTIVE)
            follow_begun(lane, event, request);
        break;
    case REQUEST_DONE:
        lane->rank->erred |= done->error != 0;
        if (receives && !request->matched && !done->cancelled && (!request->id || !done->error))
            take_message(lane, request, done->source, done->tag);
        break;
    case REQUEST_FREED: /* it still takes a message, but no event tells which */
        lane->history->unclear |= request->active && request->kind != REQUEST_SEND;
        lane->rank->frees_active |= request->active;
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

/* Drops the records committed for a call that has been followed. */
static void parts_forget(struct history_lane *kept, uint64_t seq)
{
    if (kept->list_seq == seq)
        kept->list_seq = kept->list_count = 0;
    if (kept->arg_seq == seq)
        kept->arg_seq = kept->arg_count = 0;
    if (kept->null_seq == seq)
        kept->null_seq = 0;
    if (kept->recv_half.seq == seq)
        memset(&kept->recv_half, 0, sizeof kept->recv_half);
    for (uint32_t i = 0; i < HISTORY_PARTS; i++)
        if (kept->part[i].seq == seq)
            kept->part[i].seq = kept->part[i].count = 0;
}

/* Follows an event; its committed statuses are used once. */
static void follow_record(struct history_follower *lane, const struct history_call *call)
{
    const struct spool_event *event = &lane->event;
    struct history_lane *kept = lane->kept;
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
                                    (uint64_t)history_bytes(lane->rank, event->type, event->count)};
    if (kept->recv_half.seq == event->seq && kept->recv_half.head.words)
        parts.recv_half = &kept->recv_half;
    if (trait_in(call->traits, TRAIT_MATCHED) && kept->arg_seq == event->seq && kept->arg_count)
        parts.message = (uint64_t)kept->arg[0];
    struct history *history = lane->history;
    if (event_view_set(&history->view, event, &parts) ||
        requests_follow(&lane->rank->requests, &history->view.event, step_take, lane))
        history->unclear = true;
    parts_forget(kept, event->seq);
}

/* Follows MPI_Grequest_start and MPI_Grequest_complete. */
static void follow_generalized(struct history_follower *lane, const struct history_call *call)
{
    struct request *request = requests_find(&lane->rank->requests, lane->event.request);

    if (request && (call->verb == VERB_BEGIN_GENERALIZED || call->verb == VERB_TELL_COMPLETE))
        request_number(request, call->verb == VERB_BEGIN_GENERALIZED);
}

static void keep_done(struct history_follower *lane, const struct spool_done *done)
{
    struct history_lane *kept = lane->kept;

    if (CORE_ARRAY_PUSH(kept->done, kept->done_count, kept->done_room, "completions", *done))
        lane->history->unclear = true;
}

static void keep_list(struct history_follower *lane, const struct spool_list *list)
{
    const unsigned char *value = spool_tail(list, sizeof *list);

    if (list->head.a != SPOOL_LIST_REQUESTS) {
        history_blocks_list(lane->history, lane->kept, list);
        return;
    }
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
    CORE_CHECK(list->head.b == 4 || list->head.b == 8);
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t wide = 0;

        memcpy(&wide, value + (size_t)i * list->head.b, list->head.b == 8 ? 8 : 4);
        lane->kept->list[lane->kept->list_count++] = (int64_t)(uint32_t)wide;
    }
}

/* Keeps the lists that a call is given, not those that it returns. */
static void keep_args(struct history_follower *lane, const struct spool_args *args)
{
    const unsigned char *value = spool_tail(args, sizeof *args);

    if (args->head.b & (SPOOL_ARGS_REQUESTS - 1u))
        return;
    lane->kept->arg_seq = args->seq;
    lane->kept->arg_count = args->head.a < HISTORY_ARGS_MAX ? args->head.a : HISTORY_ARGS_MAX;
    CORE_CHECK(lane->kept->arg_count <= HISTORY_ARGS_MAX);
    memcpy(lane->kept->arg, value, lane->kept->arg_count * sizeof *lane->kept->arg);
}

/* Keeps a call that made a communicator with ranks of another job. */
static void spawn_keep(struct history_follower *lane, const struct history_call *call)
{
    struct history_rank *rank = lane->rank;
    CORE_CHECK(lane->event.request != 0);
    const struct history_spawn made = {.comm = lane->event.request,
                                       .t_enter = lane->event.t_enter,
                                       .t_leave = lane->event.t_leave,
                                       .spawned = call->verb == VERB_START_PROCESSES};

    if (!made.spawned && !trait_in(call->traits, TRAIT_LENDS))
        return;
    if (CORE_ARRAY_PUSH(rank->spawn, rank->spawn_count, rank->spawn_room, "spawned jobs", made))
        lane->history->unclear = true;
}

void history_follow(struct history_follower *lane)
{
    const struct spool_event *event = &lane->event;
    const struct history_call *call;

    CORE_CHECK(!event->parent); /* invariant 1 */
    if (event->head.a >= lane->rank->call_count || !lane->rank->call[event->head.a].known) {
        lane->history->unclear = true;
        return;
    }
    call = &lane->rank->call[event->head.a];
    if (event->head.b)
        post_refused(lane, event, (enum event_class)call->class);
    else if (on_epochs((enum event_class)call->class))
        history_epoch_post(lane->history, lane->rank, event, lane->kept->arg,
                           lane->kept->arg_seq == event->seq ? lane->kept->arg_count : 0);
    lane->rank->erred |= event->head.b != 0;
    if (!lane->rank->t_begun)
        lane->rank->t_begun = event->t_enter;
    if (call->class == EVENT_CLASS_SPAWN && !event->head.b && event->request)
        spawn_keep(lane, call);
    lane->kept->inside_of = 0;
    follow_record(lane, call);
    follow_generalized(lane, call);
}

/* Skips an inner call with its own completions. */
static void pass_inner(struct history_follower *lane)
{
    const struct spool_event *event = &lane->event;
    struct history_lane *kept = lane->kept;
    uint32_t left = 0;

    for (uint32_t i = 0; i < kept->done_count; i++)
        if (kept->done[i].seq != event->seq)
            kept->done[left++] = kept->done[i];
    kept->done_count = left;
    kept->inside_of = event->seq - event->parent;
    if (event->head.a < lane->rank->call_count)
        follow_generalized(lane, &lane->rank->call[event->head.a]);
}

void history_take_part(struct history_follower *lane, const struct spool_head *head)
{
    CORE_CHECK(head->kind > 0 && head->kind < SPOOL_KIND_COUNT);
    switch (head->kind) {
    case SPOOL_DONE:
        keep_done(lane, (const struct spool_done *)head);
        break;
    case SPOOL_LIST:
        keep_list(lane, (const struct spool_list *)head);
        break;
    case SPOOL_RECV_HALF:
        lane->kept->recv_half = *(const struct spool_recv_half *)head;
        break;
    case SPOOL_ARGS:
        keep_args(lane, (const struct spool_args *)head);
        break;
    case SPOOL_MISUSE:
        if (head->a == MISUSE_NULL_SENT || head->a == MISUSE_NULL_RECEIVED)
            lane->kept->null_seq = ((const struct spool_misuse *)head)->seq;
        break;
    default:
        break;
    }
}

bool history_take(struct history_follower *lane, const struct spool_head *head)
{
    bool base =
        lane->kept->based == HISTORY_BASE_EXPECTED || lane->kept->based == HISTORY_BASE_TAKING;

    CORE_CHECK(head->kind > 0 && head->kind < SPOOL_KIND_COUNT);
    lane->history->unclear |= base && head->kind != SPOOL_BASE; /* it is missing or cut */
    switch (head->kind) {
    case SPOOL_EVENT:
        memcpy(&lane->event, head, sizeof lane->event);
        if (lane->event.seq > lane->rank->seq)
            lane->rank->seq = lane->event.seq;
        if (!lane->event.parent)
            return true;
        pass_inner(lane);
        break;
    case SPOOL_LOST:
        lane->history->unclear = true;
        break;
    case SPOOL_BASE:
        history_base_take(lane, head);
        lane->kept->inside_of = UINT64_MAX;
        break;
    default:
        history_take_part(lane, head);
        history_define(lane->history, lane->rank, head);
        break;
    }
    return false;
}

void history_rank_init(struct history_rank *rank)
{
    requests_init(&rank->requests);
    rank->spaces = (struct core_table)CORE_TABLE(struct history_space, key);
    rank->groups = (struct core_table)CORE_TABLE(struct history_group, id);
}

void history_rank_done(struct history_rank *rank)
{
    history_defined_free(rank);
    requests_done(&rank->requests);
    free(rank->lock);
    free(rank->spawn);
}

void history_lane_done(struct history_lane *kept)
{
    free(kept->again);
    free(kept->done);
    free(kept->list);
    for (uint32_t i = 0; i < HISTORY_PARTS; i++)
        free(kept->part[i].value);
}
