/* Converts the calls of an archive to records of spools. See foreign/import.h.
 *
 * An archive does not say whether a call without a message lacks it or had none (MPI_PROC_NULL, a
 * null request). The rank's other calls decide: if any call of that function has a message, the
 * tool records them, and this call had none; otherwise the tool does not record them.
 *
 * Invariants
 *  1. Every call is put, left out and counted, or a poll that found nothing.
 *  2. Records of a call precede its event (core/spool/spool.h, 7). */
#include "foreign/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"
#include "core/progress.h"
#include "core/trace/describe.h"
#include "foreign/archive.h"
#include "foreign/calls.h"
#include "foreign/spools.h"

enum { PROGRESS_CALLS = 4096, ROOT_NONE = -1, ROOT_SELF = -2 };

struct import {
    struct archive archive;
    struct import_summary *summary;
    uint64_t *left_out; /* by meaning; the last one: events outside of all calls */
    uint64_t done;
    struct core_table user; /* struct import_user */
    bool comm_made;         /* a call makes a communicator */
};
struct import_user { /* a rank that uses a communicator */
    struct {
        uint64_t comm, rank;
    } key;
};
struct import_rank {
    struct import *import;
    struct calls calls;
    struct spools spools;
    bool *told;                     /* by meaning: a call of the function has a record */
    uint64_t made[3], completed[3]; /* requests by kind: sends, receives, collectives */
    uint64_t lost, last_seq;
    bool finalized;
};
struct import_event { /* a call being converted */
    struct spool_event event;
    struct spool_recv_half half;
    bool has_half;
    struct calls_record **done; /* requests that it completes or tests */
    uint32_t done_count, done_room;
};

/* --- what the rank's tool records ------------------------------------------------------------- */

static unsigned kind_index(enum events_kind kind)
{
    return kind == EVENTS_ISEND ? 0 : kind == EVENTS_IRECV ? 1 : 2;
}

static void tool_learn(struct import_rank *rank, const struct calls_call *call)
{
    if (call->meaning == ARCHIVE_NONE)
        return;
    rank->told[call->meaning] |= call->record_count > 0;
    rank->import->comm_made |= meaning_at(call->meaning).class == EVENT_CLASS_COMM_CREATE ||
                               meaning_at(call->meaning).class == EVENT_CLASS_COMM_ICREATE;
    rank->finalized |= meaning_at(call->meaning).class == EVENT_CLASS_FINALIZE && !call->pending;
}

static enum core_status rank_learn(struct import_rank *rank)
{
    struct calls_call call;
    bool more = true;
    enum core_status status;

    while ((status = calls_next(&rank->calls, &call, &more)) == CORE_OK && more)
        tool_learn(rank, &call);
    for (uint32_t i = 0; i < rank->calls.request_count; i++) {
        const struct calls_request *request = calls_request(&rank->calls, i + 1);
        rank->made[kind_index(request->kind)]++;
        rank->completed[kind_index(request->kind)] += request->done || request->cancelled;
    }
    for (unsigned kind = 0; kind < 3; kind++) /* the archive does not say how any of them ended */
        rank->lost += rank->made[kind] && !rank->completed[kind];
    return status;
}

/* --- writing a call --------------------------------------------------------------------------- */

static struct calls_record *record_of(const struct calls_call *call, enum events_kind kind)
{
    for (uint32_t i = 0; i < call->record_count; i++)
        if (call->record[i].event.kind == kind && !call->record[i].used)
            return &call->record[i];
    return NULL;
}

static enum core_status user_add(struct import *import, uint64_t comm, uint32_t rank)
{
    struct import_user *user;
    const struct {
        uint64_t comm, rank;
    } key = {comm, rank};

    return core_table_put(&import->user, &key, "the communicators", &user);
}

