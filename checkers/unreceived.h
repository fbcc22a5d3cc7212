/* Finds messages that no rank received, by the recorded matching (core/trace/trace_message.h). The
 * statuses of the receives decide, so it also holds for programs with probes and threads. */
#ifndef CHECKERS_UNRECEIVED_H
#define CHECKERS_UNRECEIVED_H

#include "core/trace/trace.h"

struct unreceived {
    struct unreceived_send {
        uint32_t rank, dest; /* world */
        uint64_t seq;        /* number of the call that sent the message */
    } * send;                /* ascending by rank and seq, but those to another job follow */
    uint32_t count, room;
    uint32_t abroad; /* those to another job; their dest is a rank of its side */
};

/* Lists the unreceived sends of a job whose ranks all finished. It leaves out partitioned sends,
 * and sends to or from a rank whose record is incomplete: one that freed or never completed a
 * wildcard receive, whose receive returned without a source, or that freed a cancelled send. */
enum core_status unreceived_find(struct trace *trace, struct unreceived *out);
void unreceived_done(struct unreceived *unreceived);

#endif
