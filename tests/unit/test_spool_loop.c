/* Tests loops in spools (core/spool/spool_loop.h) with random programs of nested loops, in which
 * calls sometimes differ from those of the round before. Readers must return what was written, bit
 * by bit: at the end, during the writing, by a reader that continues where another one stopped, and
 * from the undamaged part of a damaged spool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/array.h"
#include "core/random.h"
#include "core/spool/spool_read.h"
#include "core/spool/spool_write.h"
#include "core/trace/trace.h"
#include "store/store.h"
#include "tests/unit/meaning.h"

enum { STORED_PROGRAMS = 16 }; /* PROGRAMS=N: more */
enum { OTHER = 1, WAITALL, ISEND, IRECV, SENDRECV };
enum { RANKS = 6, RING = 1 << 14, VALUES = 40, ITEM_WORDS = 4 + VALUES, SITES = 60, DEPTH = 3 };

struct item {
    uint64_t word[ITEM_WORDS];
};

static char base[256];
static bool sums;            /* the writer sums up rounds */
static uint64_t summed_read; /* calls that were read of sums */

static struct program { /* the running one */
    struct core_random random;
    struct spool_writer writer;
    struct item *item; /* what was written */
    uint32_t count, room;
    uint32_t committed; /* items */
    uint64_t seq, now;
    uint32_t request;
    uint32_t active[VALUES]; /* requests */
    uint32_t active_count;
    uint32_t odd; /* one call of so many differs from the round before; 0: none */
    uint32_t most;
    void (*after)(struct program *program); /* each call; NULL */
    struct spool_delta *kept;               /* what the last reader had, at */
    uint64_t position;
    uint32_t seen;
} program;

static uint32_t below(uint32_t end)
{
    return (uint32_t)core_random_below(&program.random, end);
}

static void keep(const struct spool_head *record, const void *values, size_t bytes)
{
    struct item item = {{0}};
    size_t fixed = record->words * 8ul - (values ? (bytes + 7) / 8 * 8 : 0);

    memcpy(item.word, record, fixed);
    if (values)
        memcpy((char *)item.word + fixed, values, bytes);
    assert_int_equal(CORE_ARRAY_PUSH(program.item, program.count, program.room, "", item), CORE_OK);
}

static bool is_odd(void)
{
    return program.odd && !below(program.odd);
}

static void put_list(uint64_t seq, const uint32_t *value, uint32_t count)
{
    struct spool_list list = {
        .head = {SPOOL_LIST, (uint16_t)(4 + (count + 1) / 2), SPOOL_LIST_REQUESTS, 4},
        .seq = seq,
        .argument = 1,
        .total = count,
        .count = count};

    keep(&list.head, value, count * 4ul);
    assert_true(spool_put_list(&program.writer, &list, value));
}

static void put_args(uint64_t seq, uint32_t site)
{
    struct {
        struct spool_args args;
        int64_t value[3];
    } record = {{{SPOOL_ARGS, 5, 3, 0}, seq},
                {site, is_odd() ? below(9) : 7, (int64_t)(site % 2 * program.seq)}};

    keep(&record.args.head, NULL, 0);
    assert_true(spool_put_part(&program.writer, &record.args.head));
}

static void put_done(uint64_t seq, uint32_t index, uint32_t request, uint32_t site)
{
    struct spool_done done = {.head = {SPOOL_DONE, 5, 0, (uint16_t)(is_odd() ? 1 : 0)},
                              .seq = seq,
                              .index = index,
                              .request = request,
                              .source = (int32_t)(is_odd() ? below(9) : site % 5),
                              .tag = 3,
                              .bytes = is_odd() ? below(100) : 64};

    keep(&done.head, NULL, 0);
    assert_true(spool_put_done(&program.writer, &done));
}

static uint64_t ticks(void)
{
    uint64_t most[] = {1000, 1000, 1000, 1 << 15, 1 << 20, 1ull << 36};

    return core_random_below(&program.random, most[below(below(20) ? 4 : 6)]);
}

static unsigned call_of(uint32_t site)
{
    return site % 7 == 3   ? WAITALL
           : site % 9 == 2 ? SENDRECV
           : site % 3 == 0 ? OTHER
           : site % 2      ? ISEND
                           : IRECV;
}

