/* The launcher's proof: spools of jobs that stand still are written by hand, each with its twin
 * that can still go on. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "checkers/wording.h"
#include "launch/proof/proof.h"
#include "core/spool/spool.h"
#include "tests/unit/meaning.h"

enum { WORLD = 1, RANKS_MAX = 8, RING_BYTES = 1 << 16 };

struct lane {
    struct spool_header header;
    unsigned char ring[RING_BYTES];
    uint64_t used;
    uint64_t seq;
    uint64_t early; /* bytes that are there when the proof is asked for the first time */
};
static struct lane lane[2 * RANKS_MAX]; /* the second half: a second thread of each rank */
static uint32_t rank_count;
static uint8_t standing[RANKS_MAX];

static void put(uint32_t rank, uint16_t kind, uint16_t a, uint16_t b, const void *record,
                size_t bytes, const void *tail, size_t tail_bytes)
{
    unsigned char *at = lane[rank].ring + lane[rank].used;
    size_t whole = (bytes + tail_bytes + 7) & ~(size_t)7;
    struct spool_head head = {kind, (uint16_t)(whole / 8), a, b};

    assert_true(lane[rank].used + whole <= RING_BYTES);
    memset(at, 0, whole);
    memcpy(at, record, bytes);
    memcpy(at, &head, sizeof head);
    if (tail_bytes)
        memcpy(at + bytes, tail, tail_bytes);
    lane[rank].used += whole;
}

static void job_start(uint32_t count)
{
    rank_count = count;
    memset(lane, 0, sizeof lane);
    for (uint32_t r = 0; r < count; r++) {
        struct spool_header *h = &lane[r].header;
        struct spool_def_comm comm = {
            .global = 100, .id = WORLD, .rank = (int32_t)r, .size = count, .count = count};
        int32_t member[RANKS_MAX] = {0, 1, 2, 3, 4, 5, 6, 7};

        strcpy(h->magic, SPOOL_MAGIC);
        h->version = SPOOL_VERSION;
        h->header_bytes = SPOOL_HEADER_BYTES;
        h->ring_bytes = RING_BYTES;
        h->rank = (int32_t)r;
        h->world_size = (int32_t)count;
        h->tick_hz = 1000000000;
        for (uint16_t class = 0; class < EVENT_CLASS_COUNT; class ++) {
            char text[80];
            const char *args = class == EVENT_CLASS_RMA_POST || class == EVENT_CLASS_RMA_START
                                   ? "group:group,assert"
                               : class == EVENT_CLASS_RMA_LOCK ? "lock_type,assert"
                                                               : "";
            const char *name = event_class_text((enum event_class) class);
            const struct call_meaning *meaning = meaning_of("", class);
            struct spool_def_call def = {.name_bytes =
                                             (uint16_t)snprintf(text, sizeof text, "MPI_%s", name),
                                         .names_bytes = (uint16_t)strlen(args),
                                         .mode = meaning->mode,
                                         .verb = meaning->verb,
                                         .traits = meaning->traits};

            strcat(text, args);
            put(r, SPOOL_DEF_CALL, class, class, &def, sizeof def, text, strlen(text));
        }
        put(r, SPOOL_DEF_COMM, SPOOL_COMM_INTRA, 0, &comm, sizeof comm, member,
            count * sizeof *member);
        standing[r] = PROOF_STILL;
        lane[r].early = lane[r].used;
    }
}

/* A second thread of the rank has called MPI; what it does goes by this number. */
static uint32_t thread_of(uint32_t rank)
{
    struct lane *second = &lane[RANKS_MAX + rank];

    second->header = lane[rank].header;
    second->header.depth = 0;
    second->header.lane = 1;
    second->seq = 1000;
    return RANKS_MAX + rank;
}

static struct spool_event event_of(uint32_t rank, enum event_class class, int32_t peer, int32_t tag,
                                   uint32_t request)
{
    return (struct spool_event){.head = {SPOOL_EVENT, 8, (uint16_t) class, 0},
                                .seq = ++lane[rank].seq,
                                .t_enter = 1,
                                .comm = WORLD,
                                .peer = peer,
                                .tag = tag,
                                .type = 0,
                                .count = 1,
                                .request = request};
}

