/* The events of a rank of an OTF2 archive, in the order of time, as far as they say something of
 * MPI. Its threads are locations; each has a lane, numbered from 0 in the order of the archive's
 * definitions. */
#ifndef FOREIGN_EVENTS_H
#define FOREIGN_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "foreign/archive.h"

enum events_kind {
    EVENTS_ENTER, /* region */
    EVENTS_LEAVE,
    EVENTS_SEND,       /* peer, tag, comm, bytes */
    EVENTS_ISEND,      /* and request */
    EVENTS_ISEND_DONE, /* request */
    EVENTS_IRECV,      /* request; the message is told when it has come */
    EVENTS_RECV,
    EVENTS_IRECV_DONE, /* peer, tag, comm, bytes, request */
    EVENTS_TESTED,     /* request: a test that found it incomplete */
    EVENTS_CANCELLED,
    EVENTS_COLLECTIVE,      /* comm, root */
    EVENTS_ICOLLECTIVE,     /* request */
    EVENTS_ICOLLECTIVE_DONE /* comm, root, request */
};
struct events_event {
    enum events_kind kind;
    uint32_t lane;
    uint64_t time; /* ticks */
    uint64_t region, comm, bytes, request;
    uint32_t peer, tag; /* peer: also a root; UINT32_MAX: none */
};

struct events_lane;
struct events {
    struct archive *archive;
    struct events_lane *lane;
    uint32_t lane_count, lane_room;
};

/* Opens the locations of a rank; each of them can be read several times, one after the other. */
enum core_status events_open(struct events *events, struct archive *archive, uint32_t rank);
/* *out_more = false: no further event. Of two at the same time the lower lane's is first. */
enum core_status events_next(struct events *events, struct events_event *out_event, bool *out_more);
void events_close(struct events *events); /* takes a zeroed one */

#endif
