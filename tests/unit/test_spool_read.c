/* Tests the spool reader with the spool of a killed rank, cut at every byte or damaged at random,
 * and with a spool whose rank still writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <signal.h>

#include "core/random.h"
#include "core/spool/spool_read.h"
#include "core/spool/spool_write.h"
#include "store/store.h"
#include "core/trace/trace.h"
#include "tests/unit/spool_pair.h"

static char base[256];

static void path_of(char *path, size_t bytes, const char *name)
{
    snprintf(path, bytes, "%s/%s", base, name);
}

static uint64_t records_count(struct spool_reader *reader, uint64_t *out_events)
{
    const struct spool_head *head;
    uint64_t count = 0;

    *out_events = 0;
    while ((head = spool_reader_next(reader))) {
        count++;
        *out_events += head->kind == SPOOL_EVENT;
    }
    return count;
}

/* The recorder's own writer writes many times round the ring. */
/* spool/spool.h invariants 1 and 3, spool/spool_write.h invariants 1 and 2 */
static void test_ring(void **state)
{
    struct spool_writer writer;
    struct spool_reader reader;
    const struct spool_head *head;
    char folder[300];
    uint64_t seq = 0, seen = 0;
    int error;

    (void)state;
    path_of(folder, sizeof folder, "ring");
    mkdir(folder, 0777);
    assert_int_equal(spool_writer_open(&writer, folder, 3, 1, 4096, &error), CORE_OK);
    memcpy(writer.header->magic, SPOOL_MAGIC,
           sizeof SPOOL_MAGIC); /* last of all, by the recorder */
    writer.header->world_size = 4;
    writer.header->tick_hz = 1000000000;
    for (int i = 0; i < 1000; i++) {
        uint32_t words = i % 3 == 0 ? 13 : 8;
        struct spool_text *text;
        struct spool_event *event = spool_reserve(&writer, 8);
        assert_non_null(event);
        *event = (struct spool_event){.head = {SPOOL_EVENT, 8, 1, 0}, .seq = ++seq};
        spool_commit(&writer);
        text = spool_reserve(&writer, words);
        assert_non_null(text);
        memset(text, 'x', words * 8);
        text->head = (struct spool_head){SPOOL_TEXT, (uint16_t)words,
                                         (uint16_t)(words * 8 - sizeof *text), 0};
        text->seq = seq;
        spool_commit(&writer);
        uint64_t committed = writer.header->committed, drained = writer.header->drained;
        assert_true(writer.position >= committed && committed >= drained);
        assert_true(writer.position - drained <= 4096 && writer.limit <= drained + 4096);
        if (i % 250 == 7) { /* while it is being written */
            uint64_t events;
            assert_int_equal(spool_reader_open(&reader, folder, 3, 1), CORE_OK);
            records_count(&reader, &events);
            assert_int_equal(events, seq);
            assert_false(reader.torn);
            spool_reader_close(&reader);
        }
    }
    assert_int_equal(spool_reader_open(&reader, folder, 3, 1), CORE_OK);
    while ((head = spool_reader_next(&reader)))
        if (head->kind == SPOOL_EVENT)
            assert_int_equal(((const struct spool_event *)(const void *)head)->seq, ++seen);
    assert_int_equal(seen, seq);
    spool_reader_close(&reader);
    spool_writer_close(&writer);
}

/* --- compressed records ----------------------------------------------------------------------- */

enum { AGAIN_RECORDS = 20000, AGAIN_CALLS = 40 };

static union {
    struct spool_head head;
    struct spool_event event;
    struct spool_done done;
    struct {
        struct spool_list list;
        uint32_t value[48];
    } listed;
} put[AGAIN_RECORDS]; /* what was written, in order */

/* Returns a field that usually has its old value. */
static int32_t field(struct core_random *random, uint32_t usual)
{
    return (int32_t)(core_random_below(random, 60) ? usual
                                                   : (uint32_t)core_random_below(random, 100));
}

static uint64_t ticks(struct core_random *random)
{
    return core_random_below(random, 100000) + (core_random_below(random, 50) ? 0 : 1ull << 33);
}

