/* Tests the follower of requests: small records with known steps, and random ones compared with a
 * naive follower that keeps nothing and reads the whole record again for each request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/fault.h"
#include "core/random.h"
#include "core/trace/request.h"
#include "tests/unit/meaning.h"

enum { EVENTS = 400, LIST = 4, TEXT = 200000 };

static const char step_letter[] = "MPBDFA"; /* made, probed, begun, done, freed, armed */
static const char kind_letter[] = "srcmo";

struct transcript {
    char *text;
    size_t bytes;
};

static void transcript_add(struct transcript *told, enum request_step step, int kind, uint64_t id,
                           uint64_t begun, int32_t peer, bool cancelled)
{
    told->bytes +=
        (size_t)snprintf(told->text + told->bytes, TEXT - told->bytes, "%c%c%llu@%llu=%d%s ",
                         step_letter[step], kind_letter[kind], (unsigned long long)id,
                         (unsigned long long)begun, peer, cancelled ? "x" : "");
    assert_true(told->bytes < TEXT);
}

static enum core_status tell(enum request_step step, const struct trace_event *event,
                             struct request *request, const struct trace_completion *done,
                             void *context)
{
    assert_int_equal(done != NULL, step == REQUEST_DONE);
    assert_true(event->seq >= request->made);
    transcript_add(context, step, request->kind, request->id, request->turn,
                   done && request->kind == REQUEST_RECEIVE ? done->source : request->peer,
                   request->cancelled);
    return CORE_OK;
}

/* --- the naive follower ----------------------------------------------------------------------- */

struct naive {
    bool there, persistent, active, cancelled;
    int kind;
    uint64_t turn;
    int32_t peer;
};

static bool refused(const struct trace_event *e)
{
    return e->error && (e->class == EVENT_CLASS_START || !e->completion_count);
}

static bool in_list(const struct trace_event *e, uint64_t id)
{
    for (uint32_t i = 0; i < e->completion_count; i++)
        if (e->completion[i].request == id)
            return true;
    return false;
}

static bool completes(const struct trace_event *e, uint64_t id)
{
    for (uint32_t i = 0; i < e->completion_count; i++)
        if (e->completion[i].done &&
            (e->completion[i].request ? e->completion[i].request : e->request) == id)
            return true;
    return false;
}

/* Returns what is known of a request before event number `count` of the record. */
static struct naive naive_find(const struct trace_event *record, uint32_t count, uint64_t id)
{
    struct naive n = {0};

    for (uint32_t i = 0; i < count && id; i++) {
        const struct trace_event *e = &record[i];
        struct naive made = {.there = true, .active = true, .turn = e->seq, .peer = e->peer};
        if (refused(e))
            continue;
        switch (e->class) {
        case EVENT_CLASS_ISEND:
        case EVENT_CLASS_IRECV:
        case EVENT_CLASS_ICOLL:
        case EVENT_CLASS_SEND_INIT:
        case EVENT_CLASS_RECV_INIT:
            if (e->request != id)
                break;
            made.kind = e->class == EVENT_CLASS_ICOLL ? REQUEST_COLLECTIVE
                        : e->class == EVENT_CLASS_ISEND || e->class == EVENT_CLASS_SEND_INIT
                            ? REQUEST_SEND
                            : REQUEST_RECEIVE;
            if (e->class == EVENT_CLASS_SEND_INIT || e->class == EVENT_CLASS_RECV_INIT) {
                made.persistent = true;
                made.active = false;
                made.turn = 0;
            }
            n = made;
            break;
        case EVENT_CLASS_IMPROBE:
            if (e->request == id && e->completion_count && e->completion[0].done) {
                n = made;
                n.kind = REQUEST_MESSAGE;
                n.peer = e->completion[0].source;
            }
            break;
        case EVENT_CLASS_IMRECV:
            if (e->request == id) {
                struct naive message = naive_find(record, i, e->message);
                n = made;
                n.kind = REQUEST_OTHER;
                if (message.there && message.kind == REQUEST_MESSAGE) {
                    n = message;
                    n.kind = REQUEST_RECEIVE;
                }
            } else if (e->message == id && n.kind == REQUEST_MESSAGE)
                n.there = false;
            break;
        case EVENT_CLASS_MRECV:
            if (e->request == id && n.kind == REQUEST_MESSAGE)
                n.there = false;
            break;
        case EVENT_CLASS_START:
            if (n.there && n.persistent && !n.active &&
                (e->request ? e->request == id : in_list(e, id))) {
                n.active = true;
                n.cancelled = false;
                n.turn = e->seq;
            }
            break;
        case EVENT_CLASS_WAITALL:
        case EVENT_CLASS_REQUEST_STATUS:
            if (n.there && n.kind != REQUEST_MESSAGE && completes(e, id)) {
                n.active = false;
                n.there = n.persistent || e->class == EVENT_CLASS_REQUEST_STATUS;
            }
            break;
        case EVENT_CLASS_CANCEL:
            n.cancelled |= n.active && n.kind != REQUEST_MESSAGE && e->request == id;
            break;
        case EVENT_CLASS_REQUEST_FREE:
            n.there &= e->request != id;
            break;
        default:
            break;
        }
    }
    return n;
}