/* Sets the communicator of an event. *out_known = false: it cannot be converted. */
static enum core_status comm_set(struct import_rank *rank, struct spool_writer *writer,
                                 uint64_t comm, struct spool_event *event, bool *out_known)
{
    enum core_status status = spools_comm(&rank->spools, writer, comm, &event->comm);

    *out_known = status == CORE_OK && event->comm;
    return status == CORE_OK ? user_add(rank->import, comm, rank->spools.rank) : status;
}

static int32_t tag_of(uint32_t tag)
{
    return tag <= INT32_MAX ? (int32_t)tag : EVENT_NONE;
}

static enum core_status message_set(struct import_rank *rank, struct spool_writer *writer,
                                    uint32_t peer, uint32_t tag, uint64_t comm, uint64_t bytes,
                                    struct spool_event *event, bool *out_known)
{
    event->peer = (int32_t)peer;
    event->tag = tag_of(tag);
    enum core_status status =
        spools_size(&rank->spools, writer, bytes, &event->type, &event->count);
    return status == CORE_OK ? comm_set(rank, writer, comm, event, out_known) : status;
}

static void nobody_set(struct spool_event *event)
{
    event->peer = EVENT_PROC_NULL;
    event->comm = SPOOLS_WORLD;
    event->tag = 0;
    event->type = SPOOLS_BYTES_TYPE;
    event->count = 0;
}

static bool has_root(enum verb verb)
{
    return verb == VERB_BCAST || verb == VERB_GATHER || verb == VERB_SCATTER || verb == VERB_REDUCE;
}

static enum core_status collective_set(struct import_rank *rank, struct spool_writer *writer,
                                       enum verb verb, uint32_t root, uint64_t comm,
                                       struct spool_event *event, bool *out_known)
{
    int32_t at = (int32_t)root;

    if (has_root(verb))
        event->peer = at == ROOT_SELF ? EVENT_ROOT : at == ROOT_NONE ? EVENT_PROC_NULL : at;
    return comm_set(rank, writer, comm, event, out_known);
}

static enum core_status done_put(struct spool_writer *writer, const struct calls *calls,
                                 const struct import_event *of, uint32_t index)
{
    const struct calls_record *record = of->done[index];
    const struct events_event *event = &record->event;
    struct spool_done done = {.head = {SPOOL_DONE, sizeof done / 8, 0, 0},
                              .seq = of->event.seq,
                              .index = index,
                              .request = record->request,
                              .source = EVENT_NONE,
                              .tag = EVENT_NONE};

    if (event->kind == EVENTS_TESTED)
        return CORE_OK;
    done.head.a = event->kind == EVENTS_CANCELLED;
    if (event->kind == EVENTS_IRECV_DONE || event->kind == EVENTS_RECV) {
        done.source = (int32_t)event->peer;
        done.tag = tag_of(event->tag);
        done.bytes = event->bytes;
    }
    CORE_CHECK(!record->request || record->request <= calls->request_count);
    return spool_put_done(writer, &done) ? CORE_OK : spools_stopped(writer);
}

static enum core_status requests_put(struct spool_writer *writer, const struct import_event *of)
{
    uint32_t *id;
    enum core_status status = CORE_ARRAY_NEW(id, of->done_count, "the requests of a call");

    for (uint32_t i = 0; status == CORE_OK && i < of->done_count; i++)
        id[i] = of->done[i]->request;
    enum { PART = SPOOL_DELTA_SAME_MAX / sizeof *id };
    for (uint32_t first = 0; status == CORE_OK && first < of->done_count; first += PART) {
        uint32_t here = of->done_count - first < PART ? of->done_count - first : PART;
        const struct spool_list list = {.head = {SPOOL_LIST, 0, SPOOL_LIST_REQUESTS, sizeof *id},
                                        .seq = of->event.seq,
                                        .argument = 1,
                                        .total = of->done_count,
                                        .first = first,
                                        .count = here};
        if (!spool_put_list(writer, &list, id + first))
            status = spools_stopped(writer);
    }
    free(id);
    return status;
}