/* Writes a record that resembles an earlier one, mostly; sometimes a field differs, or differs
 * much. */
static void again_record(struct core_random *random, int i, uint64_t *seq, uint64_t *now)
{
    uint32_t like = (uint32_t)core_random_below(random, AGAIN_CALLS), id = (uint32_t)i / 3;
    bool far = !core_random_below(random, 50);

    *seq += far ? core_random_below(random, 1000) - 500 : core_random_below(random, 7) - 2;
    *now += ticks(random) - 300;
    if (i % 3 == 0) {
        put[i].event = (struct spool_event){
            .head = {SPOOL_EVENT, 8, (uint16_t)field(random, like % 7), (uint16_t)field(random, 0)},
            .seq = *seq,
            .t_enter = *now,
            .parent = (uint32_t)field(random, like % 3),
            .site = like,
            .comm = (uint32_t)field(random, 1),
            .peer = (int32_t)like % 5 - 3,
            .tag = EVENT_NONE,
            .type = (uint32_t)field(random, 3),
            .count = field(random, 1),
            .request = far ? UINT32_MAX : id};
        *now += ticks(random);
        put[i].event.t_leave = *now;
        return;
    }
    if (i % 3 == 1) {
        put[i].done = (struct spool_done){
            .head = {SPOOL_DONE, 5, (uint16_t)field(random, 0), (uint16_t)field(random, 0)},
            .seq = *seq,
            .index = like % 4,
            .request = far ? 0 : id,
            .source = (int32_t)(like % 3),
            .tag = 7,
            .bytes = (uint64_t)field(random, 8)};
        return;
    }
    bool equal = like % 3 == 0; /* to the last list of that call, in one of three cases */
    uint32_t count = equal ? 6 + like : 1 + like % 12;
    put[i].listed.list =
        (struct spool_list){.head = {SPOOL_LIST, (uint16_t)(4 + (count + 1) / 2),
                                     equal ? SPOOL_LIST_SEND_COUNTS : SPOOL_LIST_REQUESTS, 4},
                            .seq = *seq,
                            .argument = (uint32_t)field(random, 1),
                            .total = count,
                            .count = count};
    for (uint32_t k = 0; k < count; k++)
        put[i].listed.value[k] = far && k ? 0 : equal ? 1000 * like + k : id + k;
}

static void again_put(struct spool_writer *writer, int i)
{
    bool done = put[i].head.kind == SPOOL_EVENT ? spool_put_event(writer, &put[i].event)
                : put[i].head.kind == SPOOL_DONE
                    ? spool_put_done(writer, &put[i].done)
                    : spool_put_list(writer, &put[i].listed.list, put[i].listed.value);
    assert_true(done);
    spool_commit(writer);
}

/* Reads to the end; the records must be the last ones of those written up to `end`, bit by bit. */
static void again_expect(struct spool_reader *reader, int first, int end, int *out_read)
{
    static unsigned char got[AGAIN_RECORDS][sizeof put[0]];
    const struct spool_head *head;
    int count = 0;

    for (; (head = spool_reader_next(reader)); count++) {
        assert_in_range(head->words, 1, sizeof *got / 8);
        memcpy(got[count], head, head->words * 8u);
    }
    assert_false(reader->torn);
    if (first >= 0)
        assert_int_equal(count, end - first);
    for (int i = 0; i < count; i++) {
        const struct spool_head *given = &put[end - count + i].head;
        size_t bytes = given->kind == SPOOL_LIST /* and not what pads it */
                           ? sizeof(struct spool_list) + put[end - count + i].listed.list.count * 4
                           : given->words * 8u;
        assert_memory_equal(got[i], given, bytes);
    }
    *out_read = count;
}

/* spool/spool.h invariant 11, spool/spool_delta.h invariants 1 and 2: readers return what was
 * written, also one that continues where another one stopped, and from a ring that keeps only the
 * newest records. */