/* Calls that are told apart by their names only. */
enum {
    REDUCE = EVENT_CLASS_COUNT,
    BCAST,
    BARRIER,
    IBARRIER,
    CREATE_GROUP,
    BSEND,
    DETACH,
    FLUSH_LOCAL
};

static void names_define(void)
{
    static const struct {
        uint16_t call, class;
        const char *name;
    } row[] = {{REDUCE, EVENT_CLASS_COLL, "MPI_Reduce"},
               {BCAST, EVENT_CLASS_COLL, "MPI_Bcast"},
               {BARRIER, EVENT_CLASS_COLL, "MPI_Barrier"},
               {IBARRIER, EVENT_CLASS_ICOLL, "MPI_Ibarrier"},
               {CREATE_GROUP, EVENT_CLASS_COMM_CREATE, "MPI_Comm_create_group"},
               {BSEND, EVENT_CLASS_SEND, "MPI_Bsend"},
               {DETACH, EVENT_CLASS_BUFFER, "MPI_Buffer_detach"},
               {FLUSH_LOCAL, EVENT_CLASS_RMA_FLUSH, "MPI_Win_flush_local"}};

    for (uint32_t r = 0; r < rank_count; r++)
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
            const struct call_meaning *meaning = meaning_of(row[i].name, 0);
            struct spool_def_call def = {.name_bytes = (uint16_t)strlen(row[i].name),
                                         .mode = meaning->mode,
                                         .verb = meaning->verb,
                                         .traits = meaning->traits};

            put(r, SPOOL_DEF_CALL, row[i].call, row[i].class, &def, sizeof def, row[i].name,
                def.name_bytes);
        }
}

static void named_did(uint32_t rank, uint16_t call, int32_t root, uint32_t request, uint16_t error)
{
    struct spool_event event = event_of(rank, EVENT_CLASS_COLL, root, EVENT_NONE, request);

    event.t_leave = 2;
    put(rank, SPOOL_EVENT, call, error, &event, sizeof event, NULL, 0);
}

static void named_inside(uint32_t rank, uint16_t call, int32_t root)
{
    lane[rank].header.open[0] = event_of(rank, EVENT_CLASS_COLL, root, EVENT_NONE, 0);
    lane[rank].header.open[0].head.a = call;
    lane[rank].header.depth = 1;
}

/* A window or a file of all ranks. */
static void object_define(uint32_t rank, uint16_t kind, uint32_t id, uint64_t global)
{
    struct spool_def_win def = {.global = global, .id = id, .comm = WORLD};

    put(rank, kind, 0, 0, &def, sizeof def, NULL, 0);
}

static void group_define(uint32_t rank, uint32_t id, int32_t member)
{
    struct spool_def_group def = {.id = id, .size = 1, .count = 1};

    put(rank, SPOOL_DEF_GROUP, 0, 0, &def, sizeof def, &member, sizeof member);
}

/* A call on window or file `id`, with one scalar argument; pending: the rank is in it. */
static void on_object(uint32_t rank, enum event_class class, uint32_t id, int32_t target,
                      int64_t arg, bool pending)
{
    struct spool_args args = {.seq = lane[rank].seq + 1};
    struct spool_event event;

    put(rank, SPOOL_ARGS, 1, 0, &args, sizeof args, &arg, sizeof arg);
    event = event_of(rank, class, target, EVENT_NONE, 0);
    event.comm = id;
    if (pending) {
        lane[rank].header.open[0] = event;
        lane[rank].header.depth = 1;
        return;
    }
    event.t_leave = 2;
    put(rank, SPOOL_EVENT, (uint16_t) class, 0, &event, sizeof event, NULL, 0);
}

/* A call that returned; source and tag of the completion, where it has one. */
static void did(uint32_t rank, enum event_class class, int32_t peer, int32_t tag, uint32_t request)
{
    struct spool_event event = event_of(rank, class, peer, tag, request);

    event.t_leave = 2;
    put(rank, SPOOL_EVENT, (uint16_t) class, 0, &event, sizeof event, NULL, 0);
}

