/* See history.h. Relies on core/spool/spool_read.h, which checks every length, so that records may
 * be trusted here. */
#include "launch/proof/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/spool/spool_read.h"

enum { PROOF_CALLS_MAX = 65536 };

struct lane_state {
    struct proof_history *history;
    struct proof_rank *rank;
    struct proof_lane *kept;
    int32_t world;
    bool posts, completions; /* which of the two this pass takes; neither: definitions only */
};

/* --- tables ----------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static uint64_t channel_hash(uint64_t global, int32_t source, int32_t dest, int32_t tag)
{
    return mix(mix(global ^ (uint64_t)(uint32_t)tag << 32) ^
               ((uint64_t)(uint32_t)source << 32 | (uint32_t)dest));
}

static bool channel_free(const struct proof_channel *channel)
{
    return !channel->sent && !channel->received;
}

static struct proof_channel *channel_place(const struct proof_history *history, uint64_t global,
                                           int32_t source, int32_t dest, int32_t tag)
{
    uint64_t mask = history->channel_room - 1;

    for (uint64_t at = channel_hash(global, source, dest, tag) & mask;; at = (at + 1) & mask) {
        struct proof_channel *channel = &history->channel[at];

        if (channel_free(channel) || (channel->global == global && channel->source == source &&
                                      channel->dest == dest && channel->tag == tag))
            return channel;
    }
}

const struct proof_channel *proof_channel_find(const struct proof_history *history, uint64_t global,
                                               int32_t source, int32_t dest, int32_t tag)
{
    struct proof_channel *channel =
        history->channel_room ? channel_place(history, global, source, dest, tag) : NULL;

    return channel && !channel_free(channel) ? channel : NULL;
}

static bool channels_grow(struct proof_history *history)
{
    struct proof_history grown = *history;

    grown.channel_room = history->channel_room ? 2 * history->channel_room : 256;
    grown.channel = calloc(grown.channel_room, sizeof *grown.channel);
    if (!grown.channel)
        return false;
    for (uint64_t i = 0; i < history->channel_room; i++) {
        const struct proof_channel *c = &history->channel[i];

        if (!channel_free(c))
            *channel_place(&grown, c->global, c->source, c->dest, c->tag) = *c;
    }
    free(history->channel);
    *history = grown;
    return true;
}

/* The channel, made if need be: the caller counts something in it at once. NULL: out of memory,
 * history is unclear. */
static struct proof_channel *channel_get(struct proof_history *history, uint64_t global,
                                         int32_t source, int32_t dest, int32_t tag)
{
    struct proof_channel *channel;

    if (2 * (history->channel_count + 1) > history->channel_room && !channels_grow(history)) {
        history->unclear = true;
        return NULL;
    }
    channel = channel_place(history, global, source, dest, tag);
    if (channel_free(channel)) {
        *channel =
            (struct proof_channel){.global = global, .source = source, .dest = dest, .tag = tag};
        history->channel_count++;
    }
    return channel;
}

static struct proof_request *request_place(const struct proof_rank *rank, uint32_t id)
{
    uint32_t mask = rank->request_room - 1;

    for (uint32_t at = (uint32_t)mix(id) & mask;; at = (at + 1) & mask)
        if (!rank->request[at].id || rank->request[at].id == id)
            return &rank->request[at];
}

static struct proof_request *request_get(const struct proof_rank *rank, uint32_t id)
{
    struct proof_request *request = rank->request_room && id ? request_place(rank, id) : NULL;

    return request && request->id ? request : NULL;
}

const struct proof_request *proof_request_find(const struct proof_rank *rank, uint32_t id)
{
    return request_get(rank, id);
}

static void request_add(struct proof_history *history, struct proof_rank *rank,
                        const struct proof_request *request)
{
    if (!request->id)
        return;
    if (2 * (rank->request_count + 1) > rank->request_room) {
        struct proof_rank grown = *rank;

        grown.request_room = rank->request_room ? 2 * rank->request_room : 64;
        grown.request = calloc(grown.request_room, sizeof *grown.request);
        if (!grown.request) {
            history->unclear = true;
            return;
        }
        for (uint32_t i = 0; i < rank->request_room; i++)
            if (rank->request[i].id)
                *request_place(&grown, rank->request[i].id) = rank->request[i];
        free(rank->request);
        *rank = grown;
    }
    rank->request_count++;
    *request_place(rank, request->id) = *request;
}

