/* Tests the launcher's proof with messages, requests and threads: writes spools of blocked jobs by
 * hand, each with a twin that can continue. */
#include "core/work.h"
#include "tests/unit/proof_job.h"

enum { COUNT_MAX = 160 };

static void receives_wait_for_each_other(void **state)
{
    char *sentence;

    (void)state;
    job_start(2);
    inside(0, EVENT_CLASS_RECV, 1, 7, 0);
    inside(1, EVENT_CLASS_RECV, 0, 7, 0);
    sentence = proof(NULL);
    assert_string_equal(
        sentence,
        "deadlock: rank 0 waits in MPI_recv for rank 1, rank 1 waits in MPI_recv for rank 0");
    free(sentence);
    expect_need(ENDING_NEED_MESSAGE, ENDING_OBJECT_COMM, 7);

    standing[1] = PROOF_UNKNOWN; /* it computes */
    expect_nothing();
}

static void a_message_that_is_there_is_no_deadlock(void **state)
{
    (void)state;
    job_start(2);
    did(1, EVENT_CLASS_SEND, 0, 7, 0); /* buffered, still to be delivered */
    inside(0, EVENT_CLASS_RECV, 1, 7, 0);
    inside(1, EVENT_CLASS_RECV, 0, 7, 0);
    expect_nothing();

    job_start(2); /* with another tag it does not match */
    did(1, EVENT_CLASS_SEND, 0, 8, 0);
    inside(0, EVENT_CLASS_RECV, 1, 7, 0);
    inside(1, EVENT_CLASS_RECV, 0, 7, 0);
    expect_proven(2);

    job_start(2); /* and once received it is gone */
    did(1, EVENT_CLASS_SEND, 0, 7, 0);
    did_completing(0, EVENT_CLASS_RECV, 0, 1, 7);
    inside(0, EVENT_CLASS_RECV, 1, 7, 0);
    inside(1, EVENT_CLASS_RECV, 0, 7, 0);
    expect_proven(2);

    job_start(2); /* any tag */
    did(1, EVENT_CLASS_SEND, 0, 8, 0);
    inside(0, EVENT_CLASS_RECV, 1, EVENT_ANY, 0);
    inside(1, EVENT_CLASS_RECV, 0, 7, 0);
    expect_nothing();
}

/* One of two sends was received: the rank waits in the second for a receive that never comes. If
 * info lets messages overtake each other, the second one may be the received one. */
static void the_second_send_waits(bool overtaking, uint16_t given)
{
    struct spool_def_hint hint = {.seq = 1, .comm = WORLD};

    job_start(2);
    if (overtaking)
        put(0, SPOOL_DEF_HINT, MATCHING_HINT_OVERTAKING, given, &hint, sizeof hint, NULL, 0);
    did(0, EVENT_CLASS_SEND, 1, 7, 0);
    did_completing(1, EVENT_CLASS_RECV, 0, 0, 7);
    inside(0, EVENT_CLASS_SEND, 1, 7, 0);
    inside(1, EVENT_CLASS_RECV, 0, 8, 0);
}

static void messages_may_overtake_each_other(void **state)
{
    (void)state;
    the_second_send_waits(false, 0);
    expect_proven(2);
    the_second_send_waits(true, 0); /* the info forbids it */
    expect_proven(2);
    the_second_send_waits(true, 1);
    expect_nothing();
}

static void sends_wait_for_receives(void **state)
{
    (void)state;
    job_start(2);
    inside(0, EVENT_CLASS_SEND, 1, 0, 0);
    inside(1, EVENT_CLASS_SEND, 0, 0, 0);
    expect_proven(2);
    expect_need(ENDING_NEED_RECEIVE, ENDING_OBJECT_COMM, 0);

    job_start(2); /* a receive is posted: the message may be on its way */
    did(1, EVENT_CLASS_IRECV, 0, 0, 1);
    inside(0, EVENT_CLASS_SEND, 1, 0, 0);
    inside(1, EVENT_CLASS_SEND, 0, 0, 0);
    expect_nothing();

    job_start(2); /* a transfer in progress */
    inside(0, EVENT_CLASS_SEND, 1, 0, 0);
    inside(1, EVENT_CLASS_RECV, 0, 0, 0);
    expect_nothing();

    job_start(2); /* wrong tag */
    inside(0, EVENT_CLASS_SEND, 1, 0, 0);
    inside(1, EVENT_CLASS_RECV, 0, 1, 0);
    expect_proven(2);
}