static uint32_t request_new(void)
{
    if (program.active_count < VALUES)
        program.active[program.active_count++] = program.request + 1;
    return ++program.request;
}

/* Writes the records that precede the call. */
static void put_before(uint64_t seq, uint32_t site)
{
    struct spool_recv_half half = {
        {SPOOL_RECV_HALF, 4, 0, 0}, seq, (int32_t)(site % RANKS), 5, 2, 9};

    if (call_of(site) == WAITALL && program.active_count)
        put_list(seq, program.active, program.active_count);
    if (site % 8 == 5)
        put_args(seq, site);
    if (call_of(site) != SENDRECV)
        return;
    keep(&half.head, NULL, 0);
    assert_true(spool_put_part(&program.writer, &half.head));
}

static void put_after(uint64_t seq, uint32_t site)
{
    struct spool_repeat repeat = {{SPOOL_REPEAT, 3, 0, 0}, seq, is_odd() ? 3 : 2};

    for (uint32_t i = 0; call_of(site) == WAITALL && i < program.active_count; i++)
        put_done(seq, i, program.active[i], site);
    if (call_of(site) == WAITALL)
        program.active_count = 0;
    if (site % 17 != 1)
        return;
    keep(&repeat.head, NULL, 0);
    assert_true(spool_put_part(&program.writer, &repeat.head));
}

/* Makes a call at a place in the program, with its records; depth: number of calls around it. */
static void call(uint32_t site, uint32_t depth)
{
    uint64_t seq = ++program.seq, enter = program.now += ticks();
    unsigned which = call_of(site);
    struct spool_event event = {
        .head = {SPOOL_EVENT, 8, (uint16_t)which, (uint16_t)(is_odd() ? 2 : 0)},
        .seq = seq,
        .t_enter = enter,
        .parent = depth,
        .site = site,
        .comm = 1,
        .peer = is_odd() ? -1 : (int32_t)(site % RANKS),
        .tag = (int32_t)(site % 5 == 4 ? program.seq : site % 3), /* sometimes the tag counts up */
        .type = 3,
        .count = (int32_t)(is_odd() ? below(1000) : 8),
        .request = which == ISEND || which == IRECV ? request_new() : 0};

    put_before(seq, site);
    spool_commit(&program.writer); /* the call begins */
    program.committed = program.count;
    if (program.after && !below(3))
        program.after(&program);
    for (uint32_t i = 0; i < 2 && site % 13 == 6 && depth == 0; i++)
        call(site + i + 1, 1 + i);
    put_after(seq, site);
    event.t_leave = program.now += ticks();
    keep(&event.head, NULL, 0);
    assert_true(spool_put_event(&program.writer, &event));
    spool_commit(&program.writer);
    program.committed = program.count;
    if (program.after)
        program.after(&program);
}

/* Writes a record that belongs to no call of the loop. */
static void beside(void)
{
    struct spool_digest *digest = spool_reserve(&program.writer, sizeof *digest / 8);

    assert_non_null(digest);
    *digest = (struct spool_digest){{SPOOL_DIGEST, sizeof *digest / 8, 1, 1}, 5, below(9), 8};
}

static void statements(uint64_t seed, uint32_t depth)
{
    struct core_random body;
    uint32_t count;

    core_random_init(&body, seed);
    count = 1 + (uint32_t)core_random_below(&body, depth ? 6 : 12);
    for (uint32_t i = 0; i < count && program.count < program.most; i++) {
        uint32_t site = (uint32_t)core_random_below(&body, SITES);
        uint64_t inner = core_random_next(&body);
        uint32_t rounds = 1 + (uint32_t)core_random_below(&body, i % 2 ? 300 : 8);
        if (depth == DEPTH || site % 3)
            call(site, 0);
        else
            for (uint32_t k = 0; k < rounds && program.count < program.most; k++)
                statements(inner, depth + 1);
    }
}

/* Tells whether the record is the item as it was written, except for the times of summed calls. */
static bool item_is(const struct spool_reader *reader, const struct spool_head *head,
                    const struct item *item)
{
    struct item now = *item;
    struct spool_event *event = (void *)now.word;
    const struct spool_event *read = (const void *)head;

    if (reader->summed && head->kind == SPOOL_EVENT) {
        summed_read++;
        if (event->t_enter < read->t_enter || event->t_leave > read->t_leave)
            return false;
        event->t_enter = read->t_enter;
        event->t_leave = read->t_leave;
    }
    return memcmp(head, now.word, head->words * 8ul) == 0;
}

