/* Writes spools of blocked jobs by hand, in memory, and runs the launcher's proof on them, for the
 * tests of the proof (test_proof*.c). */
#ifndef TESTS_UNIT_PROOF_JOB_H
#define TESTS_UNIT_PROOF_JOB_H

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
#include "core/history/history.h"
#include "launch/proof/proof.h"
#include "core/spool/spool.h"
#include "tests/unit/meaning.h"

enum { WORLD = 1, RANKS_MAX = 8, RING_BYTES = 1 << 16 };
enum { SEQ_SECOND = 1000 }; /* calls of second threads have higher numbers */

struct lane {
    struct spool_header header;
    unsigned char ring[RING_BYTES];
    uint64_t used;
    uint64_t seq;
    uint64_t early; /* bytes that exist when the proof runs for the first time */
};
static struct lane lane[2 * RANKS_MAX]; /* the second half: a second thread of each rank */
static uint32_t rank_count;
static uint8_t standing[RANKS_MAX];

static inline void put(uint32_t rank, uint16_t kind, uint16_t a, uint16_t b, const void *record,
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

static inline void job_start(uint32_t count)
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

/* Adds a second thread to the rank. Returns the number that stands for it instead of a rank. */
static inline uint32_t thread_of(uint32_t rank)
{
    struct lane *second = &lane[RANKS_MAX + rank];

    second->header = lane[rank].header;
    second->header.depth = 0;
    second->header.lane = 1;
    second->seq = SEQ_SECOND;
    return RANKS_MAX + rank;
}

static inline struct spool_event event_of(uint32_t rank, enum event_class class, int32_t peer,
                                          int32_t tag, uint32_t request)
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

/* Calls that differ by their names, not by their classes. */
enum {
    REDUCE = EVENT_CLASS_COUNT,
    BCAST,
    BARRIER,
    IBARRIER,
    CREATE_GROUP,
    BSEND,
    DETACH,
    FLUSH_LOCAL,
    PSEND_INIT,
    PRECV_INIT,
    BARRIER_INIT,
    BCAST_INIT,
    GREQUEST_START,
    GREQUEST_COMPLETE,
    INTERCOMM_CREATE
};

static inline void names_define(void)
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
               {FLUSH_LOCAL, EVENT_CLASS_RMA_FLUSH, "MPI_Win_flush_local"},
               {PSEND_INIT, EVENT_CLASS_SEND_INIT, "MPI_Psend_init"},
               {PRECV_INIT, EVENT_CLASS_RECV_INIT, "MPI_Precv_init"},
               {BARRIER_INIT, EVENT_CLASS_COLL_INIT, "MPIX_Barrier_init"},
               {BCAST_INIT, EVENT_CLASS_COLL_INIT, "MPIX_Bcast_init"},
               {GREQUEST_START, EVENT_CLASS_OTHER, "MPI_Grequest_start"},
               {GREQUEST_COMPLETE, EVENT_CLASS_OTHER, "MPI_Grequest_complete"},
               {INTERCOMM_CREATE, EVENT_CLASS_COMM_CREATE, "MPI_Intercomm_create"}};

    for (uint32_t r = 0; r < rank_count; r++)
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
            const struct call_meaning *meaning = meaning_of(row[i].name, 0);
            const char *args = row[i].call == CREATE_GROUP ? "group:group" : "";
            char text[80];
            struct spool_def_call def = {.name_bytes = (uint16_t)strlen(row[i].name),
                                         .names_bytes = (uint16_t)strlen(args),
                                         .mode = meaning->mode,
                                         .verb = meaning->verb,
                                         .traits = meaning->traits};

            int bytes = snprintf(text, sizeof text, "%s%s", row[i].name, args);
            put(r, SPOOL_DEF_CALL, row[i].call, row[i].class, &def, sizeof def, text,
                (size_t)bytes);
        }
}

static inline void named_did(uint32_t rank, uint16_t call, int32_t root, uint32_t request,
                             uint16_t error)
{
    struct spool_event event = event_of(rank, EVENT_CLASS_COLL, root, EVENT_NONE, request);

    event.t_leave = 2;
    put(rank, SPOOL_EVENT, call, error, &event, sizeof event, NULL, 0);
}

static inline void named_inside(uint32_t rank, uint16_t call, int32_t root)
{
    lane[rank].header.open[0] = event_of(rank, EVENT_CLASS_COLL, root, EVENT_NONE, 0);
    lane[rank].header.open[0].head.a = call;
    lane[rank].header.depth = 1;
}