static void waits(void **state)
{
    (void)state;
    job_start(2); /* the quiz, with a message that is not buffered */
    for (uint32_t r = 0; r < 2; r++) {
        did(r, EVENT_CLASS_ISEND, 1 - (int32_t)r, 0, 1);
        inside(r, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    }
    expect_proven(2);
    expect_need(ENDING_NEED_RECEIVE, ENDING_OBJECT_COMM, 0);

    job_start(2); /* its repaired twin: the receives are posted first */
    for (uint32_t r = 0; r < 2; r++) {
        did(r, EVENT_CLASS_IRECV, 1 - (int32_t)r, 0, 1);
        did(r, EVENT_CLASS_ISEND, 1 - (int32_t)r, 0, 2);
        inside(r, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 2);
    }
    expect_nothing();

    job_start(2); /* waitall: the receive is certainly missing, whatever the sends do */
    for (uint32_t r = 0; r < 2; r++) {
        did(r, EVENT_CLASS_ISEND, 1 - (int32_t)r, 0, 1);
        did(r, EVENT_CLASS_IRECV, 1 - (int32_t)r, 5, 2);
        inside_list(r, EVENT_CLASS_WAITALL, (uint32_t[]){1, 2}, 2);
    }
    expect_proven(2);
    expect_need(ENDING_NEED_MESSAGE, ENDING_OBJECT_COMM, 5);

    job_start(2); /* waitall where all match */
    for (uint32_t r = 0; r < 2; r++) {
        did(r, EVENT_CLASS_ISEND, 1 - (int32_t)r, 0, 1);
        did(r, EVENT_CLASS_IRECV, 1 - (int32_t)r, 0, 2);
        inside_list(r, EVENT_CLASS_WAITALL, (uint32_t[]){1, 2}, 2);
    }
    expect_nothing();
}

/* Returns the steps of proving that the last of `count` receives never completes; expects no proof
 * for its twin. */
static uint64_t receives_judged(uint32_t count)
{
    uint32_t request[COUNT_MAX + 1];
    uint64_t steps;

    for (int twin = 0; twin < 2; twin++) {
        job_start(2);
        for (uint32_t r = 0; r < 2; r++) {
            for (uint32_t i = 0; i < count + (uint32_t)twin; i++)
                did(r, EVENT_CLASS_SEND, 1 - (int32_t)r, 0, 0);
            for (uint32_t i = 0; i <= count; i++)
                did(r, EVENT_CLASS_IRECV, 1 - (int32_t)r, 0, request[i] = i + 1);
            inside_list(r, EVENT_CLASS_WAITALL, request, count + 1);
        }
        steps = core_work_steps;
        if (twin)
            expect_nothing();
        else
            expect_proven(2);
        steps = core_work_steps - steps;
    }
    return steps;
}

/* Does the same with exchanges, each with a tag of its own, for sends and receives together. If
 * ranks were idle for long, the proof asks for each message whether it was taken. */
static uint64_t exchanges_judged(uint32_t count, enum proof_standing how)
{
    uint32_t request[2 * COUNT_MAX + 2];
    uint64_t steps = 0;

    for (uint32_t twin = 0; twin < (how == PROOF_IDLE_64MIB ? 1 : 2); twin++) {
        job_start(2);
        for (uint32_t r = 0; r < 2; r++) {
            uint32_t requests = 0;

            standing[r] = (uint8_t)how;
            for (uint32_t i = 0; i <= count; i++) {
                request[requests] = requests + 1;
                did(r, EVENT_CLASS_IRECV, 1 - (int32_t)r, (int32_t)i, ++requests);
            }
            for (uint32_t i = 0; i < count + twin; i++) {
                request[requests] = requests + 1;
                did(r, EVENT_CLASS_ISEND, 1 - (int32_t)r, (int32_t)i, ++requests);
            }
            inside_list(r, EVENT_CLASS_WAITALL, request, requests);
        }
        steps = core_work_steps;
        if (twin)
            expect_nothing();
        else
            expect_proven(2);
        steps = core_work_steps - steps;
    }
    return steps;
}

static void a_wait_for_many_tags_is_judged_at_once(void **state)
{
    static const enum proof_standing how[] = {PROOF_STILL, PROOF_IDLE_64MIB};

    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        uint64_t one = exchanges_judged(COUNT_MAX / 4, how[i]),
                 two = exchanges_judged(COUNT_MAX / 2, how[i]),
                 four = exchanges_judged(COUNT_MAX, how[i]);

        assert_true(one && 2 * two <= 5 * one && four <= 5 * one);
    }
}

static void a_wait_for_many_is_judged_at_once(void **state)
{
    (void)state;
    uint64_t few = receives_judged(COUNT_MAX / 4), many = receives_judged(COUNT_MAX);
    assert_true(few && many <= 5 * few);
}

static void waitany_needs_all_to_be_stuck(void **state)
{
    (void)state;
    job_start(3);
    did(0, EVENT_CLASS_IRECV, 1, 0, 1);
    did(0, EVENT_CLASS_IRECV, 2, 0, 2);
    inside_list(0, EVENT_CLASS_WAITANY, (uint32_t[]){1, 2}, 2);
    inside(1, EVENT_CLASS_RECV, 0, 0, 0);
    inside(2, EVENT_CLASS_RECV, 0, 0, 0);
    expect_proven(3);
    expect_need(ENDING_NEED_MESSAGE, ENDING_OBJECT_COMM, 0);
    assert_false(last.wait[0].wildcard);
    assert_int_equal(ending_wait_ranks(&last, &last.wait[0]), 2);

    standing[2] = PROOF_UNKNOWN;
    expect_nothing();

    standing[2] = PROOF_ENDED;
    expect_proven(2);
    assert_false(last.wait[0].ended); /* rank 1 has not */
}

static void any_source_needs_all_to_be_stuck(void **state)
{
    (void)state;
    job_start(3);
    inside(0, EVENT_CLASS_RECV, EVENT_ANY, EVENT_ANY, 0);
    inside(1, EVENT_CLASS_RECV, 0, 0, 0);
    inside(2, EVENT_CLASS_RECV, 0, 0, 0);
    expect_proven(3);
    expect_need(ENDING_NEED_MESSAGE, ENDING_OBJECT_COMM, EVENT_ANY);
    assert_true(last.wait[0].wildcard);

    standing[1] = PROOF_UNKNOWN;
    expect_nothing();
}