/* Continues where the last reader stopped, and reads all that was committed. */
static void read_on(struct program *p)
{
    static struct spool_reader reader;
    const struct spool_head *head;

    assert_int_equal(spool_reader_open(&reader, base, 0, 0), CORE_OK);
    if (p->position)
        assert_int_equal(spool_reader_resume(&reader, p->position, p->kept), CORE_OK);
    while ((head = spool_reader_next(&reader))) {
        if (!spool_loop_is_item(head->kind))
            continue;
        assert_true(p->seen < p->count);
        if (!item_is(&reader, head, &p->item[p->seen]))
            fail_msg("item %u of %u is another", p->seen, p->count);
        p->seen++;
    }
    assert_string_equal(reader.why, "");
    assert_false(reader.torn);
    assert_int_equal(p->seen, p->committed);
    p->position = spool_reader_position(&reader);
    spool_delta_copy(p->kept, &reader.again);
    spool_reader_close(&reader);
}

static void read_now_and_then(struct program *p)
{
    if (!below(400))
        read_on(p);
    if (!below(50))
        beside();
}

static void define_call(unsigned id, const char *name, unsigned class)
{
    size_t bytes = strlen(name);
    uint32_t words = (uint32_t)(sizeof(struct spool_def_call) + bytes + 7) / 8;
    struct spool_def_call *def = spool_reserve(&program.writer, words);
    const struct call_meaning *meaning = meaning_of(name, class);

    assert_non_null(def);
    assert_non_null(meaning);
    memset(def, 0, words * 8ul);
    *def = (struct spool_def_call){
        .head = {SPOOL_DEF_CALL, (uint16_t)words, (uint16_t)id, (uint16_t) class},
        .name_bytes = (uint16_t)bytes,
        .verb = meaning->verb,
        .traits = meaning->traits};
    memcpy(def + 1, name, bytes);
}

static void define(void)
{
    struct spool_def_comm *comm = spool_reserve(&program.writer, sizeof *comm / 8 + RANKS / 2);

    assert_non_null(comm);
    *comm = (struct spool_def_comm){
        .head = {SPOOL_DEF_COMM, sizeof *comm / 8 + RANKS / 2, SPOOL_COMM_INTRA, 0},
        .global = 77,
        .id = 1,
        .size = RANKS,
        .count = RANKS};
    for (int32_t i = 0; i < RANKS; i++)
        ((int32_t *)(comm + 1))[i] = i;
    define_call(OTHER, "MPI_Barrier", EVENT_CLASS_COLL);
    define_call(WAITALL, "MPI_Waitall", EVENT_CLASS_WAITALL);
    define_call(ISEND, "MPI_Isend", EVENT_CLASS_ISEND);
    define_call(IRECV, "MPI_Irecv", EVENT_CLASS_IRECV);
    define_call(SENDRECV, "MPI_Sendrecv", EVENT_CLASS_SENDRECV);
    spool_commit(&program.writer);
}

static void now_and_then_beside(struct program *p)
{
    (void)p;
    if (!below(50))
        beside();
}

static void run(uint64_t seed, uint32_t odd, uint32_t most, void (*after)(struct program *))
{
    static struct spool_delta kept;
    int error;

    memset(&kept, 0, sizeof kept);
    program.count = program.committed = program.request = program.seen = program.active_count = 0;
    program.seq = 0;
    program.now = 1ull << 40;
    program.position = 0;
    program.odd = odd;
    program.most = most;
    program.after = after;
    program.kept = &kept;
    core_random_init(&program.random, seed);
    assert_int_equal(spool_writer_open(&program.writer, base, 0, 0, RING, &error), CORE_OK);
    memcpy(program.writer.header->magic, SPOOL_MAGIC, sizeof SPOOL_MAGIC);
    program.writer.header->world_size = RANKS;
    program.writer.header->tick_hz = 1000000000;
    if (sums)
        spool_writer_sums(&program.writer);
    define();
    while (program.count < most)
        statements(seed * 77 + 1, 0);
}