static void test_again(void **state)
{
    for (int newest = 0; newest < 2; newest++) {
        struct core_random random;
        struct spool_writer writer;
        struct spool_reader reader;
        static struct spool_delta kept;
        uint64_t seq = 1000, now = 1ull << 40, position = 0;
        int error, from = 0, count;
        char folder[300];

        (void)state;
        core_random_init(&random, 5);
        path_of(folder, sizeof folder, newest ? "newest" : "again");
        mkdir(folder, 0777);
        assert_int_equal(spool_writer_open_newest(&writer, folder, 0, 0, 1 << 16, newest, &error),
                         CORE_OK);
        memcpy(writer.header->magic, SPOOL_MAGIC, sizeof SPOOL_MAGIC);
        writer.header->world_size = 1;
        writer.header->tick_hz = 1000000000;
        for (int i = 0; i < AGAIN_RECORDS; i++) {
            again_record(&random, i, &seq, &now);
            again_put(&writer, i);
            if (core_random_below(&random, 700))
                continue;
            assert_int_equal(spool_reader_open(&reader, folder, 0, 0), CORE_OK);
            if (!newest && position)
                assert_int_equal(spool_reader_resume(&reader, position, &kept), CORE_OK);
            again_expect(&reader, newest ? -1 : from, i + 1, &count);
            assert_true(count > 0);
            position = spool_reader_position(&reader);
            spool_delta_copy(&kept, &reader.again);
            from = i + 1;
            spool_reader_close(&reader);
        }
        assert_true(writer.header->committed < 35 * (uint64_t)AGAIN_RECORDS); /* 60 whole */
        spool_writer_close(&writer);
    }
}

/* A compressed record without an earlier one like it ends what can be read. */
static void test_again_nothing(void **state)
{
    const uint16_t kind[] = {SPOOL_EVENT_AGAIN, SPOOL_DONE_AGAIN, SPOOL_LIST_AGAIN,
                             SPOOL_LIST_SAME};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct writer w;
        struct spool_reader reader;
        char folder[300], name[20];

        snprintf(name, sizeof name, "nothing%d", i);
        path_of(folder, sizeof folder, name);
        writer_open(&w, folder, 0, 1, 0);
        writer_add(&w, kind[i], 16, 3, 0);
        writer_close(&w);
        assert_int_equal(spool_reader_open(&reader, folder, 0, 0), CORE_OK);
        assert_null(spool_reader_next(&reader));
        assert_true(reader.torn && strstr(reader.why, "an earlier record that is missing"));
        spool_reader_close(&reader);
    }
}

static void test_names(void **state)
{
    static const char *const name[] = {"0.0.ring",           "10.0.ring", "2.1.ring",  "2.0.ring",
                                       "2.0.spool",          "x.0.ring",  "1.ring",    "1.2.3.ring",
                                       "99999999999.0.ring", "-1.0.ring", "3.0.ring~", "00.0.ring",
                                       "2.00.ring",          "02.1.ring"};
    struct spool_lane_name *lane;
    char folder[300], path[400];
    uint32_t count;

    (void)state;
    path_of(folder, sizeof folder, "names");
    mkdir(folder, 0777);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        fclose(fopen(path, "w"));
    }
    assert_int_equal(spool_lanes_list(folder, &lane, &count), CORE_OK);
    assert_int_equal(count, 4);
    assert_int_equal(lane[1].rank, 2);
    assert_int_equal(lane[1].lane, 0);
    assert_int_equal(lane[2].lane, 1);
    assert_int_equal(lane[3].rank, 10);
    free(lane);
}

static void file_copy(const char *from, const char *to, long bytes)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    int c;

    assert_non_null(in);
    assert_non_null(out);
    while (bytes-- && (c = getc(in)) != EOF)
        putc(c, out);
    fclose(in);
    fclose(out);
}

/* Cuts the .spool file at every length: fewer bytes never give more events, each event is complete,
 * and the reader reports the cut. */
