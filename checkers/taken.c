/* See taken.h. */
#include "checkers/taken.h"

#include <inttypes.h>

#include "core/check.h"
#include "core/trace/trace_message.h"

enum { LOOKED_AT_MAX = 4096 };

struct looking { /* for what took, or may take, a message that the receive waits for */
    struct trace *trace;
    const struct trace_event *receive;
    uint32_t source; /* world */
    bool happened;
    struct trace_event taker; /* seq 0: none so far */
    uint32_t looked_at;
};

static bool tags_fit(int32_t a, int32_t b)
{
    return a == b || a == EVENT_ANY || b == EVENT_ANY;
}

static enum core_status look(const struct trace_message *message, void *context)
{
    struct looking *looking = context;
    const struct trace_event *receive = looking->receive;
    struct trace_event taker, send;

    CORE_CHECK(receive->peer >= 0);
    if (message->dest != receive->rank ||
        (looking->happened && message->source != looking->source) ||
        message->receive >= receive->seq || message->receive <= looking->taker.seq ||
        looking->looked_at++ >= LOOKED_AT_MAX ||
        trace_event_get(looking->trace, message->dest, message->receive, &taker) != CORE_OK ||
        taker.peer != EVENT_ANY || taker.comm != receive->comm ||
        trace_event_get(looking->trace, message->source, message->send, &send) != CORE_OK ||
        !tags_fit(receive->tag, looking->happened ? send.tag : taker.tag))
        return CORE_OK;
    looking->taker = taker;
    return CORE_OK;
}

static enum core_status add_of(const struct check_input *input, struct finding *finding,
                               uint32_t rank, uint64_t seq, bool happened)
{
    struct trace_event receive;
    int32_t source;

    if (trace_event_get(input->trace, rank, seq, &receive) != CORE_OK ||
        !trait_in(receive.traits, TRAIT_RECEIVES) || receive.has_leg || receive.peer < 0 ||
        receive.comm < 0)
        return CORE_OK;
    source = trace_comm_world(input->trace, receive.comm, (int32_t)rank, receive.peer);
    if (source < 0)
        return CORE_OK;
    struct looking looking = {.trace = input->trace,
                              .receive = &receive,
                              .source = (uint32_t)source,
                              .happened = happened};
    enum core_status status = trace_messages_all(input->trace, look, &looking);
    if (status != CORE_OK || !looking.taker.seq)
        return status;
    CORE_CHECK(looking.taker.rank == rank);
    finding_fact(
        finding,
        "message race: %s of rank %" PRIu32
        " takes a message of any rank, whichever comes first, and %s that of rank %" PRId32,
        input->trace->call[looking.taker.call].name, rank, happened ? "took" : "may take", source);
    finding_place(finding, input->trace, "that receive is", looking.taker.site);
    return CORE_OK;
}

enum core_status taken_add(const struct check_input *input, struct finding *finding, bool happened)
{
    uint32_t count = finding->call_count; /* those added have none of their own */
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < count && status == CORE_OK; i++) {
        const struct finding_call *call = &finding->call[i];

        if (call->core && call->seq)
            status = add_of(input, finding, call->rank,
                            call->subject_seq ? call->subject_seq : call->seq, happened);
    }
    return status;
}