/* Makes loops whose rounds complete what they begin; sometimes nothing counts up in them. */
static void stencil(uint32_t rounds)
{
    uint32_t site[20], count = 1 + below(18), even = below(3);

    for (uint32_t i = 0; i < count; i++)
        do
            site[i] = below(SITES);
        while (even && (site[i] % 5 == 4 || (site[i] % 8 == 5 && site[i] % 2)));
    site[count++] = 3; /* waits for all */
    for (uint32_t k = 0; k < rounds; k++)
        for (uint32_t i = 0; i < count; i++)
            call(site[i], 0);
}

/* core/spool/spool_sum.h invariants 1 and 2, core/spool/spool.h invariant 14: readers return the
 * same calls of a lane with sums. */
static void test_sums(void **state)
{
    uint64_t file = 0, lane = 0;
    struct stat about;
    char path[300];

    (void)state;
    sums = true;
    summed_read = 0;
    snprintf(path, sizeof path, "%s/0.0.spool", base);
    for (uint64_t seed = 1; seed <= 24; seed++) {
        run(seed, seed % 3 ? seed % 3 * 20000 : 0, seed % 2 * 500,
            seed % 4 ? read_now_and_then : NULL);
        for (int i = 0; i < 2; i++)
            stencil(4000 + below(600));
        read_on(&program);
        spool_writer_close(&program.writer);
        program.seen = 0;
        program.position = 0;
        read_on(&program);
        assert_int_equal(stat(path, &about), 0);
        file += (uint64_t)about.st_size;
        lane += program.position;
    }
    sums = false;
    printf("%u calls summed up, %u of %u KB written\n", (unsigned)summed_read,
           (unsigned)(file >> 10), (unsigned)(lane >> 10));
    assert_true(summed_read > 50000);
}

/* spool/spool_loop.h invariants 1, 2 and 3, spool/spool_fold.c invariants 1 and 2 */
static void test_programs(void **state)
{
    uint64_t bytes = 0, items = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        uint32_t odd = seed % 4 == 0 ? 0 : seed % 4 == 1 ? 20000 : seed % 4 == 2 ? 2000 : 50;
        run(seed, odd, 8000, seed % 2 ? read_now_and_then : NULL);
        read_on(&program);
        if (!odd) {
            bytes += program.writer.header->committed;
            items += program.count;
        }
        spool_writer_close(&program.writer);
        program.seen = 0;
        program.position = 0;
        read_on(&program); /* from the start, all of it in the file */
    }
    printf("%.1f bytes an item\n", (double)bytes / (double)items);
    assert_true(bytes < items * 16);
}

static _Atomic uint32_t *told; /* to whom kills */

static void tell(struct program *p)
{
    atomic_store(told, p->committed);
}

static void run_killed(uint64_t seed)
{
    run(seed, seed % 2 ? 0 : 3000, sums ? 500 : 30000, tell);
    for (int i = 0; i < 2 && sums; i++)
        stencil(6000);
}

/* spool/spool.h invariant 13, spool/spool_sum.h invariant 2: if a writer is killed at any
 * instruction, all that it had committed can be read, and is right. */
static void test_killed(void **state)
{
    uint32_t folded = 0;

    (void)state;
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(told != MAP_FAILED);
    for (uint64_t seed = 1; seed <= 24; seed++) {
        sums = seed % 3 == 0;
        run_killed(seed);
        uint32_t count = program.count;
        spool_writer_close(&program.writer);
        atomic_store(told, 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            run_killed(seed);
            for (;;)
                pause();
        }
        uint32_t end = below(count);
        while (atomic_load(told) < end)
            continue;
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        static struct spool_reader reader;
        const struct spool_head *head;
        uint32_t seen = 0;
        assert_int_equal(spool_reader_open(&reader, base, 0, 0), CORE_OK);
        while ((head = spool_reader_next(&reader))) {
            if (!spool_loop_is_item(head->kind))
                continue;
            assert_true(seen < count);
            assert_true(item_is(&reader, head, &program.item[seen++]));
        }
        assert_false(reader.torn);
        assert_true(seen >= atomic_load(told));
        folded += reader.again.loop.state == SPOOL_LOOP_GOES;
        spool_reader_close(&reader);
    }
    sums = false;
    assert_true(folded > 0);
    munmap((void *)told, sizeof *told);
}