/* Defines a window or a file of all ranks. */
static inline void object_define(uint32_t rank, uint16_t kind, uint32_t id, uint64_t global)
{
    struct spool_def_win def = {.global = global, .id = id, .comm = WORLD};

    put(rank, kind, 0, 0, &def, sizeof def, NULL, 0);
}

static inline void group_define(uint32_t rank, uint32_t id, int32_t member)
{
    struct spool_def_group def = {.id = id, .size = 1, .count = 1};

    put(rank, SPOOL_DEF_GROUP, 0, 0, &def, sizeof def, &member, sizeof member);
}

/* Adds a call on window or file `id` with one scalar argument; pending: the rank is inside it. */
static inline void on_object(uint32_t rank, enum event_class class, uint32_t id, int32_t target,
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

/* Adds a call that returned. */
static inline void did(uint32_t rank, enum event_class class, int32_t peer, int32_t tag,
                       uint32_t request)
{
    struct spool_event event = event_of(rank, class, peer, tag, request);

    event.t_leave = 2;
    put(rank, SPOOL_EVENT, (uint16_t) class, 0, &event, sizeof event, NULL, 0);
}

static inline void did_completing(uint32_t rank, enum event_class class, uint32_t request,
                                  int32_t source, int32_t tag)
{
    struct spool_done done = {.seq = lane[rank].seq + 1,
                              .request = class == EVENT_CLASS_RECV ? 0 : request,
                              .source = source,
                              .tag = tag};

    put(rank, SPOOL_DONE, 0, 0, &done, sizeof done, NULL, 0);
    did(rank, class, class == EVENT_CLASS_RECV ? source : EVENT_NONE,
        class == EVENT_CLASS_RECV ? tag : EVENT_NONE, class == EVENT_CLASS_RECV ? 0 : request);
}

static inline void inside(uint32_t rank, enum event_class class, int32_t peer, int32_t tag,
                          uint32_t request)
{
    lane[rank].header.open[0] = event_of(rank, class, peer, tag, request);
    lane[rank].header.depth = 1;
}

static inline void inside_list(uint32_t rank, enum event_class class, const uint32_t *request,
                               uint32_t count)
{
    struct spool_list list = {.seq = lane[rank].seq + 1, .total = count, .count = count};

    put(rank, SPOOL_LIST, SPOOL_LIST_REQUESTS, 4, &list, sizeof list, request,
        count * sizeof *request);
    inside(rank, class, EVENT_NONE, EVENT_NONE, 0);
}

static inline void lane_write(const char *folder, const struct lane *from,
                              const struct spool_header *header)
{
    unsigned char page[SPOOL_HEADER_BYTES] = {0};
    char path[64];
    int fd;

    memcpy(page, header, sizeof *header);
    snprintf(path, sizeof path, "%s/%d.%u.ring", folder, header->rank, header->lane);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && write(fd, page, sizeof page) == sizeof page &&
                write(fd, from->ring, RING_BYTES) == RING_BYTES);
    close(fd);
}

/* Writes the spools; early: only the definitions, when no rank was inside of a call. */
static inline void spools_write(const char *folder, bool early)
{
    for (uint32_t l = 0; l < 2 * RANKS_MAX; l++) {
        struct spool_header header = lane[l].header;

        if (!header.version)
            continue;
        header.committed = early ? lane[l].early : lane[l].used;
        header.next_seq = lane[l % RANKS_MAX].seq;
        if (early)
            header.depth = 0;
        lane_write(folder, &lane[l], &header);
    }
}

static inline void spools_remove(const char *folder)
{
    char path[64];

    for (uint32_t l = 0; l < 2 * RANKS_MAX; l++) {
        snprintf(path, sizeof path, "%s/%u.%u.ring", folder, l % RANKS_MAX, l / RANKS_MAX);
        unlink(path);
    }
}

/* Writes a rank that keeps only its newest records and has dropped the `dropped` oldest ones:
 * definitions in a lane of their own, a base that sums up the dropped records, and the rest. Tells
 * whether all outstanding operations had room in the base. */
