/* Lowers polls at the end of a record. A rank that only polled there is assumed to wait for what it
 * polled, for any of it if it polled several things. Whether it would have polled for ever is
 * unknown; REPLAY_FLAG_TEST on a pending operation marks such waits. A receive that is added here
 * comes at the end of the record, where it disturbs nothing. */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "replay/program/lower_state.h"

enum {
    POLLS_KEPT_MAX = 64
}; /* beyond this number of different polls, what the rank waits for is unknown */

static bool is_probe(const struct trace_event *event)
{
    return trait_in(event->traits, TRAIT_PROBES);
}

static uint64_t request_at(const struct trace_event *event, uint32_t index)
{
    CORE_CHECK(index < event->completion_count || index == 0);
    return event->completion_count ? event->completion[index].request : event->request;
}

static bool same_poll(const struct lower_poll *poll, const struct trace_event *event,
                      uint32_t requests)
{
    if (poll->event.class != event->class || poll->event.comm != event->comm ||
        poll->event.peer != event->peer || poll->event.win != event->win ||
        poll->event.tag != event->tag || poll->request_count != requests)
        return false;
    for (uint32_t i = 0; i < requests; i++)
        if (poll->request[i] != request_at(event, i))
            return false;
    return true;
}

void lower_poll_forget(struct lower_thread *thread)
{
    for (uint32_t i = 0; i < thread->poll_count; i++)
        free(thread->poll[i].request);
    thread->poll_count = 0;
}

enum core_status lower_poll_keep(struct lower_thread *thread, const struct trace_event *event)
{
    uint32_t requests = is_probe(event)           ? 0
                        : event->completion_count ? event->completion_count
                                                  : event->request != 0;

    for (uint32_t i = 0; i < thread->poll_count; i++)
        if (same_poll(&thread->poll[i], event, requests))
            return CORE_OK;
    CORE_CHECK(thread->poll_count <= POLLS_KEPT_MAX + 1); /* one more marks that there were more */
    if (thread->poll_count > POLLS_KEPT_MAX)
        return CORE_OK;
    struct lower_poll poll = {.event = *event, .request_count = requests};
    enum core_status status = CORE_ARRAY_NEW(poll.request, requests, A_LOWERING);
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < requests; i++)
        poll.request[i] = request_at(event, i);
    poll.event.completion = NULL;
    poll.event.completion_count = 0;
    status = CORE_ARRAY_PUSH(thread->poll, thread->poll_count, thread->poll_room, A_LOWERING, poll);
    if (status != CORE_OK)
        free(poll.request);
    return status;
}

/* Appends a request of the program to the scratch list. */
static enum core_status list_add(struct lower *lower, uint32_t *count, int32_t request)
{
    return CORE_ARRAY_PUSH(lower->scratch, *count, lower->scratch_room, A_LOWERING, request);
}

static enum core_status list_probe(struct lower *lower, struct trace_event *event, uint32_t *count,
                                   bool *out_known)
{
    struct replay_op op = {.kind = REPLAY_IRECV, .bytes = UINT64_MAX, .matched = REPLAY_ANY};
    bool bad;

    CORE_CHECK(is_probe(event) && event->pending);
    op.request = lower->program->rank[lower->rank].request_count;
    enum core_status status = lower_message_op(lower, event, LOWER_RECEIVES, &op, &bad);
    if (status != CORE_OK || bad || op.peer == REPLAY_PROC_NULL) {
        *out_known = false;
        return status;
    }
    lower->notes->wildcards += op.peer == REPLAY_ANY;
    status = lower_start(lower, event, op, 0);
    return status == CORE_OK ? list_add(lower, count, op.request) : status;
}

static enum core_status list_requests(struct lower *lower, const struct lower_poll *poll,
                                      uint32_t *count, bool *out_known)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; i < poll->request_count && status == CORE_OK; i++) {
        const struct request *request = requests_find(&lower->requests, poll->request[i]),
                             *twin = requests_twin(&lower->requests, poll->request[i]);
        if (lower_number(twin) >= 0)
            status = list_add(lower, count, lower_number(twin));
        else if (lower_number(request) >= 0)
            status = list_add(lower, count, lower_number(request));
        else if (poll->request[i] && !request)
            *out_known = false;
    }
    return status;
}

enum core_status lower_poll_end(struct lower *lower, struct lower_thread *thread)
{
    enum core_status status = CORE_OK;
    uint32_t count = 0;
    int32_t set;
    bool known = thread->poll_count > 0 && thread->poll_count <= POLLS_KEPT_MAX;
    bool all =
        thread->poll_count == 1 && trait_in(thread->poll[0].event.traits, TRAIT_COMPLETES_ALL);

    if (thread->poll_count == 1 && thread->poll[0].event.verb == VERB_TEST_EPOCH) {
        thread->poll[0].event.pending = true;
        return lower_rma(lower, &thread->poll[0].event);
    }
    for (uint32_t i = 0; i < thread->poll_count && known && status == CORE_OK; i++) {
        struct lower_poll *poll = &thread->poll[i];
        poll->event.pending = true;
        known = poll->event.verb != VERB_TEST_EPOCH; /* among others: not modelled */
        if (!known)
            break;
        status = is_probe(&poll->event) ? list_probe(lower, &poll->event, &count, &known)
                                        : list_requests(lower, poll, &count, &known);
    }
    if (status != CORE_OK || !known || !count)
        return status;
    CORE_CHECK(count <= lower->scratch_room);
    lower->notes->tests++;
    lower->notes->wildcards += !all && count > 1;
    status = replay_program_set(lower->program, lower->rank, lower->scratch, count, -1, &set);
    if (status != CORE_OK)
        return status;
    return lower_add(lower, &thread->poll[0].event,
                     (struct replay_op){.kind = all ? REPLAY_WAIT_ALL : REPLAY_WAIT_ANY,
                                        .flags = REPLAY_FLAG_TEST,
                                        .request = set});
}
