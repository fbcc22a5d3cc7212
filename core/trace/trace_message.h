/* The application's messages, as the statuses of its receives show them (table message_row). */
#ifndef CORE_TRACE_TRACE_MESSAGE_H
#define CORE_TRACE_TRACE_MESSAGE_H

#include "core/trace/trace.h"

struct trace_message {
    uint32_t source, dest;  /* world */
    uint64_t send, receive; /* the events that began the two sides; receive is missing only in
                               trace_messages_unreceived */
    uint64_t count;         /* number of messages like this one, itself included */
};
typedef enum core_status (*trace_message_fn)(const struct trace_message *message, void *context);

/* Visits one message for all messages whose sends, and whose receives, are equal calls (place,
 * type, count, peer, tag), with their number. Communications begun by MPI_Start have no type: see
 * their events. threads: some rank makes calls from several threads; then only messages are visited
 * whose recorded pairing is certain, because one thread sends and one receives all messages with
 * that tag between the two ranks. On communicators whose messages may overtake each other, only
 * messages whose sends with that tag are all equal. A status other than CORE_OK from fn ends the
 * visit and is returned. */
enum core_status trace_messages_each(struct trace *trace, bool threads, trace_message_fn fn,
                                     void *context);
/* Loads the call that made the persistent request which the MPI_Start at `start` starts. Returns
 * CORE_NOT_FOUND without a report if there is none. */
enum core_status trace_started_get(struct trace *trace, uint32_t rank, uint64_t start,
                                   struct trace_event *out_event);
/* Visits every message that was sent and not received in the trace, by sender and call. */
enum core_status trace_messages_unreceived(struct trace *trace, trace_message_fn fn, void *context);
/* Visits every message with both sides in the trace. */
enum core_status trace_messages_all(struct trace *trace, trace_message_fn fn, void *context);

/* Visits each receive on a communicator whose rank had promised (by info) that receives have
 * exactly the size of their messages; `given` is the call that gave the info. By rank and call. */
typedef enum core_status (*trace_exact_fn)(uint32_t rank, uint64_t receive, uint64_t given,
                                           uint64_t bytes, void *context);
enum core_status trace_exact_each(struct trace *trace, trace_exact_fn fn, void *context);

/* Calls fn for each kind of message to another job that no rank of it received: the last `count`
 * that the rank sent to rank `peer` of the communicator's other side. */
struct trace_unreceived {
    int32_t comm;
    uint32_t rank;
    int32_t peer, tag;
    uint64_t count;
};
typedef enum core_status (*trace_unreceived_fn)(const struct trace_unreceived *sent, void *context);
enum core_status trace_unreceived_each(struct trace *trace, trace_unreceived_fn fn, void *context);

#endif