static inline bool rank_write_dropped(const char *folder, uint32_t rank, uint32_t dropped)
{
    enum { START = 64, EVENTS = 7, BASE_MAX = RING_BYTES / 4 };
    static struct lane definer, newest;
    struct history history = {.rank_count = rank_count,
                              .channels = CORE_TABLE(struct history_channel, key)};
    struct history_rank followed = {0};
    struct history_lane kept = {.rank = (int32_t)rank,
                                .inside_seen = lane[rank].header.layer == SPOOL_LAYER_ON};
    struct history_follower follower = {.history = &history, .rank = &followed, .kept = &kept};
    uint32_t taken = 0;

    definer = newest = lane[rank];
    definer.used = 0;
    newest.used = START;
    history_rank_init(&followed);
    for (uint64_t at = 0, next; at <= lane[rank].used; at = next) {
        const struct spool_head *head = (const void *)(lane[rank].ring + at);
        bool end = at == lane[rank].used;
        size_t bytes = end ? 8 : head->words * 8ul;
        bool defines = !end && head->kind >= SPOOL_DEF_CALL && head->kind <= SPOOL_DEF_HINT;
        struct lane *to = defines ? &definer : &newest;

        next = at + bytes;
        if (defines) {
            history_define(&history, &followed, head);
        } else if (taken < dropped && !end) {
            taken++;
            if (history_take(&follower, head))
                history_follow(&follower);
            continue;
        } else if (newest.used == START) {
            newest.used += history_base_make(&follower, EVENTS, newest.ring + START, BASE_MAX);
        }
        assert_true(end || to->used + bytes <= RING_BYTES);
        memcpy(to->ring + to->used, head, end ? 0 : bytes);
        to->used += end ? 0 : bytes;
    }
    definer.header.lane = 1;
    definer.header.depth = 0;
    definer.header.committed = definer.used;
    newest.header.flags |= SPOOL_FLAG_LAST;
    newest.header.next_seq = lane[rank].seq;
    newest.header.drained = START;
    newest.header.committed = newest.used;
    newest.header.lost += EVENTS;
    lane_write(folder, &definer, &definer.header);
    lane_write(folder, &newest, &newest.header);
    bool known = history.unclear || !((struct spool_head *)(void *)(newest.ring + START))->b;
    core_table_done(&history.channels);
    event_view_done(&history.view);
    history_rank_done(&followed);
    history_lane_done(&kept);
    return known;
}

/* Runs the proof after each rank has dropped so many records. */
static inline bool verdict_dropped(const char *folder, uint32_t dropped,
                                   struct proof_verdict *out_verdict)
{
    struct proof_prover *prover;
    bool known = true;

    for (uint32_t r = 0; r < rank_count; r++)
        known &= rank_write_dropped(folder, r, dropped);
    assert_int_equal(proof_prover_new(&prover), CORE_OK);
    assert_int_equal(proof_prove(prover, folder, standing, rank_count, out_verdict), CORE_OK);
    proof_prover_free(prover);
    spools_remove(folder);
    return known;
}

/* Expects the same verdict as without drops, if ranks have one thread. */
static inline void expect_same_dropped(const char *folder, const struct proof_verdict *verdict)
{
    static const uint32_t dropped[] = {1, 2, 3, 7, 1000};

    for (uint32_t r = 0; r < rank_count; r++)
        if (lane[RANKS_MAX + r].header.version)
            return;
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
        struct proof_verdict now;
        bool known = verdict_dropped(folder, dropped[i], &now);

        assert_int_equal(now.proven, known && verdict->proven);
        assert_int_equal(now.core_count, known ? verdict->core_count : 0);
        assert_int_equal(now.behind_count, known ? verdict->behind_count : 0);
        ending_done(&now.ending);
    }
}

static struct ending last; /* the record of the last proof */

/* Runs the proof three times: early, when nothing can be proven; with all records; and once more.
 * Returns the sentence; NULL if nothing was proven. */
static inline char *proof(uint32_t *out_core)
{
    char folder[] = "test_live.XXXXXX";
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
    spools_remove(folder);
    expect_same_dropped(folder, &verdict);
    rmdir(folder);
    if (out_core)
        *out_core = verdict.core_count;
    words = wording_ending(&verdict.ending);
    ending_done(&last);
    last = verdict.ending;
    return words;
}

static inline void expect_proven(uint32_t core)
{
    uint32_t found = 0;
    char *sentence = proof(&found);

    assert_non_null(sentence);
    assert_int_equal(found, core);
    free(sentence);
}

/* Expects what the first call of the last proof waits for. */
static inline void expect_need(enum ending_need need, enum ending_object object, int32_t tag)
{
    const struct ending_wait *wait = &last.wait[0];

    assert_true(last.call_count > 0 && last.call[0].count > 0);
    assert_string_equal(ending_need_text(wait->need), ending_need_text(need));
    assert_int_equal(wait->object, object);
    assert_int_equal(wait->tag, tag);
}

static inline void expect_nothing(void)
{
    char *sentence = proof(NULL);

    if (sentence)
        fail_msg("proven without ground: %s", sentence);
}

#endif