/* A loop of one send takes one word per call. */
static void test_small(void **state)
{
    uint64_t before;

    (void)state;
    run(3, 0, 0, NULL);
    for (int i = 0; i < 400; i++)
        call(1 + 9 * 4, 0);
    before = program.writer.header->committed;
    for (int i = 0; i < 10000; i++) {
        program.now += 1 << 15; /* not far */
        call(1 + 9 * 4, 0);
    }
    assert_in_range(program.writer.header->committed - before, 8 * 10000, 17 * 10000);
    read_on(&program);
    spool_writer_close(&program.writer);
}

static int row_hash(void *context, int columns, char **value, char **name)
{
    uint64_t *hash = context;

    (void)name;
    for (int i = 0; i < columns; i++)
        for (const char *at = value[i] ? value[i] : "-"; *at; at++)
            *hash = (*hash ^ (unsigned char)*at) * 0x9E3779B97F4A7C15u + (uint64_t)i;
    return 0;
}

/* Returns a hash of all rows of a trace. */
static uint64_t answers(const char *path, int64_t *out_folded)
{
    static const char question[] =
        "SELECT * FROM event ORDER BY id; SELECT * FROM completion ORDER BY id, idx; "
        "SELECT * FROM arg ORDER BY event, name, idx; SELECT source, dest, inner, tag, bytes, "
        "send_seq, recv_seq FROM message ORDER BY 1, 2, 3, 4, 6, 7";
    uint64_t hash = 1;
    sqlite3_stmt *statement;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, question, row_hash, &hash, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT ifnull(sum(calls), 0) FROM event_part", -1,
                                        &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    *out_folded = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return hash;
}

/* store/store_loop.c invariants 1 and 2: rounds stored as rounds give the same rows as their calls
 * stored one by one. */
static void test_stored(void **state)
{
    char path[2][300];
    int64_t folded[2], all = 0;
    struct store_options options = {.times_all = true};

    (void)state;
    snprintf(path[0], sizeof *path, "%s/on.db", base);
    snprintf(path[1], sizeof *path, "%s/off.db", base);
    const char *more = getenv("PROGRAMS");
    const uint64_t programs = more ? strtoull(more, NULL, 10) : STORED_PROGRAMS;
    for (uint64_t seed = 1; seed <= programs; seed++) {
        run(seed, seed % 3 ? seed % 3 * 2000 : 0, seed % 2 * 6000,
            seed % 4 ? NULL : now_and_then_beside);
        for (int i = 0; i < 3 && seed % 2 == 0; i++)
            stencil(200 + below(400));
        spool_writer_close(&program.writer);
        for (int off = 0; off < 2; off++) {
            assert_int_equal(setenv("CROSSWAIT_LOOPS", off ? "off" : "on", 1), 0);
            assert_int_equal(store_write(base, path[off], &options), CORE_OK);
        }
        if (answers(path[0], &folded[0]) != answers(path[1], &folded[1]))
            fail_msg("seed %d: other rows with loops", (int)seed);
        assert_int_equal(folded[1], 0);
        all += folded[0];
    }
    printf("%d calls folded\n", (int)all);
    assert_true(all > 50000);
}

/* store/store_sum.c invariants 1 and 2: a trace with summed times equals one with the times of each
 * call, except for times; the times that it has are the same, and the sums are right. Each query
 * counts errors. */