static void inside_sendrecv(uint32_t rank, int32_t dest, int32_t source, int32_t tag)
{
    struct spool_recv_half recv_half = {
        .seq = lane[rank].seq + 1, .peer = source, .tag = tag, .count = 1};

    put(rank, SPOOL_RECV_HALF, 0, 0, &recv_half, sizeof recv_half, NULL, 0);
    inside(rank, EVENT_CLASS_SENDRECV, dest, tag, 0);
}

static void sendrecv_and_probe(void **state)
{
    (void)state;
    job_start(3); /* a ring of exchanges is at work */
    for (uint32_t r = 0; r < 3; r++)
        inside_sendrecv(r, (int32_t)(r + 1) % 3, (int32_t)(r + 2) % 3, 0);
    expect_nothing();

    job_start(3); /* rank 2 receives first */
    inside_sendrecv(0, 1, 2, 0);
    inside_sendrecv(1, 2, 0, 0);
    inside(2, EVENT_CLASS_RECV, 0, 9, 0);
    expect_proven(2);

    job_start(2); /* a probe sees what was sent, and nothing else */
    did(0, EVENT_CLASS_SEND, 1, 4, 0);
    inside(0, EVENT_CLASS_RECV, 1, 0, 0);
    inside(1, EVENT_CLASS_PROBE, 0, 4, 0);
    expect_nothing();

    job_start(2);
    did(0, EVENT_CLASS_SEND, 1, 4, 0);
    inside(0, EVENT_CLASS_RECV, 1, 0, 0);
    inside(1, EVENT_CLASS_PROBE, 0, 5, 0);
    expect_proven(2);
}

static void only_the_messages_that_are_left_count(void **state)
{
    (void)state;
    job_start(2); /* two sent, one receive pending before the one that is waited for: it gets the
                     second */
    did(1, EVENT_CLASS_SEND, 0, 0, 0);
    did(1, EVENT_CLASS_SEND, 0, 0, 0);
    did(0, EVENT_CLASS_IRECV, 1, 0, 1);
    inside(0, EVENT_CLASS_RECV, 1, 0, 0);
    inside(1, EVENT_CLASS_RECV, 0, 0, 0);
    expect_nothing();

    job_start(2); /* one sent: the earlier receive has it */
    did(1, EVENT_CLASS_SEND, 0, 0, 0);
    did(0, EVENT_CLASS_IRECV, 1, 0, 1);
    inside(0, EVENT_CLASS_RECV, 1, 0, 0);
    inside(1, EVENT_CLASS_RECV, 0, 0, 0);
    expect_proven(2);
}

/* history/history.h invariant 3 */
static void gaps_prove_nothing(void **state)
{
    struct spool_lost lost = {.count = 1};

    (void)state;
    job_start(2);
    inside(0, EVENT_CLASS_RECV, 1, 7, 0);
    inside(1, EVENT_CLASS_RECV, 0, 7, 0);
    put(0, SPOOL_LOST, 0, 0, &lost, sizeof lost, NULL, 0);
    expect_nothing();

    job_start(2); /* unknown calls */
    inside(0, EVENT_CLASS_RECV, 1, 7, 0);
    inside(1, EVENT_CLASS_SPAWN, EVENT_NONE, EVENT_NONE, 0);
    expect_nothing();

    job_start(2); /* a request of unknown origin */
    inside(0, EVENT_CLASS_RECV, 1, 7, 0);
    inside(1, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 99);
    expect_nothing();
}