/* Tells whether the call takes a list of requests. */
static bool takes_list(const struct calls_call *call)
{
    return meaning_at(call->meaning).traits &
           (TRAIT_BIT(COMPLETES_ALL) | TRAIT_BIT(COMPLETES_ANY) | TRAIT_BIT(COMPLETES_SOME));
}

static enum core_status event_put(struct import_rank *rank, struct spool_writer *writer,
                                  const struct calls_call *call, struct import_event *of)
{
    enum core_status status = CORE_OK;

    rank->import->summary->calls++;
    if (takes_list(call))
        status = requests_put(writer, of);
    if (status == CORE_OK && call->pending) {
        struct spool_header *header = writer->header;
        spool_commit(writer);
        header->open[header->depth] = of->event;
        header->open[header->depth].t_leave = 0;
        header->depth++;
        return CORE_OK;
    }
    for (uint32_t i = 0; status == CORE_OK && i < of->done_count; i++)
        status = done_put(writer, &rank->calls, of, i);
    of->half.head = (struct spool_head){SPOOL_RECV_HALF, sizeof of->half / 8, 0, 0};
    of->half.seq = of->event.seq;
    if (status == CORE_OK && of->has_half && !spool_put_part(writer, &of->half.head))
        status = spools_stopped(writer);
    if (status == CORE_OK && !spool_put_event(writer, &of->event)) /* invariant 2 */
        status = spools_stopped(writer);
    spool_commit(writer);
    rank->last_seq = of->event.seq > rank->last_seq ? of->event.seq : rank->last_seq;
    return status;
}

/* --- by class --------------------------------------------------------------------------------- */

/* Returns the class as which a call is written; OTHER if its effect cannot be converted. */
static enum event_class told_class(enum event_class class)
{
    switch (class) {
    case EVENT_CLASS_MRECV: /* its probe is not written: it receives what the probe found */
        return EVENT_CLASS_RECV;
    case EVENT_CLASS_IMRECV:
        return EVENT_CLASS_IRECV;
    case EVENT_CLASS_INIT:
    case EVENT_CLASS_FINALIZE:
    case EVENT_CLASS_SEND:
    case EVENT_CLASS_ISEND:
    case EVENT_CLASS_RECV:
    case EVENT_CLASS_IRECV:
    case EVENT_CLASS_SENDRECV:
    case EVENT_CLASS_WAIT:
    case EVENT_CLASS_WAITALL:
    case EVENT_CLASS_WAITANY:
    case EVENT_CLASS_WAITSOME:
    case EVENT_CLASS_TEST:
    case EVENT_CLASS_TESTALL:
    case EVENT_CLASS_TESTANY:
    case EVENT_CLASS_TESTSOME:
    case EVENT_CLASS_COLL:
    case EVENT_CLASS_ICOLL:
        return class;
    default:
        return EVENT_CLASS_OTHER;
    }
}

/* Tells whether a call is left out, because nothing is known of its messages. */
static bool is_blind(enum event_class class)
{
    return class == EVENT_CLASS_ISENDRECV;
}

static void leave_out(struct import_rank *rank, uint32_t meaning)
{
    rank->import->left_out[meaning == ARCHIVE_NONE ? meaning_count() : meaning]++;
    rank->import->summary->left_out++;
    rank->lost++;
}

static enum core_status send_set(struct import_rank *rank, struct spool_writer *writer,
                                 const struct calls_call *call, enum events_kind kind,
                                 struct import_event *of, bool *out_known)
{
    struct calls_record *record = record_of(call, kind);

    if (!record) {
        *out_known = rank->told[call->meaning];
        nobody_set(&of->event);
        return CORE_OK;
    }
    record->used = true;
    of->event.request = record->request;
    return message_set(rank, writer, record->event.peer, record->event.tag, record->event.comm,
                       record->event.bytes, &of->event, out_known);
}

static enum core_status done_add(struct import_event *of, struct calls_record *record)
{
    record->used = true;
    return CORE_ARRAY_PUSH(of->done, of->done_count, of->done_room, "the requests of a call",
                           record);
}