/* Finds the steps of event number `at`. */
static void naive_follow(const struct trace_event *record, uint32_t at, struct transcript *told)
{
    const struct trace_event *e = &record[at];
    uint64_t id = e->request;
    struct naive n = naive_find(record, at, id), after = naive_find(record, at + 1, id), m;

    if (refused(e))
        return;
    switch (e->class) {
    case EVENT_CLASS_SEND:
        transcript_add(told, REQUEST_BEGUN, REQUEST_SEND, 0, e->seq, e->peer, false);
        transcript_add(told, REQUEST_DONE, REQUEST_SEND, 0, e->seq, e->peer, false);
        break;
    case EVENT_CLASS_RECV:
        transcript_add(told, REQUEST_BEGUN, REQUEST_RECEIVE, 0, e->seq, e->peer, false);
        transcript_add(told, REQUEST_DONE, REQUEST_RECEIVE, 0, e->seq, e->completion[0].source,
                       false);
        break;
    case EVENT_CLASS_ISEND:
    case EVENT_CLASS_IRECV:
    case EVENT_CLASS_ICOLL:
    case EVENT_CLASS_IMRECV:
        transcript_add(told, REQUEST_BEGUN, after.kind, id, after.turn, after.peer, false);
        break;
    case EVENT_CLASS_SEND_INIT:
    case EVENT_CLASS_RECV_INIT:
        transcript_add(told, REQUEST_MADE, after.kind, id, 0, e->peer, false);
        break;
    case EVENT_CLASS_IMPROBE:
        if (e->completion_count && e->completion[0].done)
            transcript_add(told, REQUEST_MATCHED, REQUEST_MESSAGE, id, e->seq,
                           e->completion[0].source, false);
        break;
    case EVENT_CLASS_MRECV:
        if (!n.there || n.kind != REQUEST_MESSAGE)
            break;
        transcript_add(told, REQUEST_BEGUN, REQUEST_RECEIVE, 0, n.turn, n.peer, n.cancelled);
        transcript_add(told, REQUEST_DONE, REQUEST_RECEIVE, 0, n.turn, n.peer, n.cancelled);
        break;
    case EVENT_CLASS_START:
        for (uint32_t i = 0; i < (id ? 1 : e->completion_count); i++) {
            uint64_t one = id ? id : e->completion[i].request;
            m = naive_find(record, at, one);
            for (uint32_t k = 0; k < i; k++) /* named twice: begun once */
                m.active |= e->completion[k].request == one;
            if (m.there && m.persistent && !m.active)
                transcript_add(told, REQUEST_BEGUN, m.kind, one, e->seq, m.peer, false);
        }
        break;
    case EVENT_CLASS_WAITALL:
    case EVENT_CLASS_REQUEST_STATUS:
        for (uint32_t i = 0; i < e->completion_count; i++) {
            const struct trace_completion *c = &e->completion[i];
            m = naive_find(record, at, c->request);
            for (uint32_t k = 0; k < i; k++) /* named twice: done once */
                m.there &= e->completion[k].request != c->request || !e->completion[k].done;
            if (c->done && m.there && m.active && m.kind != REQUEST_MESSAGE)
                transcript_add(told, REQUEST_DONE, m.kind, c->request, m.turn,
                               m.kind == REQUEST_RECEIVE ? c->source : m.peer, m.cancelled);
        }
        break;
    case EVENT_CLASS_REQUEST_FREE:
        if (n.there)
            transcript_add(told, REQUEST_FREED, n.kind, id, n.turn, n.peer, n.cancelled);
        break;
    default:
        break;
    }
}

