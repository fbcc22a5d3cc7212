/* Presents a record of a spool as an event of a trace, so that a follower of a rank's calls
 * (request.h) works on either source.
 *
 * Ids are those of the rank, not of the trace: event->comm is the id of a communicator, window or
 * file. Call, sites, types, operations and times are left out: followers do not need them, and each
 * source has its own. Completions are those that a call reports; for a call that starts requests,
 * all its requests. */
#ifndef CORE_TRACE_EVENT_VIEW_H
#define CORE_TRACE_EVENT_VIEW_H

#include "core/spool/spool.h"
#include "core/trace/trace.h"

struct event_parts { /* facts about the call that its record does not hold */
    enum event_class class;
    enum event_mode mode;
    uint64_t traits;
    bool inside;    /* the library made it inside another call */
    bool pending;   /* the call had not returned */
    uint64_t bytes; /* count times the size of its datatype */
    /* further records of the call; all may be zero */
    const struct spool_recv_half *recv_half;
    const int64_t *request; /* SPOOL_LIST_REQUESTS */
    uint32_t request_count;
    const struct spool_done *done;
    uint32_t done_count;
    uint64_t message; /* MPI_Imrecv: id of the message */
};
struct event_view {           /* all zero at first; event_view_done frees it */
    struct trace_event event; /* valid until the next event_view_set */
    struct trace_completion *completion;
    uint32_t completion_room;
};

enum core_status event_view_set(struct event_view *view, const struct spool_event *record,
                                const struct event_parts *parts);
void event_view_done(struct event_view *view);

#endif