static const char *const summed_questions[] = {
    "SELECT count(*) FROM (SELECT id, call, parent, peer, tag, bytes, comm, request, site, count, "
    "datatype, root, op, error, recv_peer, recv_tag, repeat FROM event EXCEPT SELECT id, call, "
    "parent, peer, tag, bytes, comm, request, site, count, datatype, root, op, error, recv_peer, "
    "recv_tag, repeat FROM x.event)",
    "SELECT (SELECT count(*) FROM event) <> (SELECT count(*) FROM x.event)",
    "SELECT count(*) FROM (SELECT * FROM completion EXCEPT SELECT * FROM x.completion)",
    "SELECT count(*) FROM (SELECT source, dest, tag, bytes, send_seq, recv_seq, send_id, recv_id "
    "FROM message EXCEPT SELECT source, dest, tag, bytes, send_seq, recv_seq, send_id, recv_id "
    "FROM x.message)",
    "SELECT count(*) FROM (SELECT id, t_enter, t_leave FROM event WHERE t_enter NOT NULL EXCEPT "
    "SELECT id, t_enter, t_leave FROM x.event)",
    "SELECT (SELECT count(*) FROM event WHERE t_enter IS NULL AND t_leave IS NULL) <> (SELECT "
    "ifnull(sum(calls), 0) FROM event_sum)",
    "SELECT count(*) FROM (SELECT event, idx, calls, total, least, most FROM event_sum_call EXCEPT "
    "SELECT sums, idx, count(*), sum(d), min(d), max(d) FROM temp.each GROUP BY 1, 2)",
    "SELECT count(*) FROM (SELECT event, idx, log2, calls FROM event_sum_log EXCEPT SELECT sums, "
    "idx, (SELECT max(n) FROM number WHERE n < 62 AND 1 << n <= max(d, 1)), count(*) FROM "
    "temp.each GROUP BY 1, 2, 3)",
    "SELECT count(*) FROM event_sum s WHERE t_enter <> (SELECT min(t_enter) FROM temp.each WHERE "
    "event = s.id) OR t_leave <> (SELECT max(t_enter + d) FROM temp.each WHERE event = s.id)",
    "SELECT count(*) FROM (SELECT * FROM slow_round EXCEPT SELECT * FROM x.slow_round)",
    "SELECT (SELECT sum(total) FROM spent) <> (SELECT sum(total) FROM x.spent)",
};