static void request_remove(struct proof_rank *rank, struct proof_request *request)
{
    uint32_t mask = rank->request_room - 1;
    uint32_t at = (uint32_t)(request - rank->request);

    request->id = 0;
    rank->request_count--;
    for (at = (at + 1) & mask; rank->request[at].id;
         at = (at + 1) & mask) { /* those behind it may move up */
        struct proof_request moved = rank->request[at];

        rank->request[at].id = 0;
        *request_place(rank, moved.id) = moved;
    }
}

/* --- spaces ----------------------------------------------------------------------------------- */

static void space_enter(struct lane_state *lane, struct proof_space *space,
                        const struct spool_event *event)
{
    if (!space->entered++)
        space->lane = lane->kept->lane;
    space->mixed |= space->lane != lane->kept->lane;
    space->recent[space->entered % PROOF_RECENT] = proof_coll_of(lane->rank, event);
}

/* Adds a space of so many members, all unknown yet. NULL: out of memory, history is unclear. */
static struct proof_space *space_add(struct proof_history *history, struct proof_rank *rank,
                                     const struct proof_space *space)
{
    uint64_t members = (uint64_t)space->size + space->remote_size;
    struct proof_space *more = realloc(rank->space, (rank->space_count + 1) * sizeof *more);
    int32_t *member = members <= SPOOL_RANKS_MAX ? malloc((members + 1) * sizeof *member) : NULL;

    if (more)
        rank->space = more;
    if (!more || !member) {
        free(member);
        history->unclear = true;
        return NULL;
    }
    for (uint64_t i = 0; i < members; i++)
        member[i] = EVENT_NONE;
    more += rank->space_count++;
    *more = *space;
    more->member = member;
    return more;
}

static void def_comm(struct lane_state *lane, const struct spool_def_comm *def)
{
    struct proof_space *space = proof_space_find(lane->rank, PROOF_SPACE_COMM, def->id);
    const int32_t *member = spool_tail(def, sizeof *def);
    struct proof_space made = {.kind = PROOF_SPACE_COMM,
                               .inter = def->head.a == SPOOL_COMM_INTER,
                               .id = def->id,
                               .global = def->global,
                               .size = def->size,
                               .remote_size = def->remote_size};

    if (!space)
        space = space_add(lane->history, lane->rank, &made);
    for (uint32_t i = 0; space && i < def->count &&
                         (uint64_t)def->first + i < (uint64_t)space->size + space->remote_size;
         i++)
        space->member[def->first + i] = member[i];
}

static void def_win(struct lane_state *lane, const struct spool_def_win *def)
{
    const struct proof_space *comm = proof_space_find(lane->rank, PROOF_SPACE_COMM, def->comm);
    struct proof_space made = {.kind = def->head.kind == SPOOL_DEF_FILE ? PROOF_SPACE_FILE
                                                                        : PROOF_SPACE_WIN,
                               .id = def->id,
                               .comm = def->comm,
                               .global = def->global};
    struct proof_space *space;

    if (proof_space_find(lane->rank, (enum proof_space_kind)made.kind, def->id))
        return;
    if (comm) {
        made.size = comm->size;
        made.remote_size = comm->remote_size;
    }
    space = space_add(lane->history, lane->rank, &made);
    comm = proof_space_find(lane->rank, PROOF_SPACE_COMM, def->comm); /* it may have moved */
    if (space && comm)
        memcpy(space->member, comm->member,
               ((size_t)comm->size + comm->remote_size) * sizeof *comm->member);
}

/* The place of an argument in "name,name:kind,...". */
static int8_t arg_place(const char *names, size_t bytes, const char *name)
{
    size_t length = strlen(name);
    int8_t place = 0;

    for (size_t at = 0; at < bytes && place < PROOF_ARGS_MAX; place++) {
        size_t end = at;

        while (end < bytes && names[end] != ',')
            end++;
        if (end - at >= length && !memcmp(names + at, name, length) &&
            (end - at == length || names[at + length] == ':'))
            return place;
        at = end + 1;
    }
    return -1;
}

