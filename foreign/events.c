/* Reads the events of a rank. See foreign/events.h. The OTF2 library calls back for each record in
 * a block of a location; events that matter are copied into a buffer, and buffers are merged by
 * time.
 *
 * Invariants
 *  1. buffer[at, count) are a lane's next events. */
#include "foreign/events.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/check.h"

enum { BLOCK = 1024 };

struct events_lane {
    uint64_t location;
    uint32_t number;
    OTF2_EvtReader *reader;
    struct events_event buffer[BLOCK];
    uint32_t at, count;
    bool end;
};

/* --- callbacks -------------------------------------------------------------------------------- */

#define HEAD                                                                          \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *context, \
        OTF2_AttributeList *attributes

static OTF2_CallbackCode event_keep(void *context, uint64_t time, struct events_event event)
{
    struct events_lane *lane = context;

    CORE_CHECK(lane->count < BLOCK);
    event.time = time;
    event.lane = lane->number;
    lane->buffer[lane->count++] = event;
    return OTF2_CALLBACK_SUCCESS;
}
#define PUT(...)                                       \
    ((void)location, (void)position, (void)attributes, \
     event_keep(context, time, (struct events_event){__VA_ARGS__}))

static OTF2_CallbackCode on_enter(HEAD, OTF2_RegionRef region)
{
    return PUT(.kind = EVENTS_ENTER, .region = region);
}

static OTF2_CallbackCode on_leave(HEAD, OTF2_RegionRef region)
{
    return PUT(.kind = EVENTS_LEAVE, .region = region);
}

static OTF2_CallbackCode on_send(HEAD, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t length)
{
    return PUT(.kind = EVENTS_SEND, .peer = receiver, .comm = comm, .tag = tag, .bytes = length);
}

static OTF2_CallbackCode on_isend(HEAD, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t length, uint64_t request)
{
    return PUT(.kind = EVENTS_ISEND, .peer = receiver, .comm = comm, .tag = tag, .bytes = length,
               .request = request);
}

static OTF2_CallbackCode on_isend_done(HEAD, uint64_t request)
{
    return PUT(.kind = EVENTS_ISEND_DONE, .request = request);
}

static OTF2_CallbackCode on_irecv(HEAD, uint64_t request)
{
    return PUT(.kind = EVENTS_IRECV, .request = request);
}

static OTF2_CallbackCode on_recv(HEAD, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t length)
{
    return PUT(.kind = EVENTS_RECV, .peer = sender, .comm = comm, .tag = tag, .bytes = length);
}

static OTF2_CallbackCode on_irecv_done(HEAD, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                       uint64_t length, uint64_t request)
{
    return PUT(.kind = EVENTS_IRECV_DONE, .peer = sender, .comm = comm, .tag = tag, .bytes = length,
               .request = request);
}

static OTF2_CallbackCode on_tested(HEAD, uint64_t request)
{
    return PUT(.kind = EVENTS_TESTED, .request = request);
}

static OTF2_CallbackCode on_cancelled(HEAD, uint64_t request)
{
    return PUT(.kind = EVENTS_CANCELLED, .request = request);
}

static OTF2_CallbackCode on_collective(HEAD, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                       uint32_t root, uint64_t sent, uint64_t received)
{
    (void)operation, (void)sent, (void)received;
    return PUT(.kind = EVENTS_COLLECTIVE, .comm = comm, .peer = root);
}

static OTF2_CallbackCode on_icollective(HEAD, uint64_t request)
{
    return PUT(.kind = EVENTS_ICOLLECTIVE, .request = request);
}

static OTF2_CallbackCode on_icollective_done(HEAD, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                             uint32_t root, uint64_t sent, uint64_t received,
                                             uint64_t request)
{
    (void)operation, (void)sent, (void)received;
    return PUT(.kind = EVENTS_ICOLLECTIVE_DONE, .comm = comm, .peer = root, .request = request);
}

static OTF2_ErrorCode callbacks_register(struct archive *archive, struct events_lane *lane)
{
    OTF2_EvtReaderCallbacks *to = OTF2_EvtReaderCallbacks_New();
    OTF2_ErrorCode code;

    if (!to)
        return OTF2_ERROR_MEM_FAULT;
    OTF2_EvtReaderCallbacks_SetEnterCallback(to, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(to, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(to, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(to, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(to, on_isend_done);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(to, on_irecv);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(to, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(to, on_irecv_done);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(to, on_tested);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(to, on_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(to, on_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(to, on_icollective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(to, on_icollective_done);
    code = OTF2_Reader_RegisterEvtCallbacks(archive->reader, lane->reader, to, lane);
    OTF2_EvtReaderCallbacks_Delete(to);
    return code;
}

/* --- lanes ------------------------------------------------------------------------------------ */

static enum core_status lane_failed(const struct events_lane *lane)
{
    return core_report(CORE_BAD_FORMAT, "cannot read the events of location %llu of the archive",
                       (unsigned long long)lane->location);
}

static enum core_status lane_open(struct archive *archive, struct events_lane *lane)
{
    lane->reader = OTF2_Reader_GetEvtReader(archive->reader, lane->location);
    if (!lane->reader || callbacks_register(archive, lane) != OTF2_SUCCESS)
        return lane_failed(lane);
    return CORE_OK;
}

static enum core_status lane_fill(struct archive *archive, struct events_lane *lane)
{
    while (lane->at == lane->count && !lane->end) {
        uint64_t read = 0;
        lane->at = lane->count = 0;
        if (OTF2_Reader_ReadLocalEvents(archive->reader, lane->reader, BLOCK, &read) !=
            OTF2_SUCCESS)
            return lane_failed(lane);
        lane->end = read < BLOCK; /* asking once more at the end is an error */
    }
    return CORE_OK;
}

enum core_status events_open(struct events *events, struct archive *archive, uint32_t rank)
{
    enum core_status status = CORE_OK;

    memset(events, 0, sizeof *events);
    events->archive = archive;
    for (uint32_t i = 0; i < archive->location.count; i++) {
        const struct archive_location *location = core_table_at(&archive->location, i);
        if (location->rank != rank || !location->events)
            continue;
        status = CORE_ARRAY_ROOM_ZERO(events->lane, events->lane_room, events->lane_count + 1ul,
                                      "the events of a rank");
        if (status != CORE_OK)
            break;
        events->lane[events->lane_count].location = location->ref;
        events->lane[events->lane_count].number = events->lane_count;
        events->lane_count++;
    }
    for (uint32_t i = 0; status == CORE_OK && i < events->lane_count; i++)
        status = lane_open(archive, &events->lane[i]);
    if (status != CORE_OK)
        events_close(events);
    return status;
}

enum core_status events_next(struct events *events, struct events_event *out_event, bool *out_more)
{
    struct events_lane *first = NULL;

    for (uint32_t i = 0; i < events->lane_count; i++) {
        struct events_lane *lane = &events->lane[i];
        enum core_status status = lane_fill(events->archive, lane);
        if (status != CORE_OK)
            return status;
        if (lane->at < lane->count &&
            (!first || lane->buffer[lane->at].time < first->buffer[first->at].time))
            first = lane;
    }
    *out_more = first != NULL;
    CORE_CHECK(!first || first->at < first->count); /* invariant 1 */
    if (first)
        *out_event = first->buffer[first->at++];
    return CORE_OK;
}

void events_close(struct events *events)
{
    for (uint32_t i = 0; i < events->lane_count; i++)
        if (events->lane[i].reader)
            OTF2_Reader_CloseEvtReader(events->archive->reader, events->lane[i].reader);
    free(events->lane);
    memset(events, 0, sizeof *events);
}
