/* Messages that nobody received, by the recorded matching (core/trace/trace_message.h): it goes by
 * the statuses of the receives, and so holds for programs with probes and threads, too. */
#ifndef CHECKERS_UNRECEIVED_H
#define CHECKERS_UNRECEIVED_H

#include "core/trace/trace.h"

struct unreceived {
    struct unreceived_send {
        uint32_t rank, dest; /* world */
        uint64_t seq;        /* of the call that sent it */
    } * send;                /* by rank and seq */
    uint32_t count, room;
};

/* Sends to or from a rank of which the record does not tell all are left out: one that freed or
 * left alone a receive of any source or tag, or whose receive returned without a source, or that
 * freed a cancelled send; and sends in partitions. All ranks came to their end. */
enum core_status unreceived_find(struct trace *trace, struct unreceived *out);
void unreceived_done(struct unreceived *unreceived);

#endif