static void def_call(struct lane_state *lane, const struct spool_def_call *def)
{
    uint32_t id = def->head.a;
    struct proof_call *call = lane->rank->call;
    const char *names;

    if (id >= lane->rank->call_count) {
        call = realloc(call, (id + 64) * sizeof *call);
        if (!call) {
            lane->history->unclear = true;
            return;
        }
        memset(call + lane->rank->call_count, 0, (id + 64 - lane->rank->call_count) * sizeof *call);
        lane->rank->call = call;
        lane->rank->call_count = id + 64;
    }
    call[id].known = true;
    call[id].class = (uint8_t)def->head.b;
    call[id].verb = (uint8_t)def->verb;
    call[id].traits = def->traits;
    snprintf(call[id].name, sizeof call[id].name, "%.*s", (int)def->name_bytes,
             (const char *)spool_tail(def, sizeof *def));
    call[id].buffered = def->mode == EVENT_MODE_BUFFERED;
    names = (const char *)spool_tail(def, sizeof *def) + def->name_bytes;
    call[id].group_arg = arg_place(names, def->names_bytes, "group");
    call[id].lock_arg = arg_place(names, def->names_bytes, "lock_type");
}

/* --- events ----------------------------------------------------------------------------------- */

/* Returns how many-th of its channel it is. */
static uint64_t channel_send(struct lane_state *lane, struct proof_channel *channel, bool buffered)
{
    if (!channel->sent)
        channel->lane = lane->kept->lane;
    channel->mixed |= channel->lane != lane->kept->lane;
    channel->buffered |= buffered;
    return ++channel->sent;
}

static uint64_t post_send(struct lane_state *lane, const struct spool_event *event)
{
    struct proof_space *space = proof_space_find(lane->rank, PROOF_SPACE_COMM, event->comm);
    int32_t dest = space ? proof_space_world(space, event->peer) : EVENT_NONE;
    struct proof_channel *channel;

    if (dest == EVENT_PROC_NULL)
        return 0;
    if (dest < 0) {
        lane->history->unclear = true;
        return 0;
    }
    channel = channel_get(lane->history, space->global, lane->world, dest, event->tag);
    if (!channel)
        return 0;
    return channel_send(lane, channel, lane->rank->call[event->head.a].buffered);
}

static void take_message(struct lane_state *lane, const struct proof_space *space, int32_t source,
                         int32_t tag)
{
    struct proof_channel *channel;
    int32_t from;

    if (source == EVENT_PROC_NULL)
        return;
    from = space ? proof_space_world(space, source) : EVENT_NONE;
    if (from < 0) {
        lane->history->unclear = true;
        return;
    }
    channel = channel_get(lane->history, space->global, from, lane->world, tag);
    if (channel)
        channel->received++;
}

static void request_start(struct lane_state *lane, uint32_t id)
{
    struct proof_request *request = request_get(lane->rank, id);

    if (!request)
        return; /* waits on it are of unknown kind, and nothing is claimed about them */
    request->active++;
    if (request->kind == PROOF_SEND && request->peer != EVENT_PROC_NULL) {
        const struct proof_space *space = &lane->rank->space[request->space];
        struct proof_channel *channel =
            channel_get(lane->history, space->global, lane->world, request->peer, request->tag);

        if (channel)
            request->number = channel_send(lane, channel, request->buffered);
    }
}

static void request_done(struct lane_state *lane, const struct spool_done *done)
{
    struct proof_request *request = request_get(lane->rank, done->request);

    if (!request)
        return;
    if (request->kind == PROOF_RECV && !done->head.a && done->head.b == 0)
        take_message(lane, &lane->rank->space[request->space], done->source, done->tag);
    if (request->persistent) {
        if (request->active)
            request->active--;
    } else {
        request_remove(lane->rank, request);
    }
}

static void request_post(struct lane_state *lane, const struct spool_event *event,
                         enum event_class class)
{
    struct proof_space *space = proof_space_find(lane->rank, PROOF_SPACE_COMM, event->comm);
    struct proof_request request = {.id = event->request,
                                    .kind = PROOF_OTHER,
                                    .active = 1,
                                    .tag = event->tag,
                                    .peer = EVENT_NONE,
                                    .buffered = lane->rank->call[event->head.a].buffered,
                                    .seq = event->seq,
                                    .entered = event->t_enter,
                                    .left = event->t_leave};

