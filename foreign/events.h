/* Reads the MPI-related events of a rank of an OTF2 archive, in order of time. The rank's threads
 * are locations; each has a lane, numbered from 0 in the order of the archive's definitions. */
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
    EVENTS_ISEND,      /* also request */
    EVENTS_ISEND_DONE, /* request */
    EVENTS_IRECV,      /* request; the message follows at completion */
    EVENTS_RECV,
    EVENTS_IRECV_DONE, /* peer, tag, comm, bytes, request */
    EVENTS_TESTED,     /* request: a test found it incomplete */
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
    uint32_t peer, tag; /* peer: also the root; UINT32_MAX: none */
};

struct events_lane;
struct events {
    struct archive *archive;
    struct events_lane *lane;
    uint32_t lane_count, lane_room;
};

/* Opens the locations of a rank; they can be opened again after events_close. */
enum core_status events_open(struct events *events, struct archive *archive, uint32_t rank);
/* Reads the next event; of two at the same time the lower lane's comes first. *out_more = false at
 * the end. */
enum core_status events_next(struct events *events, struct events_event *out_event, bool *out_more);
void events_close(struct events *events); /* accepts a zeroed one */

#endif