static enum core_status recv_set(struct import_rank *rank, struct spool_writer *writer,
                                 const struct calls_call *call, struct import_event *of,
                                 bool *out_known)
{
    struct calls_record *record = record_of(call, EVENTS_RECV);
    enum core_status status;

    if (!record) {
        *out_known = rank->told[call->meaning];
        nobody_set(&of->event);
        return CORE_OK;
    }
    status = message_set(rank, writer, record->event.peer, record->event.tag, record->event.comm,
                         record->event.bytes, &of->event, out_known);
    return status == CORE_OK ? done_add(of, record) : status;
}

static enum core_status irecv_set(struct import_rank *rank, struct spool_writer *writer,
                                  const struct calls_call *call, struct import_event *of,
                                  bool *out_known)
{
    struct calls_record *record = record_of(call, EVENTS_IRECV);
    const struct calls_request *request;

    if (!record) {
        *out_known = rank->told[call->meaning];
        nobody_set(&of->event);
        return CORE_OK;
    }
    record->used = true;
    request = calls_request(&rank->calls, record->request);
    *out_known = request->done;
    if (!request->done)
        return CORE_OK;
    of->event.request = record->request;
    return message_set(rank, writer, request->peer, request->tag, request->comm, request->bytes,
                       &of->event, out_known);
}

static enum core_status sendrecv_set(struct import_rank *rank, struct spool_writer *writer,
                                     const struct calls_call *call, struct import_event *of,
                                     bool *out_known)
{
    struct import_event receive = {.event = of->event};
    bool received = true;
    enum core_status status = send_set(rank, writer, call, EVENTS_SEND, of, out_known);

    if (status == CORE_OK)
        status = recv_set(rank, writer, call, &receive, &received);
    *out_known = *out_known && received;
    of->has_half = true;
    of->half = (struct spool_recv_half){.peer = receive.event.peer,
                                        .tag = receive.event.tag,
                                        .type = receive.event.type,
                                        .count = receive.event.count};
    if (of->event.peer == EVENT_PROC_NULL)
        of->event.comm = receive.event.comm;
    of->done = receive.done;
    of->done_count = receive.done_count;
    of->done_room = receive.done_room;
    return status;
}

static enum core_status coll_set(struct import_rank *rank, struct spool_writer *writer,
                                 const struct calls_call *call, enum verb verb,
                                 struct import_event *of, bool *out_known)
{
    struct calls_record *record = record_of(call, EVENTS_COLLECTIVE);

    *out_known = false;
    if (!record)
        return CORE_OK;
    record->used = true;
    return collective_set(rank, writer, verb, record->event.peer, record->event.comm, &of->event,
                          out_known);
}

static enum core_status icoll_set(struct import_rank *rank, struct spool_writer *writer,
                                  const struct calls_call *call, enum verb verb,
                                  struct import_event *of, bool *out_known)
{
    struct calls_record *record = record_of(call, EVENTS_ICOLLECTIVE);
    const struct calls_request *request;

    *out_known = false;
    if (!record)
        return CORE_OK;
    record->used = true;
    request = calls_request(&rank->calls, record->request);
    if (!request->done)
        return CORE_OK;
    of->event.request = record->request;
    return collective_set(rank, writer, verb, request->peer, request->comm, &of->event, out_known);
}

/* Tells whether the record completes a request; cancelled receives took no message and are left
 * out. */
static bool record_completes(const struct calls *calls, const struct calls_record *record)
{
    const struct calls_request *request;

    if (!record->request || record->used || record->event.kind == EVENTS_IRECV)
        return false;
    request = calls_request(calls, record->request);
    return record->event.kind != EVENTS_CANCELLED ? request->done || request->kind == EVENTS_ISEND
                                                  : request->kind == EVENTS_ISEND;
}

static enum core_status wait_set(struct import_rank *rank, const struct calls_call *call,
                                 struct import_event *of, bool *out_known)
{
    enum core_status status = CORE_OK;
    bool named = true; /* every request is known */

