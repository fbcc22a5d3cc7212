/* A record of a spool seen as an event of a trace, so that whoever follows what a rank does
 * (request.h) need not know where from it is read.
 *
 * Ids are the rank's own, not the trace's: event->comm is a communicator's, and for calls on
 * windows and files theirs. Call, sites, types, operations and times are left out: followers need
 * them not, and each source has its own. Completions are those that a call reports, and all
 * requests of one that starts them. */
#ifndef CORE_TRACE_EVENT_VIEW_H
#define CORE_TRACE_EVENT_VIEW_H

#include "core/spool/spool.h"
#include "core/trace/trace.h"

struct event_parts { /* what is known of the call besides its record */
    enum event_class class;
    enum event_mode mode;
    uint64_t traits;
    bool inside;    /* the library makes it for another one */
    bool pending;   /* it had not returned */
    uint64_t bytes; /* what its count and type come to */
    /* what was committed for it; all may be zero */
    const struct spool_recv_half *recv_half;
    const int64_t *request; /* SPOOL_LIST_REQUESTS */
    uint32_t request_count;
    const struct spool_done *done;
    uint32_t done_count;
    uint64_t message; /* MPI_Imrecv: its scalar */
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
