/* The messages of a trace with the times of both ends, for drawing. */
#ifndef REPORTS_MESSAGES_H
#define REPORTS_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace.h"

struct report_message {
    uint64_t send_id, completed_id;     /* of the events below: rank << 40 | seq */
    uint32_t source, dest;              /* world ranks */
    int32_t source_thread, dest_thread; /* of the calls below */
    int32_t tag;
    uint64_t bytes;
    bool inner;      /* sent by the MPI library on behalf of a collective */
    uint64_t t_send; /* ns, when the sending call was entered */
    uint64_t t_enter,
        t_leave; /* of the call that completed the receive: the receive itself, a wait or a test */
    uint64_t messages; /* how many it stands for: 1 if its times are known */
    bool summed;       /* its times are unknown: the rounds of a loop are summed up */
};

typedef void (*report_message_fn)(const struct report_message *message, void *context);

/* Calls fn for each message whose receive completed, by send time; then for those whose times are
 * unknown, once for several in a row between the same two calls. */
enum core_status report_messages_each(struct trace *trace, report_message_fn fn, void *context);

#endif