static void those_behind_are_not_the_core(void **state)
{
    (void)state;
    job_start(4);
    inside(0, EVENT_CLASS_RECV, 1, 0, 0);
    inside(1, EVENT_CLASS_RECV, 0, 0, 0);
    inside(2, EVENT_CLASS_RECV, 0, 0, 0);
    inside(3, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    expect_proven(2);
    assert_int_equal(last.call_count, 4);
    assert_int_equal(last.call[1].role, ENDING_CORE);
    assert_int_equal(last.call[2].role, ENDING_BEHIND);
    assert_int_equal(last.call[3].rank, 3);
}

static void persistent_requests(void **state)
{
    (void)state;
    job_start(2);
    for (uint32_t r = 0; r < 2; r++) {
        did(r, EVENT_CLASS_SEND_INIT, 1 - (int32_t)r, 0, 1);
        did(r, EVENT_CLASS_RECV_INIT, 1 - (int32_t)r, 0, 2);
        did(r, EVENT_CLASS_START, EVENT_NONE, EVENT_NONE, 1);
        inside(r, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    }
    expect_proven(2); /* the receives were made, not started */

    job_start(2);
    for (uint32_t r = 0; r < 2; r++) {
        did(r, EVENT_CLASS_SEND_INIT, 1 - (int32_t)r, 0, 1);
        did(r, EVENT_CLASS_RECV_INIT, 1 - (int32_t)r, 0, 2);
        for (int round = 0; round < 3; round++) {
            did(r, EVENT_CLASS_START, EVENT_NONE, EVENT_NONE, 2);
            did(r, EVENT_CLASS_START, EVENT_NONE, EVENT_NONE, 1);
            did_completing(r, EVENT_CLASS_WAIT, 2, 1 - (int32_t)r, 0);
            did_completing(r, EVENT_CLASS_WAIT, 1, EVENT_NONE, EVENT_NONE);
        }
        did(r, EVENT_CLASS_START, EVENT_NONE, EVENT_NONE, 2);
        inside(r, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 2);
    }
    expect_proven(2); /* the fourth message was never sent */
}

/* Starts request 1: on rank 0 a partitioned send to rank 1, on rank 1 its receive; `left` of rank
 * 0's partitions are not marked as ready. */
static void partitions_start(int32_t left)
{
    job_start(2);
    names_define();
    for (uint32_t r = 0; r < 2; r++) {
        struct spool_event event = event_of(r, EVENT_CLASS_SEND_INIT, 1 - (int32_t)r, 5, 1);

        event.t_leave = 2;
        put(r, SPOOL_EVENT, r == 0 ? PSEND_INIT : PRECV_INIT, 0, &event, sizeof event, NULL, 0);
        did(r, EVENT_CLASS_START, EVENT_NONE, EVENT_NONE, 1);
    }
    struct spool_event event = event_of(0, EVENT_CLASS_READY, EVENT_NONE, EVENT_NONE, 1);
    event.t_leave = 2;
    event.count = left;
    put(0, SPOOL_EVENT, EVENT_CLASS_READY, 0, &event, sizeof event, NULL, 0);
}

static void partitioned_requests(void **state)
{
    (void)state;
    partitions_start(1); /* nobody marks the last one */
    inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    inside(1, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    expect_proven(1);
    expect_need(ENDING_NEED_PARTITION, ENDING_OBJECT_COMM, 5);

    partitions_start(1); /* rank 0 would mark it later; a message without partitions is no help */
    did(0, EVENT_CLASS_SEND, 1, 5, 0);
    inside(0, EVENT_CLASS_RECV, 1, 9, 0);
    inside(1, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    expect_proven(2);

    partitions_start(1); /* another thread may */
    inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    standing[0] = PROOF_UNKNOWN;
    expect_nothing();

    partitions_start(0); /* it is sent */
    inside(0, EVENT_CLASS_RECV, 1, 9, 0);
    inside(1, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    expect_nothing();
}

/* A receive without partitions does not match a partitioned send; one with partitions does. */
static void what_is_sent_in_partitions_waits_for_its_partner(void **state)
{
    (void)state;
    for (int partner = 0; partner < 2; partner++) {
        job_start(2);
        names_define();
        for (uint32_t r = 0; r < 1 + (uint32_t)partner; r++) {
            struct spool_event event = event_of(r, EVENT_CLASS_SEND_INIT, 1 - (int32_t)r, 5, 1);

            event.t_leave = 2;
            put(r, SPOOL_EVENT, r == 0 ? PSEND_INIT : PRECV_INIT, 0, &event, sizeof event, NULL, 0);
            did(r, EVENT_CLASS_START, EVENT_NONE, EVENT_NONE, 1);
        }
        struct spool_event ready = event_of(0, EVENT_CLASS_READY, EVENT_NONE, EVENT_NONE, 1);
        ready.t_leave = 2;
        ready.count = 0; /* partitions are left to be marked */
        put(0, SPOOL_EVENT, EVENT_CLASS_READY, 0, &ready, sizeof ready, NULL, 0);
        inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
        inside(1, EVENT_CLASS_RECV, 0, 5, 0);
        if (partner)
            expect_nothing();
        else
            expect_proven(2);
    }
}

/* Both ranks make the collective and start it `mine` and `its` times; rank 0 waits for its last. */
static void collectives_start(int mine, int its)
{
    job_start(2);
    names_define();
    for (uint32_t r = 0; r < 2; r++) {
        int rounds = r == 0 ? mine : its;

        named_did(r, BARRIER_INIT, EVENT_NONE, 1, 0);
        for (int i = 0; i < rounds; i++) {
            did(r, EVENT_CLASS_START, EVENT_NONE, EVENT_NONE, 1);
            if (r == 1 || i + 1 < rounds)
                did_completing(r, EVENT_CLASS_WAIT, 1, EVENT_NONE, EVENT_NONE);
        }
    }
    inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
}

static void persistent_collectives(void **state)
{
    (void)state;
    collectives_start(2, 1); /* rank 1 has not started it as often */
    inside(1, EVENT_CLASS_RECV, 0, 9, 0);
    expect_proven(2);
    expect_need(ENDING_NEED_COLLECTIVE, ENDING_OBJECT_COMM, EVENT_NONE);

    collectives_start(2, 2); /* it may be on its way */
    inside(1, EVENT_CLASS_RECV, 0, 9, 0);
    expect_nothing();

    collectives_start(2, 1); /* a wait for what is not started, that does not return */
    inside(1, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    expect_nothing(); /* as yet */
    standing[1] = PROOF_IDLE;
    expect_proven(1);

    for (int same = 0; same < 2; same++) { /* made in another order */
        job_start(2);
        names_define();
        for (uint32_t r = 0; r < 2; r++) {
            named_did(r, r == 1 && !same ? BCAST_INIT : BARRIER_INIT, EVENT_NONE, 1, 0);
            did(r, EVENT_CLASS_START, EVENT_NONE, EVENT_NONE, 1);
            inside(r, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
        }
        if (same)
            expect_nothing();
        else
            expect_proven(2);
    }
}

static void generalized_requests(void **state)
{
    (void)state;
    for (int twin = 0; twin < 7; twin++) {
        const uint32_t list[] = {1, 2};

        job_start(2);
        names_define();
        named_did(0, GREQUEST_START, EVENT_NONE, 1, 0);
        if (twin == 1) /* its functions are at work, as long as they take */
            named_did(0, GREQUEST_COMPLETE, EVENT_NONE, 1, 0);
        if (twin == 2) /* its function for this may complete it */
            did(0, EVENT_CLASS_CANCEL, EVENT_NONE, EVENT_NONE, 1);
        if (twin >= 4) /* rank 1 has sent what the other one waits for, but not in the last case */
            did(0, EVENT_CLASS_IRECV, 1, 3, 2);
        if (twin >= 4 && twin < 6)
            did(1, EVENT_CLASS_SEND, 0, 3, 0);
        if (twin < 4)
            inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
        else
            inside_list(0, twin == 4 ? EVENT_CLASS_WAITALL : EVENT_CLASS_WAITANY, list, 2);
        inside(1, EVENT_CLASS_RECV, 0, 3, 0);
        if (twin == 3) /* another thread may complete it */
            standing[0] = PROOF_UNKNOWN;
        if (twin == 0 || twin == 4 || twin == 6)
            expect_proven(twin == 6 ? 2 : 1);
        else
            expect_nothing();
        if (twin == 0)
            expect_need(ENDING_NEED_GENERALIZED, ENDING_OBJECT_NONE, EVENT_NONE);
    }

    job_start(2); /* a thread waits; another may complete it, or waits for a rank that may act */
    names_define();
    uint32_t thread = thread_of(0);
    named_did(0, GREQUEST_START, EVENT_NONE, 1, 0);
    inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    inside(thread, EVENT_CLASS_RECV, 1, 3, 0);
    inside(1, EVENT_CLASS_RECV, 0, 4, 0);
    expect_proven(3); /* calls */
    standing[1] = PROOF_UNKNOWN;
    expect_nothing();
}

static void both_sides_of(uint32_t rank, int32_t dest, int32_t source, int32_t tag,
                          uint32_t request)
{
    struct spool_recv_half recv_half = {
        .seq = lane[rank].seq + 1, .peer = source, .tag = tag, .count = 1};

    put(rank, SPOOL_RECV_HALF, 0, 0, &recv_half, sizeof recv_half, NULL, 0);
    did(rank, EVENT_CLASS_ISENDRECV, dest, tag, request);
}

static void both_sides(uint32_t rank, int32_t peer, int32_t tag, uint32_t request)
{
    both_sides_of(rank, peer, peer, tag, request);
}

/* Rank 0 sends to rank 2, which has a receive for it and computes, and receives from rank 1 with
 * one request; with two requests it also receives another tag of rank 1. It waits for any of them.
 */
static void any_of_two_sides(uint32_t requests)
{
    const uint32_t list[] = {1, 2};

    job_start(3);
    standing[2] = PROOF_UNKNOWN;
    did(2, EVENT_CLASS_IRECV, 0, 3, 5);
    both_sides_of(0, 2, 1, 3, 1);
    did(0, EVENT_CLASS_IRECV, 1, 4, 2);
    inside_list(0, EVENT_CLASS_WAITANY, list, requests);
}

static void any_of_requests_with_two_sides(void **state)
{
    (void)state;
    for (uint32_t requests = 1; requests <= 2; requests++) {
        any_of_two_sides(requests); /* rank 1 receives something else first */
        inside(1, EVENT_CLASS_RECV, 0, 9, 0);
        expect_proven(2);

        any_of_two_sides(requests); /* it computes, too */
        standing[1] = PROOF_UNKNOWN;
        expect_nothing();

        any_of_two_sides(requests); /* it has sent what the request receives */
        did(1, EVENT_CLASS_SEND, 0, 3, 0);
        inside(1, EVENT_CLASS_RECV, 0, 9, 0);
        expect_nothing();
    }
    any_of_two_sides(2); /* it has sent what the other request receives */
    did(1, EVENT_CLASS_SEND, 0, 4, 0);
    inside(1, EVENT_CLASS_RECV, 0, 9, 0);
    expect_nothing();
}

static void requests_with_two_sides(void **state)
{
    (void)state;
    job_start(2); /* both exchange */
    for (uint32_t r = 0; r < 2; r++) {
        both_sides(r, 1 - (int32_t)r, 3, 1);
        inside(r, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    }
    expect_nothing();

    job_start(2); /* rank 1 receives something else first */
    both_sides(0, 1, 3, 1);
    inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    inside(1, EVENT_CLASS_RECV, 0, 9, 0);
    expect_proven(2);

    job_start(2); /* its receive is complete, its send is not */
    both_sides(0, 1, 3, 1);
    inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    did(1, EVENT_CLASS_SEND, 0, 3, 0);
    inside(1, EVENT_CLASS_RECV, 0, 3, 0);
    expect_nothing();
}

/* A pending receive of rank 0 takes any message, or any tag of rank 1; then rank 0 receives from
 * rank 1 with tag 5. */
static void receives_behind(int32_t source, int32_t tag)
{
    job_start(3);
    did(0, EVENT_CLASS_IRECV, source, tag, 7);
    inside(0, EVENT_CLASS_RECV, 1, 5, 0);
    inside(1, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
    inside(2, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
}

static void a_pending_receive_takes_the_message(void **state)
{
    static const int32_t wide[][2] = {
        {EVENT_ANY, 5}, {1, EVENT_ANY}, {EVENT_ANY, EVENT_ANY}, {1, 5}};

    (void)state;
    for (int i = 0; i < 4; i++) {
        receives_behind(wide[i][0], wide[i][1]); /* the only message */
        did(1, EVENT_CLASS_SEND, 0, 5, 0);
        expect_proven(
            wide[i][0] == EVENT_ANY ? 3 : 2); /* what rank 2 might send would make a difference */
        receives_behind(wide[i][0], wide[i][1]); /* two of them */
        did(1, EVENT_CLASS_SEND, 0, 5, 0);
        did(1, EVENT_CLASS_SEND, 0, 5, 0);
        standing[0] = standing[1] = standing[2] = PROOF_IDLE;
        expect_nothing();
        receives_behind(wide[i][0], wide[i][1]); /* the receive has been taken back */
        did(0, EVENT_CLASS_CANCEL, EVENT_NONE, EVENT_NONE, 7);
        did(1, EVENT_CLASS_SEND, 0, 5, 0);
        standing[0] = standing[1] = standing[2] = PROOF_IDLE;
        expect_nothing();
    }
    receives_behind(2, 5); /* it takes another one */
    did(1, EVENT_CLASS_SEND, 0, 5, 0);
    expect_nothing();
    job_start(2); /* it is posted later */
    did(0, EVENT_CLASS_IRECV, 1, 5, 6);
    did(0, EVENT_CLASS_IRECV, EVENT_ANY, 5, 7);
    inside(0, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 6);
    did(1, EVENT_CLASS_SEND, 0, 5, 0);
    inside(1, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
    expect_nothing();
}

/* A wildcard receive of rank 0 is pending, and nobody waits for it; rank 1 is in a send to rank 0,
 * and `others` messages of rank 2 match the receive as well. */
static void send_kept_out(uint32_t receives, uint32_t others)
{
    job_start(3);
    names_define();
    for (uint32_t i = 0; i < receives; i++)
        did(0, EVENT_CLASS_IRECV, EVENT_ANY, 5, 7 + i);
    for (uint32_t i = 0; i < others; i++)
        did(2, EVENT_CLASS_SEND, 0, 5, 0);
    named_inside(0, BARRIER, EVENT_NONE);
    inside(1, EVENT_CLASS_SEND, 0, 5, 0);
    named_inside(2, BARRIER, EVENT_NONE);
    standing[0] = standing[1] = standing[2] = PROOF_IDLE_64MIB;
}

static void a_send_whose_receive_took_another_message(void **state)
{
    (void)state;
    send_kept_out(1, 1);
    expect_proven(2);
    send_kept_out(2, 2);
    expect_proven(2);
    send_kept_out(1, 0); /* it must take rank 1's message, which is in flight */
    expect_nothing();
    send_kept_out(2, 1); /* one receive is left */
    expect_nothing();
    for (int rank = 0; rank < 2; rank++) { /* it may be in flight, or be taken soon */
        send_kept_out(1, 1);
        standing[rank] = PROOF_IDLE;
        expect_nothing();
    }
    send_kept_out(1, 1); /* it may be too long to have been delivered */
    lane[1].header.open[0].type = 9;
    expect_nothing();
    for (uint32_t more = 0; more < 2; more++) { /* not in so short a time */
        struct spool_def_type def = {.id = 9, .size = PROOF_1MIB_BYTES + more};

        send_kept_out(1, 1);
        put(1, SPOOL_DEF_TYPE, 0, 0, &def, sizeof def, NULL, 0);
        lane[1].header.open[0].type = 9;
        standing[0] = standing[1] = PROOF_IDLE_1MIB;
        if (more)
            expect_nothing();
        else
            expect_proven(2);
    }
    send_kept_out(1, 1); /* the receive has been taken back */
    did(0, EVENT_CLASS_CANCEL, EVENT_NONE, EVENT_NONE, 7);
    expect_nothing();
    send_kept_out(1, 0); /* the other one does not return either: neither was taken */
    did(2, EVENT_CLASS_ISEND, 0, 5, 9);
    lane[2].header.depth = 0;
    inside(2, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 9);
    expect_nothing();
    send_kept_out(1, 1); /* a second receive fits that of rank 1 only */
    did(0, EVENT_CLASS_IRECV, 1, 5, 11);
    expect_nothing();
    send_kept_out(1, 1); /* and now the other two messages have one each */
    did(0, EVENT_CLASS_IRECV, 2, 5, 11);
    did(2, EVENT_CLASS_SEND, 0, 5, 0);
    expect_proven(2);
}

/* The destination of a send is in a receive: of another message, or of this one, which would
 * return. */
static void a_send_while_its_destination_receives(void **state)
{
    static const struct {
        enum event_class class;
        int32_t source, tag;
        uint32_t core; /* 0: nothing is proven */
    } row[] = {{EVENT_CLASS_RECV, 1, 6, 2},         {EVENT_CLASS_RECV, 2, 6, 3},
               {EVENT_CLASS_RECV, 1, 5, 0},         {EVENT_CLASS_RECV, EVENT_ANY, 5, 0},
               {EVENT_CLASS_RECV, 1, EVENT_ANY, 0}, {EVENT_CLASS_PROBE, 1, 6, 2},
               {EVENT_CLASS_MPROBE, 1, 5, 0},       {EVENT_CLASS_SENDRECV, 1, 6, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        send_kept_out(1, 1);
        lane[0].header.depth = 0;
        inside(0, row[i].class, row[i].source, row[i].tag, 0);
        if (row[i].core)
            expect_proven(row[i].core);
        else
            expect_nothing();
    }
}

/* A matched probe found the message of a send, and nobody receives it. */
static void a_send_whose_message_is_held(void **state)
{
    (void)state;
    for (int twin = 0; twin < 6; twin++) {
        job_start(2);
        names_define();
        standing[0] = standing[1] = PROOF_IDLE_1MIB;
        did_completing(0, EVENT_CLASS_MPROBE, 7, 1, twin == 1 ? 6 : 5);
        if (twin == 2) { /* it was received */
            put(0, SPOOL_ARGS, 1, 0, &(struct spool_args){.seq = lane[0].seq + 1},
                sizeof(struct spool_args), &(int64_t){7}, 8);
            did_completing(0, EVENT_CLASS_MRECV, 7, 1, 5);
        }
        inside(0, twin == 3 ? EVENT_CLASS_MRECV : EVENT_CLASS_RECV, 1, twin == 3 ? EVENT_NONE : 8,
               twin == 3 ? 7 : 0);
        inside(1, EVENT_CLASS_SEND, 0, 5, 0);
        if (twin == 4)
            standing[0] = PROOF_IDLE;
        if (twin == 5)
            standing[1] = PROOF_STILL;
        if (twin <= 1) /* the first one is held; or none fits the send at all */
            expect_proven(2);
        else
            expect_nothing();
    }
}

/* Another message may have been taken; but then the receive would have got its own by now, if all
 * ranks had the time. */
static void what_has_arrived_was_taken(void **state)
{
    (void)state;
    for (int twin = 0; twin < 6; twin++) {
        receives_behind(EVENT_ANY, 5);
        did(1, twin == 1 ? EVENT_CLASS_ISEND : EVENT_CLASS_SEND, 0, 5, twin == 1 ? 9 : 0);
        did(2, EVENT_CLASS_SEND, 0, 5, 0);
        standing[0] = standing[1] = standing[2] = PROOF_IDLE;
        if (twin == 2)
            standing[0] = PROOF_STILL;
        if (twin == 3)
            standing[1] = PROOF_STILL;
        if (twin == 4)
            standing[1] = PROOF_ENDED;
        if (twin == 5)
            standing[2] = PROOF_UNKNOWN; /* what it sends makes no difference any more; but rank 1
                                           waits for it, or for rank 0 */
        if (twin == 0 || twin >= 4)
            expect_proven(twin == 4 ? 1 : 2);
        else
            expect_nothing();
    }
    receives_behind(
        EVENT_ANY,
        5); /* rank 2 may still send: the pending receive takes that, if it comes first */
    did(1, EVENT_CLASS_SEND, 0, 5, 0);
    standing[2] = PROOF_UNKNOWN;
    expect_nothing();
    for (int works = 0; works < 2; works++) { /* a collective's operation may be slow */
        job_start(3);
        names_define();
        if (works)
            named_did(0, IBARRIER, EVENT_NONE, 9, 0);
        did(0, EVENT_CLASS_IRECV, EVENT_ANY, 5, 7);
        inside(0, EVENT_CLASS_RECV, 1, 5, 0);
        did(1, EVENT_CLASS_SEND, 0, 5, 0);
        did(2, EVENT_CLASS_SEND, 0, 5, 0);
        inside(1, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
        inside(2, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
        standing[0] = standing[1] = standing[2] = PROOF_IDLE;
        if (works)
            expect_nothing();
        else
            expect_proven(2);
    }
}

/* Ranks with two threads: all of them must be stuck. */
static void threads(void **state)
{
    uint32_t second;

    (void)state;
    for (int twin = 0; twin < 4; twin++) {
        job_start(2);
        second = thread_of(0);
        inside(0, EVENT_CLASS_RECV, 1, 1, 0);
        inside(second, EVENT_CLASS_RECV, 1, 2, 0);
        inside(1, EVENT_CLASS_RECV, 0, 3, 0);
        if (twin == 1) /* a message for the second one is on its way */
            did(1, EVENT_CLASS_SEND, 0, 2, 0);
        if (twin == 2) /* for the other thread of the rank */
            did(1, EVENT_CLASS_SEND, 0, 1, 0);
        if (twin == 3) /* for nobody */
            did(1, EVENT_CLASS_SEND, 0, 4, 0);
        if (twin == 0 || twin == 3)
            expect_proven(3);
        else
            expect_nothing();
    }
    job_start(2); /* what one thread receives the other one sends */
    second = thread_of(0);
    inside(0, EVENT_CLASS_RECV, 0, 1, 0);
    inside(second, EVENT_CLASS_SEND, 0, 1, 0);
    inside(1, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
    expect_nothing();
    lane[second].header.open[0].tag = 2;
    lane[second].header.open[0].peer = 1; /* nobody receives */
    expect_proven(3);
}

/* The order in which threads send on one channel is unknown: if one message was received, either of
 * two senders may be the one that waits. */
static void threads_that_share_a_channel(void **state)
{
    (void)state;
    for (int twin = 0; twin < 2; twin++) {
        job_start(2);
        uint32_t second = thread_of(0);

        did(0, EVENT_CLASS_ISEND, 1, 1, 5);
        did(second, EVENT_CLASS_ISEND, 1, twin ? 2 : 1, 6);
        inside(0, EVENT_CLASS_RECV, 1, 9, 0);
        inside(second, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 6);
        did_completing(1, EVENT_CLASS_RECV, 0, 0, 1);
        inside(1, EVENT_CLASS_RECV, 0, 9, 0);
        if (twin)
            expect_proven(3);
        else
            expect_nothing();
    }
}

/* Two threads send; one send returned and one message was received: it was that send's message. */
static void a_send_beside_one_that_was_received(void **state)
{
    enum { ALONE, EARLY, POSTED, HELD, TAKING, REDUCES, BOTH, STARTED, TWINS };

    (void)state;
    for (int twin = 0; twin < TWINS; twin++) {
        job_start(2);
        uint32_t second = thread_of(0);
        uint8_t level = twin == EARLY ? PROOF_IDLE : PROOF_IDLE_64MIB;

        did(0, twin == STARTED ? EVENT_CLASS_ISEND : EVENT_CLASS_SEND, 1, 7, 0);
        if (twin == HELD || twin == TAKING)
            did_completing(1, EVENT_CLASS_MPROBE, 7, 0, 7);
        else
            did_completing(1, EVENT_CLASS_RECV, 0, 0, 7);
        if (twin == BOTH) /* more were received than sends have returned */
            did_completing(1, EVENT_CLASS_RECV, 0, 0, 7);
        if (twin == POSTED) /* a receive may take it */
            did(1, EVENT_CLASS_IRECV, EVENT_ANY, 7, 3);
        if (twin == REDUCES) /* a function of the program may keep the library from looking */
            inside(0, EVENT_CLASS_COLL, EVENT_NONE, EVENT_NONE, 0);
        inside(second, EVENT_CLASS_SEND, 1, 7, 0);
        if (twin == TAKING) /* the destination may be at it */
            inside(1, EVENT_CLASS_MRECV, EVENT_NONE, EVENT_NONE, 7);
        else
            inside(1, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
        standing[0] = standing[1] = level;
        if (twin == ALONE || twin == HELD || twin == STARTED) {
            expect_proven(2);
            expect_need(ENDING_NEED_RECEIVE, ENDING_OBJECT_COMM, 7);
        } else
            expect_nothing();
    }
}

static void detaching_waits_for_receives(void **state)
{
    (void)state;
    for (int twin = 0; twin < 4; twin++) {
        job_start(2);
        names_define();
        named_did(0, twin == 1 ? EVENT_CLASS_SEND : BSEND, 1, 0, 0);
        named_inside(0, DETACH, EVENT_NONE);
        if (twin == 2) /* it is being received */
            did(1, EVENT_CLASS_IRECV, 0, EVENT_ANY, 3);
        if (twin == 3) /* it was */
            did_completing(1, EVENT_CLASS_RECV, 0, 0, EVENT_NONE);
        inside(1, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
        if (twin) {
            expect_nothing();
            continue;
        }
        expect_proven(2);
        expect_need(ENDING_NEED_BUFFER, ENDING_OBJECT_COMM, EVENT_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receives_wait_for_each_other),
        cmocka_unit_test(a_message_that_is_there_is_no_deadlock),
        cmocka_unit_test(sends_wait_for_receives),
        cmocka_unit_test(messages_may_overtake_each_other),
        cmocka_unit_test(waits),
        cmocka_unit_test(a_wait_for_many_is_judged_at_once),
        cmocka_unit_test(a_wait_for_many_tags_is_judged_at_once),
        cmocka_unit_test(waitany_needs_all_to_be_stuck),
        cmocka_unit_test(any_source_needs_all_to_be_stuck),
        cmocka_unit_test(sendrecv_and_probe),
        cmocka_unit_test(only_the_messages_that_are_left_count),
        cmocka_unit_test(gaps_prove_nothing),
        cmocka_unit_test(those_behind_are_not_the_core),
        cmocka_unit_test(persistent_requests),
        cmocka_unit_test(partitioned_requests),
        cmocka_unit_test(what_is_sent_in_partitions_waits_for_its_partner),
        cmocka_unit_test(persistent_collectives),
        cmocka_unit_test(generalized_requests),
        cmocka_unit_test(requests_with_two_sides),
        cmocka_unit_test(any_of_requests_with_two_sides),
        cmocka_unit_test(a_pending_receive_takes_the_message),
        cmocka_unit_test(a_send_whose_receive_took_another_message),
        cmocka_unit_test(a_send_while_its_destination_receives),
        cmocka_unit_test(a_send_whose_message_is_held),
        cmocka_unit_test(what_has_arrived_was_taken),
        cmocka_unit_test(threads),
        cmocka_unit_test(threads_that_share_a_channel),
        cmocka_unit_test(a_send_beside_one_that_was_received),
        cmocka_unit_test(detaching_waits_for_receives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
