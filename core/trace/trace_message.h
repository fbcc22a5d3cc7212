/* The messages of the application as the statuses of its receives tell who got what (table
 * message_row). */
#ifndef CORE_TRACE_TRACE_MESSAGE_H
#define CORE_TRACE_TRACE_MESSAGE_H

#include "core/trace/trace.h"

struct trace_message {
    uint32_t source, dest;  /* world */
    uint64_t send, receive; /* the events that began them; both, but of one that nobody received */
    uint64_t count;         /* of messages like this one, itself included */
};
typedef enum core_status (*trace_message_fn)(const struct trace_message *message, void *context);

/* Gives one message for all whose sends, and whose receives, are equal calls (place, type, count,
 * peer, tag), with their number. Those that began with MPI_Start name no type: see their events.
 * threads: some rank's calls come from several; then of those messages only that are sure to be
 * paired as recorded, since one thread sends and one receives all with that tag between two ranks.
 * The same holds for communicators whose messages may overtake each other, where all sends with
 * that tag are equal. A status other than CORE_OK ends it and is returned. */
enum core_status trace_messages_each(struct trace *trace, bool threads, trace_message_fn fn,
                                     void *context);
/* The call that made the persistent request which the MPI_Start `start` starts. CORE_NOT_FOUND
 * without a report. */
enum core_status trace_started_get(struct trace *trace, uint32_t rank, uint64_t start,
                                   struct trace_event *out_event);
/* Every message of which the trace has the send, and no receive: by sender and call. */
enum core_status trace_messages_unreceived(struct trace *trace, trace_message_fn fn, void *context);
/* Every message whose two sides are in the trace. */
enum core_status trace_messages_all(struct trace *trace, trace_message_fn fn, void *context);

/* Each receive on a communicator of which its rank had said that receives have just the room that
 * their messages need: `given` is the call that said so. By ranks and their calls. */
typedef enum core_status (*trace_exact_fn)(uint32_t rank, uint64_t receive, uint64_t given,
                                           uint64_t bytes, void *context);
enum core_status trace_exact_each(struct trace *trace, trace_exact_fn fn, void *context);

#endif