static void test_cut(void **state)
{
    char folder[300], cut[300], from[400], to[400];
    uint64_t events, last = 0;
    struct spool_reader reader;
    struct stat about;

    (void)state;
    path_of(folder, sizeof folder, "whole");
    path_of(cut, sizeof cut, "cut");
    mkdir(cut, 0777);
    assert_true(pair_write(folder));
    snprintf(from, sizeof from, "%s/0.0.ring", folder);
    snprintf(to, sizeof to, "%s/0.0.ring", cut);
    file_copy(from, to, -1);
    snprintf(from, sizeof from, "%s/0.0.spool", folder);
    snprintf(to, sizeof to, "%s/0.0.spool", cut);
    assert_int_equal(stat(from, &about), 0);
    for (long bytes = 0; bytes <= about.st_size; bytes++) {
        file_copy(from, to, bytes);
        assert_int_equal(spool_reader_open(&reader, cut, 0, 0), CORE_OK);
        records_count(&reader, &events);
        assert_true(events >= last && events <= last + 1);
        assert_int_equal(reader.torn, bytes < about.st_size);
        assert_int_equal(reader.torn, reader.why[0] != 0);
        last = events;
        spool_reader_close(&reader);
    }
    assert_int_equal(last, 8);
    unlink(to); /* removed during the run: nothing, with a report */
    assert_int_equal(spool_reader_open(&reader, cut, 0, 0), CORE_OK);
    assert_int_equal(records_count(&reader, &events), 0);
    assert_true(reader.torn);
    spool_reader_close(&reader);
}

static void header_expect(const char *ring, long at, uint64_t value, size_t bytes,
                          enum core_status status, const char *why)
{
    char folder[300], to[400], got[SPOOL_WHY_BYTES] = "";
    struct spool_header header;

    path_of(folder, sizeof folder, "header");
    mkdir(folder, 0777);
    snprintf(to, sizeof to, "%s/0.0.ring", folder);
    file_copy(ring, to, -1);
    FILE *file = fopen(to, "r+b");
    fseek(file, at, SEEK_SET);
    fwrite(&value, 1, bytes, file);
    fclose(file);
    int fd = open(to, O_RDONLY);
    assert_int_equal(spool_header_read(fd, &header, got), status);
    close(fd);
    if (why)
        assert_non_null(strstr(got, why));
}

static struct spool_writer leaving;
static int buses;

static void on_bus(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    buses++;
    if (!spool_writer_leave(&leaving, info->si_addr))
        abort();
}

/* If a ring's file loses its disk space, its records stay readable, and the writer continues in
 * memory. spool/spool.h invariant 5 */
static void test_leave(void **state)
{
    const struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
    struct sigaction before;
    struct spool_header header;
    char folder[300], ring[400];
    int error;

    (void)state;
    path_of(folder, sizeof folder, "leave");
    mkdir(folder, 0777);
    snprintf(ring, sizeof ring, "%s/0.0.ring", folder);
    for (int cut = 0; cut < 2; cut++) {
        assert_int_equal(spool_writer_open(&leaving, folder, 0, 0, 4096, &error), CORE_OK);
        memcpy(leaving.header->magic, SPOOL_MAGIC, sizeof SPOOL_MAGIC);
        leaving.header->world_size = 1;
        leaving.header->tick_hz = 1000000000;
        struct spool_event *event = spool_reserve(&leaving, 8);
        *event = (struct spool_event){.head = {SPOOL_EVENT, 8, 1, 0}, .seq = 7};
        spool_commit(&leaving);
        assert_false(spool_writer_leave(&leaving, folder)); /* not of the ring */
        assert_null(memchr(leaving.header->note, 's', sizeof leaving.header->note));
        if (cut) { /* a real fault */
            assert_int_equal(truncate(ring, 0), 0);
            sigaction(SIGBUS, &action, &before);
            atomic_store(&leaving.header->depth, 1);
            sigaction(SIGBUS, &before, NULL);
            assert_int_equal(buses, 1);
        } else {
            assert_true(spool_writer_leave(&leaving, leaving.ring));
            assert_int_equal(((struct spool_event *)(void *)leaving.ring)->seq, 7);
            int fd = open(ring, O_RDONLY);
            assert_int_equal(spool_header_read(fd, &header, NULL), CORE_OK);
            close(fd);
            assert_int_equal(header.flags, SPOOL_FLAG_LEFT);
            assert_int_equal(header.stopped, 1);
            assert_string_equal(header.note, SPOOL_NOTE_LEFT);
            assert_int_equal(header.committed, 64);
        }
        assert_null(spool_reserve(&leaving, 8));
        spool_writer_close(&leaving);
    }
}