/* --- random records --------------------------------------------------------------------------- */

static const enum event_class classes[] = {
    EVENT_CLASS_SEND,         EVENT_CLASS_RECV,           EVENT_CLASS_ISEND,
    EVENT_CLASS_IRECV,        EVENT_CLASS_ISEND,          EVENT_CLASS_IRECV,
    EVENT_CLASS_ICOLL,        EVENT_CLASS_IMRECV,         EVENT_CLASS_SEND_INIT,
    EVENT_CLASS_RECV_INIT,    EVENT_CLASS_IMPROBE,        EVENT_CLASS_MRECV,
    EVENT_CLASS_START,        EVENT_CLASS_START,          EVENT_CLASS_WAITALL,
    EVENT_CLASS_WAITALL,      EVENT_CLASS_WAITALL,        EVENT_CLASS_CANCEL,
    EVENT_CLASS_REQUEST_FREE, EVENT_CLASS_REQUEST_STATUS,
};

static bool has_list(enum event_class class)
{
    return class == EVENT_CLASS_START || class == EVENT_CLASS_WAITALL ||
           class == EVENT_CLASS_REQUEST_STATUS;
}

static bool has_status(enum event_class class)
{
    return class == EVENT_CLASS_RECV || class == EVENT_CLASS_IMPROBE;
}

/* Makes a record, legal or not, like that of a damaged trace. Few ids, so that they repeat. */
static void record_make(struct core_random *random, uint32_t ids, struct trace_event *record,
                        struct trace_completion *completion)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        struct trace_event *e = &record[i];
        *e = (struct trace_event){
            .seq = i + 1,
            .class = classes[core_random_below(random, sizeof classes / sizeof *classes)],
            .peer = (int32_t)core_random_below(random, 5) - 1,
            .error = core_random_below(random, 20) == 0,
            .request = 1 + core_random_below(random, ids),
            .message = core_random_below(random, ids + 1)};
        e->traits = meaning_of("", e->class)->traits;
        struct trace_completion *list = completion + (size_t)i * LIST;
        uint32_t count = has_list(e->class) ? (uint32_t)core_random_below(random, LIST + 1)
                                            : has_status(e->class);
        if (has_list(e->class))
            e->request = e->class == EVENT_CLASS_START && !count ? e->request : 0;
        for (uint32_t k = 0; k < count; k++)
            list[k] = (struct trace_completion){
                .index = k,
                .request = has_list(e->class) ? 1 + core_random_below(random, ids) : 0,
                .done = e->class == EVENT_CLASS_RECV || core_random_below(random, 3),
                .source = (int32_t)core_random_below(random, 4)};
        e->completion = list;
        e->completion_count = count;
    }
}