    if (space) {
        request.space = (uint32_t)(space - lane->rank->space);
        request.peer = proof_space_world(space, event->peer);
    }
    switch (class) {
    case EVENT_CLASS_ISEND:
        request.number = post_send(lane, event);
        request.kind = PROOF_SEND;
        break;
    case EVENT_CLASS_IRECV:
        request.kind = PROOF_RECV;
        break;
    case EVENT_CLASS_SEND_INIT:
    case EVENT_CLASS_RECV_INIT:
        request.kind = class == EVENT_CLASS_SEND_INIT ? PROOF_SEND : PROOF_RECV;
        request.persistent = true;
        request.active = 0;
        break;
    case EVENT_CLASS_ICOLL:
    case EVENT_CLASS_COMM_ICREATE:
        request.kind = PROOF_COLL;
        if (space)
            space_enter(lane, space, event);
        request.number = space ? space->entered : 0;
        break;
    case EVENT_CLASS_COLL_INIT:
        request.persistent = true;
        request.active = 0;
        if (space)
            space_enter(lane, space, event);
        break;
    default:
        break;
    }
    if (!space && request.kind != PROOF_OTHER)
        lane->history->unclear = true;
    else
        request_add(lane->history, lane->rank, &request);
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

static void post(struct lane_state *lane, const struct spool_event *event, enum event_class class)
{
    struct proof_request *request;

    switch (class) {
    case EVENT_CLASS_SEND:
    case EVENT_CLASS_SENDRECV:
        post_send(lane, event);
        break;
    case EVENT_CLASS_ISEND:
    case EVENT_CLASS_IRECV:
    case EVENT_CLASS_IMRECV:
    case EVENT_CLASS_SEND_INIT:
    case EVENT_CLASS_RECV_INIT:
    case EVENT_CLASS_ICOLL:
    case EVENT_CLASS_COMM_ICREATE:
    case EVENT_CLASS_COLL_INIT:
        request_post(lane, event, class);
        break;
    case EVENT_CLASS_START:
        if (event->request)
            request_start(lane, event->request);
        for (uint32_t i = 0;
             lane->kept->list_seq == event->seq && !event->request && i < lane->kept->list_count;
             i++)
            request_start(lane, lane->kept->list[i]);
        break;
    case EVENT_CLASS_CANCEL:
        request = request_get(lane->rank, event->request);
        if (request)
            request->cancelled = true;
        break;
    case EVENT_CLASS_REQUEST_FREE:
        request = request_get(lane->rank, event->request);
        if (request && request->active && request->kind != PROOF_SEND)
            lane->history->unclear = true; /* it still takes a message, and nobody will say which */
        else if (request)
            request_remove(lane->rank, request);
        break;
    case EVENT_CLASS_COLL:
    case EVENT_CLASS_COMM_CREATE:
    case EVENT_CLASS_COMM_FREE:
    case EVENT_CLASS_WIN_CREATE:
    case EVENT_CLASS_WIN_FREE:
    case EVENT_CLASS_RMA_FENCE:
    case EVENT_CLASS_FILE_COLL:
    case EVENT_CLASS_FINALIZE:
        post_collective(lane, event, class);
        break;
    case EVENT_CLASS_RMA_POST:
    case EVENT_CLASS_RMA_START:
    case EVENT_CLASS_RMA_COMPLETE:
    case EVENT_CLASS_RMA_WAIT:
    case EVENT_CLASS_RMA_TEST:
    case EVENT_CLASS_RMA_LOCK:
    case EVENT_CLASS_RMA_UNLOCK:
    case EVENT_CLASS_RMA_FLUSH:
    case EVENT_CLASS_RMA:
        proof_epoch_post(lane->history, lane->rank, event, lane->kept->arg,
                         lane->kept->arg_seq == event->seq ? lane->kept->arg_count : 0);
        break;
    default:
        break;
    }
}

static void complete(struct lane_state *lane, const struct spool_event *event,
                     enum event_class class)
{
    const struct proof_space *space = proof_space_find(lane->rank, PROOF_SPACE_COMM, event->comm);