static int64_t number(sqlite3 *db, const char *question)
{
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(db, question, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* core/trace/trace_unfold_message.c invariant 1. */
static const char *const message_questions[] = {
    "SELECT (SELECT count(*) FROM message_row) <> (SELECT count(*) FROM message_timed) + (SELECT "
    "ifnull(sum(messages), 0) FROM message_summed)",
    "SELECT (SELECT sum(bytes) FROM message_row) <> (SELECT ifnull(sum(bytes), 0) FROM "
    "message_timed) + (SELECT ifnull(sum(bytes * messages), 0) FROM message_summed)",
    "SELECT count(*) FROM (SELECT * FROM message_timed EXCEPT SELECT * FROM message_row)",
    "SELECT count(*) FROM (SELECT id, channel, tag, send, receive, bytes FROM message_summed "
    "EXCEPT "
    "SELECT * FROM message_row)",
    "SELECT count(*) FROM message_timed m JOIN channel c ON c.id = m.channel JOIN event_row e ON "
    "e.id IN ((c.source << 40) + m.send, (c.dest << 40) + m.receive) WHERE e.t_enter IS NULL",
    "SELECT count(*) FROM message_summed m JOIN channel c ON c.id = m.channel WHERE NOT EXISTS "
    "(SELECT 1 FROM event_row e WHERE e.id IN ((c.source << 40) + m.send, (c.dest << 40) + "
    "m.receive) AND e.t_enter IS NULL)",
};

static int64_t messages_asked(const char *path)
{
    struct trace trace = {0};

    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    for (size_t i = 0; i < sizeof message_questions / sizeof *message_questions; i++)
        if (number(trace.db, message_questions[i]))
            fail_msg("%s", message_questions[i]);
    int64_t summed = number(trace.db, "SELECT ifnull(sum(messages), 0) FROM message_summed");
    trace_close(&trace);
    return summed;
}

/* gaps: calls are missing, so the store takes all calls one by one. */
static void program_of_sums(uint64_t seed, bool gaps)
{
    run(seed, 0, seed % 2 * 500, NULL);
    atomic_store(&program.writer.header->lost, gaps);
    for (int i = 0; i < 2; i++) {
        stencil(2000 + below(600));
        program.now += 1u << 28;
        stencil(100);
    }
    spool_writer_close(&program.writer);
}

/* recorded: the recorder sums up, too, and may keep other slow rounds. */
static void summed_compare(bool recorded, bool gaps)
{
    const struct store_options exact = {.exit_code = -1, .times_all = true};
    char path[2][300], text[900];
    int64_t summed = 0, slow = 0, messages = 0;

    snprintf(path[0], sizeof *path, "%s/sums.db", base);
    snprintf(path[1], sizeof *path, "%s/exact.db", base);
    assert_int_equal(setenv("CROSSWAIT_LOOPS", "on", 1), 0);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        sqlite3 *db;
        sums = recorded;
        program_of_sums(seed, gaps);
        assert_int_equal(store_write(base, path[0], NULL), CORE_OK);
        sums = false;
        if (recorded)
            program_of_sums(seed, gaps);
        assert_int_equal(store_write(base, path[1], &exact), CORE_OK);
        assert_int_equal(sqlite3_open(path[0], &db), SQLITE_OK);
        snprintf(text, sizeof text,
                 "ATTACH '%s' AS x; CREATE TEMP TABLE exact (id INTEGER PRIMARY KEY, t_enter, d); "
                 "INSERT INTO exact SELECT id, t_enter, t_leave - t_enter FROM x.event; CREATE "
                 "TEMP TABLE each AS SELECT s.id AS event, s.sums AS sums, (s.first + e.id - s.id) "
                 "%% l.calls AS "
                 "idx, e.t_enter AS t_enter, e.d AS d FROM event_sum s CROSS JOIN loop l ON l.id = "
                 "s.loop CROSS JOIN exact e ON e.id BETWEEN s.id AND s.id + s.calls - 1; CREATE "
                 "INDEX temp.each_event ON each (event)",
                 path[1]);
        assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
        for (size_t i = 0; i < sizeof summed_questions / sizeof *summed_questions; i++)
            if (number(db, summed_questions[i]) &&
                !(recorded && strstr(summed_questions[i], "slow_")))
                fail_msg("seed %d: %s", (int)seed, summed_questions[i]);
        assert_int_equal(number(db, "SELECT count(*) FROM x.event_sum"), 0);
        summed += number(db, "SELECT ifnull(sum(calls), 0) FROM event_sum");
        slow += number(db, "SELECT count(*) FROM slow_round");
        sqlite3_close(db);
        messages += messages_asked(path[0]);
    }
    printf("%d calls summed up, %d slow rounds, %d messages\n", (int)summed, (int)slow,
           (int)messages);
    assert_true(summed > 5000 && slow > 0 && messages > 1000);
}

static void test_summed(void **state)
{
    (void)state;
    summed_compare(false, false);
    summed_compare(true, false);
    summed_compare(true, true);
}

static void ignore(enum core_status status, const char *message, void *context)
{
    (void)status, (void)context;
    assert_true(*message != 0);
}

/* With randomly damaged bytes, records before the damage are right, and the reader stays within the
 * file. */
static void test_spoiled(void **state)
{
    static const unsigned char odd[] = {0, 1, SPOOL_LOOP, SPOOL_NEXT, SPOOL_NEXT_PARTS, 0x80, 0xff};
    char path[300], trace[300];

    (void)state;
    core_report_hook(ignore, NULL);
    snprintf(path, sizeof path, "%s/0.0.spool", base);
    snprintf(trace, sizeof trace, "%s/spoiled.db", base);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        static struct spool_reader reader;
        struct stat about;
        run(seed, seed % 3 ? 0 : 100, 3000, NULL);
        spool_writer_close(&program.writer);
        assert_int_equal(stat(path, &about), 0);
        int fd = open(path, O_RDWR);
        assert_true(fd >= 0);
        for (uint32_t k = 1 + below(4); k; k--) {
            unsigned char byte = odd[below(sizeof odd)];
            assert_int_equal(pwrite(fd, &byte, 1, (off_t)below((uint32_t)about.st_size)), 1);
        }
        close(fd);
        assert_int_equal(spool_reader_open(&reader, base, 0, 0), CORE_OK);
        while (spool_reader_next(&reader))
            continue;
        assert_true(reader.records < 100 * (uint64_t)program.count);
        spool_reader_close(&reader);
        store_write(base, trace, NULL);
    }
}

static int setup(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(base, sizeof base, "%s/loop.XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(base) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[320];

    (void)state;
    free(program.item);
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),  cmocka_unit_test(test_programs),
        cmocka_unit_test(test_sums),   cmocka_unit_test(test_killed),
        cmocka_unit_test(test_stored), cmocka_unit_test(test_summed),
        cmocka_unit_test(test_spoiled)};

    return cmocka_run_group_tests(tests, setup, teardown);
}