static void random_records_are_followed_as_naively(void **state)
{
    static struct trace_event record[EVENTS];
    static struct trace_completion completion[EVENTS * LIST];
    static char one[TEXT], other[TEXT];

    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct requests requests;
        struct core_random random;
        struct transcript fast = {.text = one}, naive = {.text = other};
        uint32_t ids = 3 + (uint32_t)seed;
        core_random_init(&random, seed);
        record_make(&random, ids, record, completion);
        requests_init(&requests);
        one[0] = other[0] = '\0';
        for (uint32_t i = 0; i < EVENTS; i++) {
            uint32_t there = 0;
            assert_int_equal(requests_follow(&requests, &record[i], tell, &fast), CORE_OK);
            naive_follow(record, i, &naive);
            assert_string_equal(one, other);
            if (i % 50)
                continue;
            for (uint64_t id = 1; id <= ids; id++) {
                struct naive n = naive_find(record, i + 1, id);
                const struct request *r = requests_find(&requests, id);
                assert_int_equal(r != NULL, n.there);
                assert_true(!r || (r->active == n.active && r->persistent == n.persistent));
                there += n.there;
            }
            assert_int_equal(requests_count(&requests), there); /* invariant 1 */
        }
        assert_true(fast.bytes > 1000);
        requests_done(&requests);
    }
}

/* --- records with known steps ----------------------------------------------------------------- */

static void a_sendrecv_is_two_and_a_pending_call_is_not_done(void **state)
{
    static char text[TEXT];
    struct transcript told = {.text = text};
    struct requests requests;
    struct trace_completion got = {.done = true, .source = 3};
    struct trace_event both = {.seq = 7,
                               .class = EVENT_CLASS_SENDRECV,
                               .peer = 1,
                               .recv_peer = EVENT_ANY,
                               .completion = &got,
                               .completion_count = 1};
    struct trace_event hung = {.seq = 8, .class = EVENT_CLASS_RECV, .peer = 2, .pending = true};

    (void)state;
    both.traits = meaning_of("", both.class)->traits;
    hung.traits = meaning_of("", hung.class)->traits;
    requests_init(&requests);
    assert_int_equal(requests_follow(&requests, &both, tell, &told), CORE_OK);
    assert_int_equal(requests_follow(&requests, &hung, tell, &told), CORE_OK);
    assert_string_equal(text, "Bs0@7=1 Br0@7=-1 Dr0@7=3 Ds0@7=1 Br0@8=2 ");
    assert_int_equal(requests_count(&requests), 0);
    requests_done(&requests);
}

/* The send has the id, the receive is its twin; an empty status stands for the requested values.
 */
static void two_sides_of_a_request_are_done_together(void **state)
{
    static char text[TEXT];
    struct transcript told = {.text = text};
    struct requests requests;
    struct trace_completion got = {.done = true, .source = EVENT_NONE, .request = 4};
    struct trace_event both = {.seq = 7,
                               .class = EVENT_CLASS_ISENDRECV,
                               .traits = TRAIT_BIT(SENDS) | TRAIT_BIT(RECEIVES) |
                                         TRAIT_BIT(MAKES_REQUEST),
                               .request = 4,
                               .peer = 1,
                               .recv_peer = 2},
                       wait = {.seq = 8,
                               .traits = TRAIT_BIT(COMPLETES_ONE),
                               .request = 4,
                               .completion = &got,
                               .completion_count = 1};

    (void)state;
    requests_init(&requests);
    assert_int_equal(requests_follow(&requests, &both, tell, &told), CORE_OK);
    assert_non_null(requests_twin(&requests, 4));
    assert_int_equal(requests_count(&requests), 2);
    assert_int_equal(requests_follow(&requests, &wait, tell, &told), CORE_OK);
    assert_string_equal(text, "Bs4@7=1 Br9223372036854775812@7=2 Dr9223372036854775812@7=2 "
                              "Ds4@7=1 ");
    assert_int_equal(requests_count(&requests), 0);
    requests_done(&requests);
}