static void did_completing(uint32_t rank, enum event_class class, uint32_t request, int32_t source,
                           int32_t tag)
{
    struct spool_done done = {.seq = lane[rank].seq + 1,
                              .request = class == EVENT_CLASS_RECV ? 0 : request,
                              .source = source,
                              .tag = tag};

    put(rank, SPOOL_DONE, 0, 0, &done, sizeof done, NULL, 0);
    did(rank, class, class == EVENT_CLASS_RECV ? source : EVENT_NONE,
        class == EVENT_CLASS_RECV ? tag : EVENT_NONE, class == EVENT_CLASS_RECV ? 0 : request);
}

static void inside(uint32_t rank, enum event_class class, int32_t peer, int32_t tag,
                   uint32_t request)
{
    lane[rank].header.open[0] = event_of(rank, class, peer, tag, request);
    lane[rank].header.depth = 1;
}

static void inside_list(uint32_t rank, enum event_class class, const uint32_t *request,
                        uint32_t count)
{
    struct spool_list list = {.seq = lane[rank].seq + 1, .total = count, .count = count};

    put(rank, SPOOL_LIST, SPOOL_LIST_REQUESTS, 4, &list, sizeof list, request,
        count * sizeof *request);
    inside(rank, class, EVENT_NONE, EVENT_NONE, 0);
}

/* Writes the spools as they are, or as they were when only the definitions stood there and no rank
 * was inside a call. */
static void spools_write(const char *folder, bool early)
{
    for (uint32_t l = 0; l < 2 * RANKS_MAX; l++) {
        unsigned char page[SPOOL_HEADER_BYTES] = {0};
        struct spool_header header = lane[l].header;
        char path[64];
        int fd;

        if (!header.version)
            continue;
        header.committed = early ? lane[l].early : lane[l].used;
        header.next_seq = lane[l % RANKS_MAX].seq;
        if (early)
            header.depth = 0;
        memcpy(page, &header, sizeof header);
        snprintf(path, sizeof path, "%s/%u.%u.ring", folder, l % RANKS_MAX, l / RANKS_MAX);
        fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        assert_true(fd >= 0 && write(fd, page, sizeof page) == sizeof page &&
                    write(fd, lane[l].ring, RING_BYTES) == RING_BYTES);
        close(fd);
    }
}

static struct ending last; /* the record of the last proof */

/* Asks for the proof three times: early, when nothing can be said; then with all there; and once
 * more. Returns the sentence, or NULL when nothing was proven. */
static char *proof(uint32_t *out_core)
{
    char folder[] = "/tmp/test_live.XXXXXX", path[64];
    struct proof_prover *prover;
    struct proof_verdict verdict;
    char *words;
    bool proven;

    assert_int_equal(proof_prover_new(&prover), CORE_OK);
    assert_non_null(mkdtemp(folder));
    spools_write(folder, true);
    assert_int_equal(proof_prove(prover, folder, standing, rank_count, &verdict), CORE_OK);
    assert_false(verdict.proven);
    spools_write(folder, false);
    assert_int_equal(proof_prove(prover, folder, standing, rank_count, &verdict), CORE_OK);
    proven = verdict.proven;
    ending_done(&verdict.ending);
    assert_int_equal(proof_prove(prover, folder, standing, rank_count, &verdict), CORE_OK);
    assert_true(verdict.proven == proven && proven == (verdict.ending.reason == ENDING_DEADLOCK));
    proof_prover_free(prover);
    for (uint32_t l = 0; l < 2 * RANKS_MAX; l++) {
        snprintf(path, sizeof path, "%s/%u.%u.ring", folder, l % RANKS_MAX, l / RANKS_MAX);
        unlink(path);
    }
    rmdir(folder);
    if (out_core)
        *out_core = verdict.core_count;
    words = wording_ending(&verdict.ending);
    ending_done(&last);
    last = verdict.ending;
    return words;
}

static void expect_proven(uint32_t core)
{
    uint32_t found = 0;
    char *sentence = proof(&found);

    assert_non_null(sentence);
    assert_int_equal(found, core);
    free(sentence);
}

