/* Tests that ill-formed programs and those from damaged traces are refused with a status, so that
 * no engine gets them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "core/fault.h"
#include "store/store.h"
#include "replay/program/lower.h"
#include "tests/unit/spool_text.h"

static char base[256], path[300], said[512];

static void hear(enum core_status status, const char *text, void *context)
{
    (void)status;
    (void)context;
    snprintf(said, sizeof said, "%s", text);
}

#define SEND(size)                                                     \
    {                                                                  \
        .kind = REPLAY_ISEND, .peer = 1, .bytes = (size), .request = 0 \
    }
#define WAIT                              \
    {                                     \
        .kind = REPLAY_WAIT, .request = 0 \
    }

static const struct row {
    const char *why; /* part of the report; NULL: well-formed */
    struct replay_op op[4];
    uint32_t count;
} rows[] = {
    {NULL, {SEND(UINT64_MAX), WAIT}, 2},
    {"more bytes sent in all", {SEND(UINT64_MAX), {.kind = REPLAY_SEND, .peer = 1, .bytes = 1}}, 2},
    {"more bytes sent in all",
     {{.kind = REPLAY_SEND, .peer = 1, .bytes = UINT64_C(1) << 63},
      {.kind = REPLAY_SEND, .peer = 1, .bytes = UINT64_C(1) << 63}},
     2},
    {NULL,
     {{.kind = REPLAY_SEND, .peer = 1, .bytes = UINT64_C(1) << 63},
      {.kind = REPLAY_RECV, .peer = 1, .bytes = UINT64_MAX}},
     2},
    {"unknown kind", {{.kind = REPLAY_OP_KIND_COUNT}}, 1},
    {"communicator that does not exist", {{.kind = REPLAY_COMPUTE, .comm = 1}}, 1},
    {"rank out of range", {{.kind = REPLAY_SEND, .peer = 2}}, 1},
    {"negative tag", {{.kind = REPLAY_SEND, .peer = 1, .tag = -1}}, 1},
    {"unknown send mode", {{.kind = REPLAY_SEND, .peer = 1, .mode = REPLAY_TOKEN + 1}}, 1},
    {"never made", {WAIT}, 1},
    {"made twice", {SEND(8), SEND(8)}, 2},
    {"without a request", {{.kind = REPLAY_ISEND, .peer = 1, .request = -1}}, 1},
    {"does not exist", {{.kind = REPLAY_WAIT_ALL, .request = 0}}, 1},
    {"never probed", {{.kind = REPLAY_MRECV, .request = 0}}, 1},
    {"exclusive lock of all",
     {{.kind = REPLAY_LOCK, .peer = REPLAY_ANY, .mode = REPLAY_LOCK_EXCLUSIVE}},
     1},
    {"without a number", {{.kind = REPLAY_COLL, .tag = -1}}, 1},
};

static void ill_formed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct replay_program program;
        assert_int_equal(replay_program_init(&program, 2), CORE_OK);
        for (uint32_t k = 0; k < rows[i].count; k++)
            assert_int_equal(replay_program_add(&program, 0, &rows[i].op[k]), CORE_OK);
        said[0] = 0;
        enum core_status status = replay_program_check(&program);
        if (status != (rows[i].why ? CORE_BAD_INPUT : CORE_OK) ||
            (rows[i].why && !strstr(said, rows[i].why)))
            fail_msg("row %zu: status %d, \"%s\"", i, (int)status, said);
        replay_program_done(&program);
    }
}

/* The sum of three message sizes would overflow at their receiver, so a trace with them is refused
 * before. */