static void test_header(void **state)
{
    char folder[300], ring[400];

    (void)state;
    path_of(folder, sizeof folder, "good");
    assert_true(pair_write(folder));
    snprintf(ring, sizeof ring, "%s/0.0.ring", folder);
    header_expect(ring, 0, 'C', 1, CORE_OK, NULL);
    header_expect(ring, 0, 'X', 1, CORE_BAD_FORMAT, "not a spool");
    header_expect(ring, 0, 0, 8, CORE_NOT_FOUND, "never written");
    header_expect(ring, offsetof(struct spool_header, version), 99, 4, CORE_BAD_VERSION,
                  "version 99");
    header_expect(ring, offsetof(struct spool_header, ring_bytes), 0, 8, CORE_BAD_FORMAT,
                  "invalid");
    header_expect(ring, offsetof(struct spool_header, ring_bytes), UINT64_MAX, 8, CORE_BAD_FORMAT,
                  "invalid");
    header_expect(ring, offsetof(struct spool_header, world_size), 0x7fffffff, 4, CORE_BAD_FORMAT,
                  "invalid");
    header_expect(ring, offsetof(struct spool_header, rank), 0xffffffff, 4, CORE_BAD_FORMAT,
                  "invalid");
    header_expect(ring, offsetof(struct spool_header, tick_hz), 0, 8, CORE_BAD_FORMAT, "invalid");
}

static void ignore(enum core_status status, const char *message, void *context)
{
    (void)status, (void)context;
    assert_true(*message != 0);
}

/* Randomly damaged bytes, in ring and file, give a status or a readable trace. */
static void test_spoiled(void **state)
{
    char folder[300], path[300], file[2][400];
    struct core_random random;
    int stored = 0, refused = 0;

    (void)state;
    core_random_init(&random, 1);
    core_report_hook(ignore, NULL);
    path_of(folder, sizeof folder, "spoiled");
    path_of(path, sizeof path, "spoiled.db");
    snprintf(file[0], sizeof *file, "%s/0.0.spool", folder);
    snprintf(file[1], sizeof *file, "%s/1.0.ring", folder);
    for (int i = 0; i < 600; i++) {
        assert_true(pair_write(folder));
        for (uint64_t k = 1 + core_random_below(&random, 6); k; k--) {
            FILE *f = fopen(file[core_random_below(&random, 2)], "r+b");
            static const unsigned char odd[] = {0, 1, 8, 0x7f, 0x80, 0xff};
            fseek(f, (long)core_random_below(&random, 1500), SEEK_SET);
            for (uint64_t n = 1 + core_random_below(&random, 8); n; n--)
                putc(core_random_below(&random, 2) ? (int)core_random_below(&random, 256)
                                                   : odd[core_random_below(&random, 6)],
                     f);
            fclose(f);
        }
        if (store_write(folder, path, NULL)) {
            refused++;
            continue;
        }
        stored++;
        struct trace trace;
        struct trace_cursor *cursor;
        struct trace_event event;
        bool more = true;
        if (trace_open(path, TRACE_READ, &trace))
            continue;
        if (trace_cursor_open(&trace, 0, &cursor) == CORE_OK) {
            while (trace_cursor_next(cursor, &event, &more) == CORE_OK && more) {
            }
            trace_cursor_close(cursor);
        }
        trace_close(&trace);
    }
    core_report_hook(NULL, NULL);
    assert_true(stored > 300 && refused > 0);
}

static int setup(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(base, sizeof base, "%s/spool.XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(base) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[320];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),    cmocka_unit_test(test_again),
        cmocka_unit_test(test_names),   cmocka_unit_test(test_again_nothing),
        cmocka_unit_test(test_cut),     cmocka_unit_test(test_header),
        cmocka_unit_test(test_spoiled), cmocka_unit_test(test_leave),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