    for (uint32_t i = 0; status == CORE_OK && i < call->record_count; i++) {
        named &= call->record[i].request > 0;
        if (record_completes(&rank->calls, &call->record[i]))
            status = done_add(of, &call->record[i]);
    }
    if (!takes_list(call) && of->done_count)
        of->event.request = of->done[0]->request;
    /* A wait without any event may have been for a send, if sends have no event when they end. */
    bool silent = rank->made[0] && !rank->completed[0];
    *out_known =
        named && rank->told[call->meaning] && (of->done_count || !(call->pending || silent));
    return status;
}

/* Tells whether the call, written as this class, tests requests. */
static bool is_test(const struct calls_call *call, enum event_class class)
{
    return class != EVENT_CLASS_OTHER && trait_in(meaning_at(call->meaning).traits, TRAIT_POLLS);
}

/* Fills in the call by its class. *out_known = false: the archive lacks required data. */
static enum core_status call_set(struct import_rank *rank, struct spool_writer *writer,
                                 const struct calls_call *call, enum event_class class,
                                 struct import_event *of, bool *out_known)
{
    const struct meaning meaning = meaning_at(call->meaning);

    *out_known = true;
    switch (class) {
    case EVENT_CLASS_SEND:
        return send_set(rank, writer, call, EVENTS_SEND, of, out_known);
    case EVENT_CLASS_ISEND:
        return send_set(rank, writer, call, EVENTS_ISEND, of, out_known);
    case EVENT_CLASS_RECV:
        return recv_set(rank, writer, call, of, out_known);
    case EVENT_CLASS_IRECV:
        return irecv_set(rank, writer, call, of, out_known);
    case EVENT_CLASS_SENDRECV:
        return sendrecv_set(rank, writer, call, of, out_known);
    case EVENT_CLASS_COLL:
        return coll_set(rank, writer, call, meaning.verb, of, out_known);
    case EVENT_CLASS_ICOLL:
        return icoll_set(rank, writer, call, meaning.verb, of, out_known);
    case EVENT_CLASS_INIT:
    case EVENT_CLASS_FINALIZE:
    case EVENT_CLASS_OTHER:
        return CORE_OK;
    default:
        return wait_set(rank, call, of, out_known);
    }
}

static void event_begin(const struct calls_call *call, struct import_event *of)
{
    of->done_count = 0;
    of->has_half = false;
    of->event = (struct spool_event){.head = {SPOOL_EVENT, sizeof of->event / 8, 0, 0},
                                     .seq = call->seq,
                                     .t_enter = call->t_enter,
                                     .t_leave = call->t_leave,
                                     .peer = EVENT_NONE,
                                     .tag = EVENT_NONE,
                                     .count = EVENT_NONE};
}

static enum core_status call_put(struct import_rank *rank, const struct calls_call *call)
{
    const enum event_class own = meaning_at(call->meaning).class, class = told_class(own);
    struct import_event of = {0};
    struct spool_writer *writer;
    bool known = false;
    enum core_status status = spools_lane(&rank->spools, call->lane, &writer);

    event_begin(call, &of);
    if (status == CORE_OK)
        status = spools_call(&rank->spools, writer, call->meaning, class, &of.event.head.a);
    if (status == CORE_OK)
        status = spools_site(&rank->spools, writer, call->caller, &of.event.site);
    if (status == CORE_OK)
        status = call_set(rank, writer, call, class, &of, &known);
    if (status == CORE_OK && is_test(call, class) && !of.done_count)
        rank->import->summary->polls++;
    else if (status == CORE_OK && (!known || is_blind(own)))
        leave_out(rank, call->meaning); /* invariant 1 */
    else if (status == CORE_OK)
        status = event_put(rank, writer, call, &of);
    rank->import->summary->unjudged +=
        class == EVENT_CLASS_OTHER && !(meaning_at(call->meaning).traits & TRAIT_BIT(LOCAL));
    free(of.done);
    return status;
}