static void too_long_in_all(void **state)
{
    struct trace trace;
    struct replay_program program;
    sqlite3 *db;
    char folder[300];

    (void)state;
    snprintf(folder, sizeof folder, "%s/long", base);
    const char *ranks[] = {
        "Send peer=1 tag=7 type=int count=4; Send peer=1 tag=7 type=int count=4; "
        "Send peer=1 tag=7 type=int count=4; Finalize",
        "Recv peer=0 tag=7 type=int count=4; Recv peer=0 tag=7 type=int count=4; "
        "Recv peer=0 tag=7 type=int count=4; Finalize"};
    for (int rank = 0; rank < 2; rank++)
        assert_true(text_write(folder, rank, 2, ranks[rank]));
    assert_int_equal(store_write(folder, path, &(struct store_options){.exit_code = -1}), CORE_OK);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "UPDATE shape SET bytes = 9223372036854775807 WHERE bytes = 16",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(trace_open(path, TRACE_READ, &trace), CORE_OK);
    assert_int_equal(replay_lower(&trace, &(struct replay_lower_options){0}, &program, NULL),
                     CORE_BAD_INPUT);
    assert_non_null(strstr(said, "rank 0, operation 2"));
    trace_close(&trace);
}

enum { RANKS = 3000, STEPS = 60 }; /* enough for a block */

static struct replay_op step_op(uint32_t rank, int32_t step, int32_t set)
{
    return (struct replay_op){.kind = REPLAY_WAIT_ALL,
                              .request = set,
                              .event = (uint64_t)rank * STEPS + (uint64_t)step + 1};
}

/* Makes a program where rank r waits r % STEPS times for its requests: one, two, three of them. */
static void many_ranks(struct replay_program *program)
{
    int32_t all[STEPS], set;

    assert_int_equal(replay_program_init(program, RANKS), CORE_OK);
    for (int32_t i = 0; i < STEPS; i++)
        all[i] = i;
    for (uint32_t r = 0; r < RANKS; r++)
        for (int32_t i = 0; i < (int32_t)(r % STEPS); i++) {
            assert_int_equal(replay_add_isend(program, r, (int32_t)(r + 1) % RANKS, i, r, i),
                             CORE_OK);
            assert_int_equal(
                replay_program_set(program, r, all + i / 3, (uint32_t)(i % 3) + 1, i, &set),
                CORE_OK);
            struct replay_op op = step_op(r, i, set);
            assert_int_equal(replay_program_add(program, r, &op), CORE_OK);
        }
}

static void equal_ranks(const struct replay_rank *a, const struct replay_rank *b)
{
    assert_int_equal(a->op_count, b->op_count);
    assert_int_equal(a->set_count, b->set_count);
    assert_int_equal(a->member_count, b->member_count);
    assert_int_equal(a->request_count, b->request_count);
    if (!a->op_count)
        return;
    assert_memory_equal(a->op, b->op, a->op_count * sizeof *a->op);
    assert_memory_equal(a->set, b->set, a->set_count * sizeof *a->set);
    assert_memory_equal(a->member, b->member, a->member_count * sizeof *a->member);
}

/* Moving the ranks' arrays into one block changes no value, and neither does a failure to allocate
 * the block. */
static void trimmed(void **state)
{
    struct replay_program program, packed;
    (void)state;
    many_ranks(&program);
    for (int failing = 0; failing < 2; failing++) {
        many_ranks(&packed);
        core_fault_set(failing ? 0 : -1, true);
        replay_program_trim(&packed);
        core_fault_set(-1, false);
        assert_int_equal(packed.block == NULL, failing);
        for (uint32_t r = 0; r < RANKS; r++) {
            equal_ranks(&program.rank[r], &packed.rank[r]);
            assert_int_equal((uintptr_t)packed.rank[r].op % sizeof(uint64_t), 0);
        }
        replay_program_done(&packed);
    }
    replay_program_done(&program);
}

static int set_up(void **state)
{
    const char *folder = getenv("TMPDIR");
    (void)state;
    snprintf(base, sizeof base, "%s/program.XXXXXX", folder ? folder : "/tmp");
    if (!mkdtemp(base))
        return -1;
    snprintf(path, sizeof path, "%s/T.db", base);
    core_report_hook(hear, NULL);
    return 0;
}

static int tear_down(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ill_formed), cmocka_unit_test(too_long_in_all), cmocka_unit_test(trimmed)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
