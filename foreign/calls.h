/* Reads the MPI calls of a rank of an OTF2 archive in the order in which they returned, each with
 * the events recorded inside it and the requests that these name.
 *
 * Tools may reuse request numbers; here each request has its own, from 1 in the order of creation.
 * The message of a receive is known only when it completes, so each rank is read twice: the first
 * reading learns, and in the second calls_request says what became of each request. */
#ifndef FOREIGN_CALLS_H
#define FOREIGN_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/table.h"
#include "foreign/archive.h"
#include "foreign/events.h"

struct calls_request {
    enum events_kind kind; /* EVENTS_ISEND, EVENTS_IRECV or EVENTS_ICOLLECTIVE */
    bool done, cancelled;
    uint32_t peer, tag; /* of a receive or collective, once it is done */
    uint64_t comm, bytes;
};
struct calls_record {
    struct events_event event;
    uint32_t request; /* 0: the event has none, or names one that was never made */
    bool used;        /* for use by the reader of the call */
};
struct calls_call {
    uint32_t lane, meaning;    /* meaning: ARCHIVE_NONE for events outside of all calls */
    uint64_t seq;              /* from 1, in the order of entering */
    uint64_t t_enter, t_leave; /* ticks */
    uint64_t caller;           /* region around the call; ARCHIVE_NONE: none */
    bool pending;              /* had not returned at the end of the record */
    struct calls_record *record;
    uint32_t record_count;
};

struct calls_lane;
struct calls {
    struct archive *archive;
    struct events events;
    struct calls_lane *lane;
    uint32_t lane_count, lane_room, pending_at;
    uint64_t seq; /* last one assigned */
    struct calls_request *request;
    uint32_t request_count, request_room;
    uint32_t request_next;  /* made so far in this reading */
    struct core_table open; /* by the archive's number: its newest request */
    bool learnt;
};

/* Open a rank for its first and for its second reading. */
enum core_status calls_open(struct calls *calls, struct archive *archive, uint32_t rank);
enum core_status calls_open_again(struct calls *calls, uint32_t rank);
/* Reads the next call; its pointers are valid until the next one is read. *out_more = false at the
 * end. */
enum core_status calls_next(struct calls *calls, struct calls_call *out_call, bool *out_more);
/* Returns a number for a call that the archive shows only as a part of another. */
uint64_t calls_number(struct calls *calls);
const struct calls_request *calls_request(const struct calls *calls, uint32_t request);
void calls_close(struct calls *calls); /* accepts a zeroed one */

#endif