/* Names the function to write for a record that is a part of another call or outside of all:
 * MPI_Start sends like MPI_Isend. */
static const char *name_alone(enum events_kind kind)
{
    switch (kind) {
    case EVENTS_SEND:
        return "MPI_Send";
    case EVENTS_ISEND:
        return "MPI_Isend";
    case EVENTS_RECV:
        return "MPI_Recv";
    case EVENTS_IRECV:
        return "MPI_Irecv";
    case EVENTS_ISEND_DONE:
    case EVENTS_IRECV_DONE:
    case EVENTS_ICOLLECTIVE_DONE:
        return "MPI_Wait";
    default:
        return NULL;
    }
}

static enum core_status record_alone(struct import_rank *rank, const struct calls_call *call,
                                     struct calls_record *record, uint64_t seq)
{
    struct calls_call alone = *call;
    enum core_status status;

    alone.meaning = meaning_find(name_alone(record->event.kind));
    alone.seq = seq;
    alone.t_enter = alone.t_leave = record->event.time;
    alone.record = record;
    alone.record_count = 1;
    alone.pending = false;
    /* This record says nothing of the function's own calls. */
    bool told = rank->told[alone.meaning];
    rank->told[alone.meaning] = true;
    status = call_put(rank, &alone);
    rank->told[alone.meaning] = told;
    return status;
}

static enum core_status records_alone(struct import_rank *rank, const struct calls_call *call)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; status == CORE_OK && i < call->record_count; i++) {
        struct calls_record *record = &call->record[i];
        if (record->used)
            continue;
        if (name_alone(record->event.kind))
            status = record_alone(rank, call, record, calls_number(&rank->calls));
        else if (call->meaning == ARCHIVE_NONE && record->event.kind == EVENTS_COLLECTIVE)
            leave_out(rank, call->meaning); /* outside of calls: its function is unknown */
    }
    return status;
}

/* Writes receives that only this call, which completes them, names: the archive does not say which
 * call posted them. They come before the call. */
static enum core_status posted_put(struct import_rank *rank, struct calls_call *call)
{
    enum event_class class = meaning_at(call->meaning).class;
    enum core_status status = CORE_OK;

    if (class < EVENT_CLASS_WAIT || class > EVENT_CLASS_TESTSOME)
        return CORE_OK;
    for (uint32_t i = 0; status == CORE_OK && i < call->record_count; i++) {
        struct calls_record *record = &call->record[i];
        if (record->event.kind != EVENTS_IRECV || record->used)
            continue;
        record->event.time = call->t_enter;
        rank->import->summary->unposted++;
        status = record_alone(rank, call, record, call->seq);
        call->seq = calls_number(&rank->calls);
    }
    return status;
}

/* --- a rank ----------------------------------------------------------------------------------- */

static enum core_status rank_put(struct import_rank *rank)
{
    struct import *import = rank->import;
    struct calls_call call;
    bool more = true;
    enum core_status status;

    while ((status = calls_next(&rank->calls, &call, &more)) == CORE_OK && more) {
        if (call.meaning != ARCHIVE_NONE) {
            status = posted_put(rank, &call);
            if (status == CORE_OK)
                status = call_put(rank, &call);
        }
        if (status == CORE_OK)
            status = records_alone(rank, &call);
        if (status != CORE_OK)
            return status;
        import->done += 2 + call.record_count;
        if (call.seq % PROGRESS_CALLS == 0)
            core_progress_at(import->done);
    }
    return status;
}

static enum core_status rank_import(struct import *import, uint32_t number, const char *folder)
{
    struct import_rank rank = {.import = import};
    enum core_status status = CORE_ARRAY_NEW(rank.told, meaning_count(), "a rank");