/* What the first call of the last proof waits for. */
static void expect_need(enum ending_need need, enum ending_object object, int32_t tag)
{
    const struct ending_wait *wait = &last.wait[0];

    assert_true(last.call_count > 0 && last.call[0].count > 0);
    assert_string_equal(ending_need_text(wait->need), ending_need_text(need));
    assert_int_equal(wait->object, object);
    assert_int_equal(wait->tag, tag);
}

static void expect_nothing(void)
{
    char *sentence = proof(NULL);

    if (sentence)
        fail_msg("proven without ground: %s", sentence);
}

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

    job_start(2); /* with another tag it does not fit */
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

    job_start(2); /* waitall where all fit */
    for (uint32_t r = 0; r < 2; r++) {
        did(r, EVENT_CLASS_ISEND, 1 - (int32_t)r, 0, 1);
        did(r, EVENT_CLASS_IRECV, 1 - (int32_t)r, 0, 2);
        inside_list(r, EVENT_CLASS_WAITALL, (uint32_t[]){1, 2}, 2);
    }
    expect_nothing();
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

static void collectives_wait_for_who_is_missing(void **state)
{
    (void)state;
    job_start(3); /* only rank 0 reduces; the others are done */
    inside(0, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    inside(1, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
    inside(2, EVENT_CLASS_FINALIZE, EVENT_NONE, EVENT_NONE, 0);
    expect_proven(3);
    expect_need(ENDING_NEED_COLLECTIVE, ENDING_OBJECT_COMM, EVENT_NONE);

    job_start(3); /* all have entered: the library is at work */
    for (uint32_t r = 0; r < 3; r++)
        inside(r, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    expect_nothing();

    job_start(3); /* one is a collective behind, in a receive from one who waits there */
    did(0, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    did(1, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    did(2, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    inside(0, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    inside(1, EVENT_CLASS_COLL, 0, EVENT_NONE, 0);
    inside(2, EVENT_CLASS_RECV, 0, 0, 0);
    expect_proven(2);

    standing[2] = PROOF_UNKNOWN; /* it may enter */
    expect_nothing();
}

static void inside_sendrecv(uint32_t rank, int32_t dest, int32_t source, int32_t tag)
{
    struct spool_leg leg = {.seq = lane[rank].seq + 1, .peer = source, .tag = tag, .count = 1};

    put(rank, SPOOL_LEG, 0, 0, &leg, sizeof leg, NULL, 0);
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

/* proof/history.h invariant 3 */
static void gaps_prove_nothing(void **state)
{
    struct spool_lost lost = {.count = 1};

    (void)state;
    job_start(2);
    inside(0, EVENT_CLASS_RECV, 1, 7, 0);
    inside(1, EVENT_CLASS_RECV, 0, 7, 0);
    put(0, SPOOL_LOST, 0, 0, &lost, sizeof lost, NULL, 0);
    expect_nothing();

    job_start(2); /* calls that nothing is known about */
    inside(0, EVENT_CLASS_RECV, 1, 7, 0);
    inside(1, EVENT_CLASS_SPAWN, EVENT_NONE, EVENT_NONE, 0);
    expect_nothing();

    job_start(2); /* a request of unknown make */
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

static void collectives_that_differ_wait_for_each_other(void **state)
{
    (void)state;
    job_start(3);
    names_define();
    named_inside(0, REDUCE, 0);
    named_inside(1, BCAST, 0);
    named_inside(2, REDUCE, 0);
    expect_proven(3);

    job_start(2); /* the root differs */
    names_define();
    named_inside(0, BCAST, 0);
    named_inside(1, BCAST, 1);
    expect_proven(2);

    job_start(2); /* the same: the library is at work */
    names_define();
    named_inside(0, BCAST, 0);
    named_inside(1, BCAST, 0);
    expect_nothing();

    job_start(2); /* a call was refused on one rank: who knows which call belongs to which */
    names_define();
    named_did(0, REDUCE, 0, 0, 5);
    named_inside(0, BCAST, 0);
    named_did(1, REDUCE, 0, 0, 0);
    named_inside(1, REDUCE, 0);
    expect_nothing();

    job_start(2); /* blocking and not blocking do not match, and no barrier is complete by itself */
    names_define();
    named_did(0, IBARRIER, EVENT_NONE, 1, 0);
    did(0, EVENT_CLASS_ISEND, 1, 0, 2);
    did(1, EVENT_CLASS_IRECV, 0, 0, 2);
    inside_list(0, EVENT_CLASS_WAITALL, (uint32_t[]){1, 2}, 2);
    named_inside(1, BARRIER, EVENT_NONE);
    expect_proven(2);

    job_start(2);
    names_define();
    for (uint32_t r = 0; r < 2; r++) {
        named_did(r, IBARRIER, EVENT_NONE, 1, 0);
        inside(r, EVENT_CLASS_WAIT, EVENT_NONE, EVENT_NONE, 1);
    }
    expect_nothing();
}

/* proof/history.h invariant 1 */
static void calls_of_a_part_do_not_count(void **state)
{
    (void)state;
    job_start(3); /* ranks 1 and 2 make a communicator of their own; then all are in a barrier */
    names_define();
    named_did(1, CREATE_GROUP, EVENT_NONE, 0, 0);
    named_did(2, CREATE_GROUP, EVENT_NONE, 0, 0);
    for (uint32_t r = 0; r < 3; r++)
        named_inside(r, BARRIER, EVENT_NONE);
    expect_nothing();

    job_start(3); /* they still make it: who is in it, is not known here */
    names_define();
    named_inside(0, BARRIER, EVENT_NONE);
    named_inside(1, CREATE_GROUP, EVENT_NONE);
    named_inside(2, CREATE_GROUP, EVENT_NONE);
    expect_nothing();

    job_start(3);
    names_define();
    named_did(1, CREATE_GROUP, EVENT_NONE, 0, 0);
    named_did(2, CREATE_GROUP, EVENT_NONE, 0, 0);
    named_inside(0, BARRIER, EVENT_NONE);
    inside(1, EVENT_CLASS_RECV, 0, 0, 0);
    inside(2, EVENT_CLASS_RECV, 0, 0, 0);
    expect_proven(3);
}

static void windows_and_files(void **state)
{
    (void)state;
    for (int other = 0; other < 2;
         other++) { /* rank 0 has made windows of its own: its numbers are others */
        job_start(2);
        object_define(0, SPOOL_DEF_WIN, 1, 70);
        object_define(0, SPOOL_DEF_WIN, 2, 71);
        object_define(1, SPOOL_DEF_WIN, 1, 71);
        on_object(0, EVENT_CLASS_WIN_CREATE, 2, EVENT_NONE, 0, false);
        on_object(1, EVENT_CLASS_WIN_CREATE, 1, EVENT_NONE, 0, false);
        inside(0, EVENT_CLASS_COLL, EVENT_NONE, EVENT_NONE, 0);
        if (other) {
            on_object(1, EVENT_CLASS_WIN_FREE, 1, EVENT_NONE, 0, true);
            expect_proven(2);
        } else {
            inside(1, EVENT_CLASS_COLL, EVENT_NONE, EVENT_NONE, 0);
            expect_nothing();
        }
    }

    job_start(2);
    object_define(0, SPOOL_DEF_FILE, 1, 90);
    object_define(1, SPOOL_DEF_FILE, 1, 90);
    on_object(0, EVENT_CLASS_FILE_COLL, 1, EVENT_NONE, 0, true);
    on_object(1, EVENT_CLASS_FILE_COLL, 1, EVENT_NONE, 0, true);
    expect_nothing();
    inside(1, EVENT_CLASS_COLL, EVENT_NONE, EVENT_NONE, 0);
    expect_proven(2);
}

static void posts_and_starts(void **state)
{
    (void)state;
    for (int crossed = 0; crossed < 3; crossed++) {
        job_start(2);
        for (uint32_t r = 0; r < 2; r++) {
            object_define(r, SPOOL_DEF_WIN, 1, 70);
            group_define(r, 1, 1 - (int32_t)r);
        }
        for (int round = 0; round < 2; round++) { /* rank 0 is the target, and all is well */
            on_object(0, EVENT_CLASS_RMA_POST, 1, EVENT_NONE, 1, false);
            on_object(1, EVENT_CLASS_RMA_START, 1, EVENT_NONE, 1, false);
            on_object(1, EVENT_CLASS_RMA_COMPLETE, 1, EVENT_NONE, 0, false);
            on_object(0, EVENT_CLASS_RMA_WAIT, 1, EVENT_NONE, 0, false);
        }
        if (crossed == 0) { /* each starts before it posts */
            on_object(0, EVENT_CLASS_RMA_START, 1, EVENT_NONE, 1, true);
            on_object(1, EVENT_CLASS_RMA_START, 1, EVENT_NONE, 1, false);
            on_object(1, EVENT_CLASS_RMA_COMPLETE, 1, EVENT_NONE, 0, true);
            expect_proven(2);
            expect_need(ENDING_NEED_POST, ENDING_OBJECT_WIN, EVENT_NONE);
        } else if (crossed == 1) { /* the target waits for a completion that is under way */
            on_object(0, EVENT_CLASS_RMA_POST, 1, EVENT_NONE, 1, false);
            on_object(0, EVENT_CLASS_RMA_WAIT, 1, EVENT_NONE, 0, true);
            on_object(1, EVENT_CLASS_RMA_START, 1, EVENT_NONE, 1, false);
            on_object(1, EVENT_CLASS_RMA_COMPLETE, 1, EVENT_NONE, 0, true);
            expect_nothing();
        } else { /* for one that never comes */
            on_object(0, EVENT_CLASS_RMA_POST, 1, EVENT_NONE, 1, false);
            on_object(0, EVENT_CLASS_RMA_WAIT, 1, EVENT_NONE, 0, true);
            inside(1, EVENT_CLASS_COLL, EVENT_NONE, EVENT_NONE, 0);
            expect_proven(2);
            expect_need(ENDING_NEED_COMPLETE, ENDING_OBJECT_WIN, EVENT_NONE);
        }
    }
}

static void locks(void **state)
{
    (void)state;
    for (int held = 0; held < 3; held++) {
        job_start(3);
        for (uint32_t r = 0; r < 3; r++)
            object_define(r, SPOOL_DEF_WIN, 1, 70);
        on_object(1, EVENT_CLASS_RMA_LOCK, 1, 2, 1, false);
        if (held == 0) /* given back in time */
            on_object(1, EVENT_CLASS_RMA_UNLOCK, 1, 2, 0, false);
        on_object(0, EVENT_CLASS_RMA_LOCK, 1, held == 2 ? 1 : 2, 1,
                  true); /* held 2: another target's */
        inside(1, EVENT_CLASS_RECV, 0, 0, 0);
        inside(2, EVENT_CLASS_RECV, 0, 0, 0);
        if (held != 1) {
            expect_nothing();
            continue;
        }
        expect_proven(3);
        expect_need(ENDING_NEED_LOCK, ENDING_OBJECT_WIN, EVENT_NONE);
    }
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
        standing[0] = standing[1] = standing[2] = PROOF_SETTLED;
        expect_nothing();
        receives_behind(wide[i][0], wide[i][1]); /* the receive has been taken back */
        did(0, EVENT_CLASS_CANCEL, EVENT_NONE, EVENT_NONE, 7);
        did(1, EVENT_CLASS_SEND, 0, 5, 0);
        standing[0] = standing[1] = standing[2] = PROOF_SETTLED;
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

/* A wildcard receive of rank 0 is pending, and nobody waits for it; rank 1 is in a send to it, and
 * `others` messages of rank 2 fit it as well. */
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
    standing[0] = standing[1] = standing[2] = PROOF_RESTED;
}

static void a_send_whose_receive_took_another_message(void **state)
{
    (void)state;
    send_kept_out(1, 1);
    expect_proven(2);
    send_kept_out(2, 2);
    expect_proven(2);
    send_kept_out(1, 0); /* then it must be that of rank 1, which is still on its way */
    expect_nothing();
    send_kept_out(2, 1); /* one receive is left */
    expect_nothing();
    for (int rank = 0; rank < 2; rank++) { /* it may be on its way, or be taken in a moment */
        send_kept_out(1, 1);
        standing[rank] = PROOF_SETTLED;
        expect_nothing();
    }
    send_kept_out(1, 1); /* so long that it may not have been carried over */
    lane[1].header.open[0].type = 9;
    expect_nothing();
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

/* Another message may have been taken; but then the receive would have met its own, had all had the
 * time. */
static void what_has_arrived_was_taken(void **state)
{
    (void)state;
    for (int twin = 0; twin < 6; twin++) {
        receives_behind(EVENT_ANY, 5);
        did(1, twin == 1 ? EVENT_CLASS_ISEND : EVENT_CLASS_SEND, 0, 5, twin == 1 ? 9 : 0);
        did(2, EVENT_CLASS_SEND, 0, 5, 0);
        standing[0] = standing[1] = standing[2] = PROOF_SETTLED;
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

/* In what order threads send on one channel is not known: who of two waits, when one message was
 * received? */
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

/* Rank 1 has a lock, rank 0 accesses under one that excludes it. */
static void locks_that_are_taken_late(void **state)
{
    (void)state;
    for (int twin = 0; twin < 7; twin++) {
        uint16_t flush = twin == 5 ? FLUSH_LOCAL : EVENT_CLASS_RMA_FLUSH;

        job_start(2);
        names_define();
        for (uint32_t r = 0; r < 2; r++)
            object_define(r, SPOOL_DEF_WIN, 1, 200);
        on_object(1, EVENT_CLASS_RMA_LOCK, 1, 1, twin == 1 ? 2 : 1, false);
        if (twin != 2)
            on_object(1, EVENT_CLASS_RMA, 1, 1, 0, false);
        if (twin != 3) /* else it may not have it */
            on_object(1, (enum event_class)flush, 1, 1, 0, false);
        if (twin == 4)
            on_object(1, EVENT_CLASS_RMA_UNLOCK, 1, 1, 0, false);
        inside(1, EVENT_CLASS_RECV, 0, 0, 0);
        on_object(0, EVENT_CLASS_RMA_LOCK, 1, 1, twin == 1 ? 2 : 1, false);
        on_object(0, EVENT_CLASS_RMA, 1, 1, 0, false);
        on_object(0, twin == 6 ? EVENT_CLASS_RMA_UNLOCK : EVENT_CLASS_RMA_FLUSH, 1, 1, 0, true);
        if (twin == 0 || twin == 6)
            expect_proven(2);
        else
            expect_nothing();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receives_wait_for_each_other),
        cmocka_unit_test(a_message_that_is_there_is_no_deadlock),
        cmocka_unit_test(sends_wait_for_receives),
        cmocka_unit_test(waits),
        cmocka_unit_test(waitany_needs_all_to_be_stuck),
        cmocka_unit_test(any_source_needs_all_to_be_stuck),
        cmocka_unit_test(collectives_wait_for_who_is_missing),
        cmocka_unit_test(sendrecv_and_probe),
        cmocka_unit_test(only_the_messages_that_are_left_count),
        cmocka_unit_test(gaps_prove_nothing),
        cmocka_unit_test(those_behind_are_not_the_core),
        cmocka_unit_test(persistent_requests),
        cmocka_unit_test(collectives_that_differ_wait_for_each_other),
        cmocka_unit_test(calls_of_a_part_do_not_count),
        cmocka_unit_test(windows_and_files),
        cmocka_unit_test(posts_and_starts),
        cmocka_unit_test(locks),
        cmocka_unit_test(detaching_waits_for_receives),
        cmocka_unit_test(locks_that_are_taken_late),
        cmocka_unit_test(a_pending_receive_takes_the_message),
        cmocka_unit_test(a_send_whose_receive_took_another_message),
        cmocka_unit_test(what_has_arrived_was_taken),
        cmocka_unit_test(threads),
        cmocka_unit_test(threads_that_share_a_channel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
