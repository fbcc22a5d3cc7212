/* The calls of MPI that a rank of an OTF2 archive made, one by one in the order in which they
 * returned, each with what the archive recorded inside of it; and the requests that they name.
 *
 * Tools give requests numbers that they may use again; here each request has its own, from 1 on in
 * the order in which they were made. What a receive gets is known when it completes only, so a rank
 * is read twice: the first time learns, and the second time `request` tells what became of each. */
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
    uint32_t peer, tag; /* of a receive and of a collective once it is done */
    uint64_t comm, bytes;
};
struct calls_record {
    struct events_event event;
    uint32_t request; /* 0: the event has none, or names one that was not made */
    bool used;        /* for whoever looks at the call */
};
struct calls_call {
    uint32_t lane, meaning; /* meaning: ARCHIVE_NONE for what was recorded outside of all calls */
    uint64_t seq;           /* from 1 in the order of entering */
    uint64_t t_enter, t_leave; /* ticks */
    uint64_t caller;           /* the region around it; ARCHIVE_NONE: none */
    bool pending;              /* had not returned when the record ends */
    struct calls_record *record;
    uint32_t record_count;
};

struct calls_lane;
struct calls {
    struct archive *archive;
    struct events events;
    struct calls_lane *lane;
    uint32_t lane_count, lane_room, pending_at;
    uint64_t seq; /* given out so far */
    struct calls_request *request;
    uint32_t request_count, request_room;
    uint32_t request_next;  /* made so far in this reading */
    struct core_table open; /* the newest request of each number of the archive */
    bool learnt;
};

/* Opens a rank for its first reading; _again for the second. */
enum core_status calls_open(struct calls *calls, struct archive *archive, uint32_t rank);
enum core_status calls_open_again(struct calls *calls, uint32_t rank);
/* *out_more = false at the end. What out_call points to holds until the next call. */
enum core_status calls_next(struct calls *calls, struct calls_call *out_call, bool *out_more);
/* A number for a call that the archive tells as a part of another. */
uint64_t calls_number(struct calls *calls);
const struct calls_request *calls_request(const struct calls *calls, uint32_t request);
void calls_close(struct calls *calls); /* takes a zeroed one */

#endif