    for (uint32_t i = 0; i < lane->kept->done_count; i++) {
        const struct spool_done *done = &lane->kept->done[i];

        if (done->seq != event->seq)
            continue;
        switch (class) {
        case EVENT_CLASS_RECV:
        case EVENT_CLASS_SENDRECV:
        case EVENT_CLASS_MPROBE:
        case EVENT_CLASS_IMPROBE:
            take_message(lane, space, done->source, done->tag);
            break;
        case EVENT_CLASS_WAIT:
        case EVENT_CLASS_WAITALL:
        case EVENT_CLASS_WAITANY:
        case EVENT_CLASS_WAITSOME:
        case EVENT_CLASS_TEST:
        case EVENT_CLASS_TESTALL:
        case EVENT_CLASS_TESTANY:
        case EVENT_CLASS_TESTSOME:
            request_done(lane, done);
            break;
        default:
            break;
        }
    }
}

static void keep_done(struct lane_state *lane, const struct spool_done *done)
{
    if (lane->kept->done_count == lane->kept->done_room) {
        struct spool_done *more =
            realloc(lane->kept->done, (lane->kept->done_room + 256) * 2 * sizeof *more);

        if (!more) {
            lane->history->unclear = true;
            return;
        }
        lane->kept->done = more;
        lane->kept->done_room = (lane->kept->done_room + 256) * 2;
    }
    lane->kept->done[lane->kept->done_count++] = *done;
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
    if (lane->kept->list_count + list->count > lane->kept->list_room) {
        uint32_t *more = realloc(lane->kept->list,
                                 2 * ((size_t)lane->kept->list_count + list->count) * sizeof *more);

        if (!more) {
            lane->history->unclear = true;
            return;
        }
        lane->kept->list = more;
        lane->kept->list_room = 2 * (lane->kept->list_count + list->count);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t wide = 0;

        memcpy(&wide, value + (size_t)i * list->head.b, list->head.b == 8 ? 8 : 4);
        lane->kept->list[lane->kept->list_count++] = (uint32_t)wide;
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

static void take_event(struct lane_state *lane, const struct spool_event *event)
{
    enum event_class class;

    if (!lane->posts && !lane->completions)
        return;
    if (event->head.a >= lane->rank->call_count || !lane->rank->call[event->head.a].known) {
        lane->history->unclear = true;
        return;
    }
    class = (enum event_class)lane->rank->call[event->head.a].class;
    if (event->parent) {
        uint32_t kept = 0; /* an inner call: its completions are its own affair */

        for (uint32_t i = 0; i < lane->kept->done_count; i++)
            if (lane->kept->done[i].seq != event->seq)
                lane->kept->done[kept++] = lane->kept->done[i];
        lane->kept->done_count = kept;
        return;
    }
    if (lane->posts && event->head.b == 0)
        post(lane, event, class);
    else if (lane->posts)
        post_refused(lane, event, class);
    if (lane->completions)
        complete(lane, event, class);
    lane->kept->done_count = 0;
}

static void lane_read(struct lane_state *lane, struct spool_reader *reader)
{
    const struct spool_head *head;

    while ((head = spool_reader_next(reader))) {
        switch (head->kind) {
        case SPOOL_EVENT:
            take_event(lane, (const struct spool_event *)head);
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
        case SPOOL_DEF_CALL:
            def_call(lane, (const struct spool_def_call *)head);
            break;
        case SPOOL_DEF_COMM:
            def_comm(lane, (const struct spool_def_comm *)head);
            break;
        case SPOOL_ARGS:
            keep_args(lane, (const struct spool_args *)head);
            break;
        case SPOOL_DEF_WIN:
        case SPOOL_DEF_FILE:
            def_win(lane, (const struct spool_def_win *)head);
            break;
        case SPOOL_DEF_GROUP:
            proof_epoch_group(lane->history, lane->rank, (const struct spool_def_group *)head);
            break;
        case SPOOL_LOST:
            lane->history->unclear = true;
            break;
        default:
            break;
        }
    }
    if (reader->torn || reader->header.lost || reader->header.stopped ||
        reader->header.flags & (SPOOL_FLAG_FILTERED | SPOOL_FLAG_UNSEEN) ||
        (reader->header.flags & SPOOL_FLAG_LAST && reader->header.drained))
        lane->history->unclear = true;
}

/* The application's own call that the lane is in, and what of its arguments was written before it.
 */
static void lane_open_call(struct lane_state *lane, const struct spool_header *header)
{
    struct proof_open *open;
    const struct proof_lane *kept = lane->kept;

    if (!spool_is_inside(header) || !lane->posts)
        return;
    open = realloc(lane->rank->open, (lane->rank->open_count + 1) * sizeof *open);
    if (!open) {
        lane->history->unclear = true;
        return;
    }
    lane->rank->open = open;
    open += lane->rank->open_count++;
    *open = (struct proof_open){.lane = kept->lane, .event = header->open[spool_innermost(header)]};
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
    open->request = malloc(kept->list_count * sizeof *open->request);
    if (!open->request) {
        lane->history->unclear = true;
        return;
    }
    memcpy(open->request, kept->list, kept->list_count * sizeof *open->request);
    open->request_count = kept->list_count;
    open->request_total = kept->list_total;
}

static enum core_status lane_take(struct proof_history *history, const char *job_path,
                                  struct proof_lane *kept, bool posts, bool completions)
{
    struct lane_state lane = {.history = history,
                              .rank = &history->rank[kept->rank],
                              .kept = kept,
                              .world = kept->rank,
                              .posts = posts,
                              .completions = completions};
    struct spool_reader reader;
    enum core_status status = spool_reader_open(&reader, job_path, kept->rank, kept->lane);

    if (status)
        return status;
    lane.rank->present = true;
    if (kept->position && spool_reader_resume(&reader, kept->position))
        history->unclear = true;
    lane_read(&lane, &reader);
    lane_open_call(&lane, &reader.header);
    kept->position = spool_reader_position(&reader);
    spool_reader_close(&reader);
    return CORE_OK;
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
    free(rank->open);
    rank->open = NULL;
    rank->open_count = 0;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void finalize_spaces(struct proof_history *history)
{
    struct proof_space made = {.kind = PROOF_SPACE_FINALIZE, .size = history->rank_count};

    for (uint32_t r = 0; r < history->rank_count; r++) {
        struct proof_space *space = space_add(history, &history->rank[r], &made);

        for (uint32_t i = 0; space && i < history->rank_count; i++)
            space->member[i] = (int32_t)i;
    }
}

static enum core_status lanes_find(struct proof_history *history,
                                   const struct spool_lane_name *name, uint32_t count)
{
    struct proof_lane *lane = calloc(count + 1, sizeof *lane);

    if (!lane)
        return CORE_NO_MEMORY;
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
    history->rank_count = rank_count;
    history->rank = calloc(rank_count + 1, sizeof *history->rank);
    if (!history->rank)
        return CORE_NO_MEMORY;
    finalize_spaces(history);
    return CORE_OK;
}

/* The lanes first .. end of one rank. One thread may use what another one defined, and complete
 * what it posted. */
static enum core_status rank_take(struct proof_history *history, const char *job_path,
                                  uint32_t first, uint32_t end)
{
    static const bool pass[3][2] = {{false, false}, {true, false}, {false, true}};
    enum core_status status = CORE_OK;

    history->rank[history->lane[first].rank].lanes = end - first;
    if (end - first == 1)
        return lane_take(history, job_path, &history->lane[first], true, true);
    for (int p = 0; p < 3; p++)
        for (uint32_t k = first; k < end && !status; k++) {
            lane_rewind(&history->lane[k]);
            status = lane_take(history, job_path, &history->lane[k], pass[p][0], pass[p][1]);
        }
    return status;
}

enum core_status proof_history_read(const char *job_path, uint32_t rank_count,
                                    struct proof_history *history)
{
    struct spool_lane_name *name = NULL;
    uint32_t count = 0;
    bool several = false;
    enum core_status status = spool_lanes_list(job_path, &name, &count);

    if (status)
        return status;
    for (uint32_t i = 1; i < count; i++)
        several |= name[i].rank == name[i - 1].rank;
    if (history->rank_count != rank_count || several)
        proof_history_done(history);
    if (!history->rank)
        status = history_start(history, rank_count);
    if (!status)
        status = lanes_find(history, name, count);
    for (uint32_t r = 0; r < rank_count && !status; r++)
        opens_free(&history->rank[r]);
    for (uint32_t i = 0, end; i < count && !status; i = end) {
        for (end = i; end < count && name[end].rank == name[i].rank; end++)
            continue;
        if (name[i].rank < 0 || (uint32_t)name[i].rank >= rank_count)
            status = CORE_BAD_FORMAT;
        else
            status = rank_take(history, job_path, i, end);
    }
    free(name);
    if (status)
        proof_history_done(history);
    return status;
}

void proof_history_done(struct proof_history *history)
{
    for (uint32_t r = 0; history->rank && r < history->rank_count; r++) {
        struct proof_rank *rank = &history->rank[r];

        proof_epochs_free(rank);
        for (uint32_t i = 0; i < rank->space_count; i++)
            free(rank->space[i].member);
        free(rank->space);
        free(rank->request);
        free(rank->call);
        opens_free(rank);
    }
    for (uint32_t k = 0; k < history->lane_count; k++) {
        free(history->lane[k].done);
        free(history->lane[k].list);
    }
    free(history->lane);
    free(history->rank);
    free(history->channel);
    memset(history, 0, sizeof *history);
}