/* Equal partitioned requests are numbered; a send begins when all partitions are marked. */
static void a_partitioned_send_begins_when_all_is_marked(void **state)
{
    static char text[TEXT];
    struct transcript told = {.text = text};
    struct requests requests;
    struct trace_completion got = {.done = true, .source = EVENT_NONE, .request = 2};
    const uint64_t made = TRAIT_BIT(SENDS) | TRAIT_BIT(MAKES_REQUEST) | TRAIT_BIT(PERSISTENT) |
                          TRAIT_BIT(PARTITIONED);
    struct trace_event record[] = {
        {.seq = 1, .traits = made, .request = 1, .peer = 3, .count = 8},
        {.seq = 2, .traits = made, .request = 2, .peer = 3, .count = 8},
        {.seq = 3, .traits = TRAIT_BIT(PARTITIONED), .request = 2, .count = 0}, /* not started */
        {.seq = 4, .traits = TRAIT_BIT(STARTS), .request = 2},
        {.seq = 5, .traits = TRAIT_BIT(PARTITIONED), .request = 2, .count = 1},
        {.seq = 6, .traits = TRAIT_BIT(STARTS), .request = 2}, /* twice: a mistake */
        {.seq = 7, .traits = TRAIT_BIT(PARTITIONED), .request = 2, .count = 0},
        {.seq = 8,
         .traits = TRAIT_BIT(COMPLETES_ONE),
         .request = 2,
         .completion = &got,
         .completion_count = 1},
        {.seq = 9, .traits = TRAIT_BIT(STARTS), .request = 2},
    };

    (void)state;
    requests_init(&requests);
    for (size_t i = 0; i < sizeof record / sizeof *record; i++) {
        assert_int_equal(requests_follow(&requests, &record[i], tell, &told), CORE_OK);
        if (i == 4)
            assert_true(requests_find(&requests, 2)->armed && !requests_find(&requests, 2)->active);
    }
    assert_string_equal(text, "Ms1@0=3 Ms2@0=3 As2@4=3 Bs2@7=3 Ds2@7=3 As2@9=3 ");
    assert_int_equal(requests_find(&requests, 1)->pair, 1);
    assert_int_equal(requests_find(&requests, 2)->pair, 2);
    requests_done(&requests);
}

/* trace/request.h invariant 1 */
static void what_is_under_way_bounds_the_table(void **state)
{
    struct requests requests;

    (void)state;
    requests_init(&requests);
    for (uint64_t i = 1; i < 100000; i++) {
        struct trace_completion done = {.request = i, .done = true, .source = EVENT_NONE};
        struct trace_event post = {.seq = 2 * i,
                                   .traits = TRAIT_BIT(SENDS) | TRAIT_BIT(MAKES_REQUEST),
                                   .request = i + 3},
                           wait = {.seq = 2 * i + 1,
                                   .traits = TRAIT_BIT(COMPLETES_ONE),
                                   .request = i,
                                   .completion = &done,
                                   .completion_count = 1};
        assert_int_equal(requests_follow(&requests, &post, NULL, NULL), CORE_OK);
        assert_int_equal(requests_follow(&requests, &wait, NULL, NULL), CORE_OK);
    }
    assert_true(requests_count(&requests) <= 4 && requests.table.room <= 16);
    requests_done(&requests);
}

static void quiet(enum core_status status, const char *message, void *context)
{
    (void)status, (void)message, (void)context;
}

static void a_failed_allocation_is_a_status(void **state)
{
    (void)state;
    core_report_hook(quiet, NULL);
    for (int64_t left = 0;; left++) {
        struct requests requests;
        enum core_status status = CORE_OK;
        requests_init(&requests);
        core_fault_set(left, false);
        for (uint64_t i = 1; i < 100 && !status; i++)
            status = requests_follow(
                &requests,
                &(struct trace_event){.seq = i,
                                      .traits = TRAIT_BIT(RECEIVES) | TRAIT_BIT(MAKES_REQUEST),
                                      .request = i},
                NULL, NULL);
        bool failed = core_fault_left < 0;
        core_fault_set(-1, false);
        assert_int_equal(status, failed ? CORE_NO_MEMORY : CORE_OK);
        requests_done(&requests);
        if (!failed)
            break;
    }
    core_report_hook(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_records_are_followed_as_naively),
        cmocka_unit_test(a_sendrecv_is_two_and_a_pending_call_is_not_done),
        cmocka_unit_test(two_sides_of_a_request_are_done_together),
        cmocka_unit_test(a_partitioned_send_begins_when_all_is_marked),
        cmocka_unit_test(what_is_under_way_bounds_the_table),
        cmocka_unit_test(a_failed_allocation_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
