/* See hint_stolen_message.h. */
#include "checkers/hint_stolen_message.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/matching/matching.h"
#include "core/trace/trace_message.h"

enum { LOOKED_AT_MAX = 4096 };

struct looking { /* looks for the receive that took, or may take, an awaited message */
    struct trace_event receive;
    uint32_t source;          /* world */
    struct trace_event taker; /* seq 0: none yet */
    int32_t sent;             /* site of the message that it took */
    uint32_t looked_at;
    uint32_t next; /* next one of the same rank: index + 1 */
};
struct search {
    struct trace *trace;
    struct looking *looking;
    uint32_t count, room;
    uint32_t *first; /* by rank: index + 1 */
    bool happened;
};

static void hint_stolen_message_look(const struct search *search, struct looking *looking,
                                     const struct trace_message *message)
{
    const struct trace_event *receive = &looking->receive;
    struct trace_event taker, send;

    CORE_CHECK(receive->peer >= 0 && receive->rank == message->dest);
    if ((search->happened && message->source != looking->source) ||
        message->receive >= receive->seq || message->receive <= looking->taker.seq ||
        looking->looked_at++ >= LOOKED_AT_MAX ||
        trace_event_get(search->trace, message->dest, message->receive, &taker) != CORE_OK ||
        taker.peer != EVENT_ANY || taker.comm != receive->comm ||
        trace_event_get(search->trace, message->source, message->send, &send) != CORE_OK ||
        !matching_overlaps(receive->tag, search->happened ? send.tag : taker.tag))
        return;
    looking->taker = taker;
    looking->sent = send.site;
}

static enum core_status look_all(const struct trace_message *message, void *context)
{
    const struct search *search = context;

    CORE_CHECK(message->dest < search->trace->rank_count);
    for (uint32_t i = search->first[message->dest]; i; i = search->looking[i - 1].next)
        hint_stolen_message_look(search, &search->looking[i - 1], message);
    return CORE_OK;
}

static enum core_status search_add(struct search *search, uint32_t rank, uint64_t seq)
{
    struct looking made = {0};
    struct trace_event *receive = &made.receive;

    if (trace_event_get(search->trace, rank, seq, receive) != CORE_OK ||
        !trait_in(receive->traits, TRAIT_RECEIVES) || receive->has_recv_half || receive->peer < 0 ||
        receive->comm < 0)
        return CORE_OK;
    int32_t source = trace_comm_world(search->trace, receive->comm, (int32_t)rank, receive->peer);
    if (source < 0)
        return CORE_OK;
    made.source = (uint32_t)source;
    made.next = search->first[rank];
    enum core_status status = CORE_ARRAY_PUSH(search->looking, search->count, search->room,
                                              "receives of a deadlock", made);
    if (status == CORE_OK)
        search->first[rank] = search->count;
    return status;
}

static void taker_add(const struct search *search, struct finding *finding,
                      const struct looking *looking)
{
    CORE_CHECK(looking->taker.seq && looking->taker.rank == looking->receive.rank);
    finding_fact(
        finding,
        "message race: %s of rank %" PRIu32
        " takes a message of any rank, whichever comes first, and %s that of rank %" PRIu32,
        search->trace->call[looking->taker.call].name, looking->receive.rank,
        search->happened ? "took" : "may take", looking->source);
    finding_place(finding, search->trace, "that receive is", looking->taker.site);
    if (search->happened)
        finding_place(finding, search->trace, "that message is sent", looking->sent);
}

enum core_status hint_stolen_message_add(const struct check_input *input, struct finding *finding,
                                         bool happened, bool *out_found)
{
    struct search search = {.trace = input->trace, .happened = happened};
    enum core_status status =
        CORE_ARRAY_NEW(search.first, input->trace->rank_count, "receives of a deadlock");

    for (uint32_t i = 0; i < finding->call_count && status == CORE_OK; i++) {
        const struct finding_call *call = &finding->call[i];

        if (call->core && call->seq)
            status =
                search_add(&search, call->rank, call->subject_seq ? call->subject_seq : call->seq);
    }
    if (status == CORE_OK && search.count)
        status = trace_messages_all(input->trace, look_all, &search);
    *out_found = false;
    for (uint32_t i = 0; i < search.count && status == CORE_OK; i++)
        if (search.looking[i].taker.seq) {
            taker_add(&search, finding, &search.looking[i]);
            *out_found = true;
        }
    free(search.looking);
    free(search.first);
    return status;
}
