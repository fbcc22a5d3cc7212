/* Lowers waits, tests and probes as what they chose, for callers that repeat the program call by
 * call: see options->choices in lower.h. */
#include "core/check.h"
#include "replay/program/lower_state.h"

enum { BITS_MAX = 63 };

static bool is_pollable(const struct trace_event *event)
{
    return trait_in(event->traits, TRAIT_POLLS);
}

static enum replay_test test_of(const struct trace_event *event)
{
    return trait_in(event->traits, TRAIT_COMPLETES_ALL)    ? REPLAY_TEST_ALL
           : trait_in(event->traits, TRAIT_COMPLETES_ANY)  ? REPLAY_TEST_ANY
           : trait_in(event->traits, TRAIT_COMPLETES_SOME) ? REPLAY_TEST_SOME
           : trait_in(event->traits, TRAIT_KEEPS_REQUEST)  ? REPLAY_TEST_LOOK
                                                           : REPLAY_TEST_ONE;
}

static uint32_t length_of(const struct trace_event *event)
{
    uint32_t length = event->completion_count ? 0 : event->request != 0;
    for (uint32_t i = 0; i < event->completion_count; i++)
        if (event->completion[i].index >= length)
            length = event->completion[i].index + 1;
    return length;
}

struct choice {
    int32_t chosen; /* index of the last completed one, or -1 */
    uint64_t bits;  /* bit per request that could complete: it did */
    uint32_t done;
};

/* Puts the requests of the call into lower->scratch. */
static void lower_choice_list(struct lower *lower, const struct trace_event *event, uint32_t length,
                              struct choice *choice)
{
    uint32_t active = 0;
    for (uint32_t i = 0; i < length; i++)
        lower->scratch[i] = REPLAY_NO_REQUEST;
    if (!event->completion_count && length)
        lower->scratch[0] = lower_number(requests_find(&lower->requests, event->request));
    for (uint32_t i = 0; i < event->completion_count; i++) {
        const struct trace_completion *done = &event->completion[i];
        const struct request *request = requests_find(&lower->requests, done->request);
        CORE_CHECK(done->index < length);
        lower->scratch[done->index] = lower_number(request);
        lower->notes->unknown_requests += lower_number(request) < 0 && done->request != 0;
        if (lower_number(request) < 0)
            continue;
        if (done->done) {
            choice->chosen = (int32_t)done->index;
            choice->bits |= active < BITS_MAX ? (uint64_t)1 << active : 0;
            choice->done++;
        }
        active++;
    }
}

enum core_status lower_choice(struct lower *lower, const struct trace_event *event, bool polling)
{
    static const uint8_t kind_of[] = {REPLAY_WAIT, REPLAY_WAIT, REPLAY_WAIT_ALL, REPLAY_WAIT_ANY,
                                      REPLAY_WAIT_SOME};
    enum replay_test test = test_of(event);
    uint32_t length = length_of(event);
    struct choice choice = {.chosen = -1};
    int32_t set;

    CORE_CHECK(!polling || is_pollable(event));
    enum core_status status =
        CORE_ARRAY_ROOM(lower->scratch, lower->scratch_room, length + 1, A_LOWERING);
    if (status != CORE_OK || !length)
        return status;
    lower_choice_list(lower, event, length, &choice);
    bool nothing = polling && !choice.done && event->completion_count + (event->request != 0);
    if (!nothing && test <= REPLAY_TEST_LOOK && lower->scratch[0] < 0)
        return CORE_OK;
    struct replay_op op = {.kind = nothing ? REPLAY_TEST : kind_of[test],
                           .mode = (uint8_t)test,
                           .flags = polling && !nothing ? REPLAY_FLAG_TEST : 0,
                           .bytes = test == REPLAY_TEST_SOME ? choice.bits : 0,
                           .request = lower->scratch[0]};
    if (nothing || test >= REPLAY_TEST_ALL) {
        status = replay_program_set(lower->program, lower->rank, lower->scratch, length,
                                    test == REPLAY_TEST_ANY ? choice.chosen : -1, &set);
        op.request = set;
    }
    return status == CORE_OK ? lower_add(lower, event, op) : status;
}

enum core_status lower_choice_probe(struct lower *lower, const struct trace_event *event)
{
    struct replay_op op = {
        .kind = REPLAY_IPROBE, .request = REPLAY_NO_REQUEST, .matched = REPLAY_ANY};
    bool bad;
    enum core_status status = lower_message_op(lower, event, LOWER_RECEIVES, &op, &bad);
    if (status != CORE_OK || bad || op.peer == REPLAY_PROC_NULL)
        return status;
    return lower_add(lower, event, op);
}

bool lower_choice_is_window(const struct trace_event *event)
{
    return event->verb >= VERB_WIN_CREATE && event->verb <= VERB_DETACH_MEMORY;
}

enum core_status lower_choice_window(struct lower *lower, const struct trace_event *event)
{
    struct replay_op op = {.kind = REPLAY_WINDOW, .request = REPLAY_NO_REQUEST};
    bool skip = false;
    int64_t ended = 1;
    enum core_status status = CORE_OK;
    CORE_CHECK(lower->options->choices && lower_choice_is_window(event));
    CORE_CHECK(trait_in(event->traits, TRAIT_WINDOW)); /* its verb is one of theirs */
    if (trait_in(event->traits, TRAIT_MAKES_WIN))
        status = lower_place(lower, event, false, event->comm, &op, &skip);
    else if (event->verb == VERB_TEST_EPOCH)
        status = trace_arg_first(lower->trace, event, "flag", &ended);
    if (status != CORE_OK || skip || !ended)
        return status;
    op.tag = 0;
    return trait_in(event->traits, TRAIT_MAKES_REQUEST)
               ? lower_start(lower, event, op, event->request)
               : lower_add(lower, event, op);
}