    if (status == CORE_OK)
        status = calls_open(&rank.calls, &import->archive, number);
    if (status == CORE_OK)
        status = rank_learn(&rank);
    if (status == CORE_OK)
        status = calls_open_again(&rank.calls, number);
    if (status == CORE_OK)
        status = spools_open(&rank.spools, &import->archive, folder, number);
    if (status == CORE_OK)
        status = rank_put(&rank);
    if (status == CORE_OK)
        status = spools_finish(&rank.spools,
                               rank.finalized ? SPOOL_STATE_FINALIZED : SPOOL_STATE_RUNNING,
                               rank.lost, rank.last_seq);
    import->summary->ends_known &= rank.finalized;
    spools_close(&rank.spools);
    calls_close(&rank.calls);
    free(rank.told);
    return status;
}

/* --- the whole -------------------------------------------------------------------------------- */

static void names_write(const struct import *import)
{
    char *to = import->summary->left_out_names, number[32];
    size_t room = sizeof import->summary->left_out_names, used = 0;

    for (uint32_t i = 0; i <= meaning_count() && used < room; i++) {
        const char *name =
            i < meaning_count() ? meaning_at(i).name : "collectives outside of calls";
        if (!import->left_out[i])
            continue;
        int more = snprintf(to + used, room - used, "%s%s %s", used ? ", " : "", name,
                            describe_number(import->left_out[i], number, sizeof number));
        used += more > 0 ? (size_t)more : 0;
    }
}

/* Tells whether two communicators with the same members are each used by only some of them: then a
 * tool numbered one communicator differently on each rank. `users`: by index of the
 * communicator. */
static bool comms_differ(const struct core_table *comms, const uint32_t *users)
{
    for (uint32_t a = 0; a < comms->count; a++) {
        const struct archive_comm *one = core_table_at(comms, a);
        if (!one->known || !users[a] || users[a] >= one->count)
            continue;
        for (uint32_t b = a + 1; b < comms->count; b++) {
            const struct archive_comm *other = core_table_at(comms, b);
            if (other->known && users[b] && users[b] < other->count && other->count == one->count &&
                !memcmp(other->member, one->member, one->count * sizeof *one->member))
                return true;
        }
    }
    return false;
}

static uint32_t comms_known(const struct core_table *comms)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < comms->count; i++)
        count += ((const struct archive_comm *)core_table_at(comms, i))->known;
    return count;
}

static enum core_status comms_compare(struct import *import, const char *folder)
{
    const struct core_table *comms = &import->archive.comm;
    uint32_t *users;
    enum core_status status = CORE_ARRAY_NEW(users, comms->count, "the communicators");

    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < import->user.count; i++) {
        const struct import_user *user = core_table_at(&import->user, i);
        const struct archive_comm *comm = archive_comm(&import->archive, user->key.comm);
        if (comm)
            users[((const char *)comm - comms->entry) / sizeof *comm]++;
    }
    import->summary->comms_differ = comms_differ(comms, users);
    free(users);
    import->summary->comms_hidden = import->comm_made && comms_known(comms) <= 1;
    return import->summary->comms_differ || import->summary->comms_hidden ? spools_lose(folder)
                                                                          : CORE_OK;
}

enum core_status import_otf2(const char *path, const char *folder,
                             struct import_summary *out_summary)
{
    struct import import = {.summary = out_summary, .user = CORE_TABLE(struct import_user, key)};
    enum core_status status;

    *out_summary = (struct import_summary){.ends_known = true};
    status = archive_open(&import.archive, path);
    if (status != CORE_OK)
        return status;
    out_summary->ranks = import.archive.rank_count;
    snprintf(out_summary->creator, sizeof out_summary->creator, "%s",
             import.archive.creator ? import.archive.creator : "");
    status = CORE_ARRAY_NEW(import.left_out, meaning_count() + 1, "the archive");
    core_progress_begin("importing", import.archive.events);
    for (uint32_t rank = 0; status == CORE_OK && rank < out_summary->ranks; rank++)
        status = rank_import(&import, rank, folder);
    core_progress_end();
    if (status == CORE_OK) {
        names_write(&import);
        status = comms_compare(&import, folder);
    }
    free(import.left_out);
    core_table_done(&import.user);
    archive_close(&import.archive);
    return status;
}
