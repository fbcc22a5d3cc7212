/* Tests the description of a buffer's memory, from records that no process wrote: its words, that
 * equal records are looked up once, and that senseless records are ignored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "core/random.h"
#include "store/store.h"
#include "core/trace/trace.h"
#include "tests/unit/spool_pair.h"

static char base[256], module[320];
static uint64_t table; /* its address in the module */

enum { ANYWHERE = 0x10000 /* where the module was loaded */ };

/* Makes a program with `int table[10]`, and finds the address of the table. */
static void module_make(void)
{
    char command[1200];
    FILE *pipe;

    snprintf(module, sizeof module, "%s/program", base);
    snprintf(command, sizeof command,
             "cd '%s' && echo 'int table[10]; int main(void) { return table[0]; }' >program.c && "
             "gcc -g -no-pie -o program program.c && nm program",
             base);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    for (char line[256]; fgets(line, sizeof line, pipe);)
        if (strstr(line, " table\n"))
            table = strtoull(line, NULL, 16);
    assert_int_equal(pclose(pipe), 0);
    assert_true(table != 0);
}

/* Adds a buffer of `count` MPI_DOUBLE (type 3) or MPI_INT (4) from byte `from` of the table on. */
static struct spool_memory *memory_add(struct writer *w, uint64_t seq, uint32_t type, int64_t count,
                                       uint64_t from)
{
    struct spool_memory *m = writer_add(w, SPOOL_MEMORY, sizeof *m + 3, SPOOL_PLACE_STATIC, 0);

    m->seq = seq;
    m->at = m->start = ANYWHERE + table + from;
    m->end = m->mapped_end = m->start + (uint64_t)count * (type == 3 ? 8 : 4);
    m->count = count;
    m->type = type;
    m->module = 1;
    m->bias = ANYWHERE;
    m->name_bytes = 3;
    memcpy(m + 1, "buf", 3);
    return m;
}

static void job_open(struct writer *w, int rank)
{
    char folder[300];

    snprintf(folder, sizeof folder, "%s/job", base);
    writer_open(w, folder, rank, 2, 0);
    pair_define(w);
    writer_type(w, 4, "MPI_INT", 4);
    writer_module(w, 1, module);
}

static void job_store(struct trace *trace)
{
    char folder[300], path[300];

    snprintf(folder, sizeof folder, "%s/job", base);
    snprintf(path, sizeof path, "%s/job.db", base);
    assert_int_equal(store_write(folder, path, NULL), CORE_OK);
    assert_int_equal(trace_open(path, TRACE_READ, trace), CORE_OK);
}

struct seen {
    char text[512];
};

static enum core_status misuse_note(uint32_t rank, uint64_t seq, const struct misuse *misuse,
                                    void *context)
{
    struct seen *seen = context;
    size_t used = strlen(seen->text);

    snprintf(seen->text + used, sizeof seen->text - used, "%u.%u %s %s:%s:%s:%d %d/%d; ",
             (unsigned)rank, (unsigned)seq, misuse_kind_text(misuse->kind), misuse->variable.name,
             misuse->variable.type, misuse->variable.file, (int)misuse->variable.line,
             (int)misuse->value[1], (int)misuse->value[2]);
    return CORE_OK;
}

/* store_memory.c invariants 1 and 2 */
static void variables_are_named(void **state)
{
    struct trace trace;
    struct writer w;
    struct seen seen = {""};

    (void)state;
    for (int rank = 0; rank < 2; rank++) {
        job_open(&w, rank);
        struct spool_event e = pair_message(&w, ISEND, 1 - rank, 5, 11);
        memory_add(&w, e.seq, 4, 11, 0);
        writer_event(&w, e);
        e = pair_message(&w, ISEND, 1 - rank, 5, 10);
        memory_add(&w, e.seq, 4, 10, 0);
        memory_add(&w, e.seq, 4, 6, 16);
        writer_event(&w, e);
        e = pair_message(&w, ISEND, 1 - rank, 5, 5);
        memory_add(&w, e.seq, 3, 5, 0);
        writer_event(&w, e);
        assert_true(writer_close(&w));
    }
    job_store(&trace);
    assert_int_equal(trace_misuse_each(&trace, misuse_note, &seen), CORE_OK);
    assert_string_equal(seen.text, "0.1 send-past-end table:int[10]:program.c:1 44/40; "
                                   "0.3 send-type table:int[10]:program.c:1 40/0; "
                                   "1.1 send-past-end table:int[10]:program.c:1 44/40; "
                                   "1.3 send-type table:int[10]:program.c:1 40/0; ");
    trace_close(&trace);
}

/* Numbers that no process writes must still give a trace. */
static void nonsense_is_left_out(void **state)
{
    struct core_random random;
    struct trace trace;
    struct writer w;

    (void)state;
    core_random_init(&random, 7);
    job_open(&w, 0);
    for (int i = 0; i < 400; i++) {
        struct spool_event e = pair_message(&w, ISEND, 1, 5, 11);
        struct spool_memory *m = memory_add(&w, e.seq, 4, 11, 0);
        uint64_t *field[] = {
            &m->at,        &m->start, &m->end, &m->mapped_end, &m->block_start,
            &m->block_end, &m->sp,    &m->cfa, &m->bias,       (uint64_t *)&m->count};
        for (uint64_t changes = 1 + core_random_next(&random) % 3; changes; changes--) {
            uint64_t any = core_random_next(&random);
            *field[any % 10] = core_random_next(&random) >> (any >> 8) % 64;
        }
        m->head.a = (uint16_t)(core_random_next(&random) % 7);
        m->head.b = (uint16_t)(core_random_next(&random) % 8);
        m->type = (uint32_t)(core_random_next(&random) % 6);
        m->module = (uint32_t)(core_random_next(&random) % 3);
        m->site = (uint32_t)(core_random_next(&random) % 3);
        writer_event(&w, e);
    }
    assert_true(writer_close(&w));
    job_store(&trace);
    assert_int_equal(trace.rank[0].events, 400);
    trace_close(&trace);
}

static int setup(void **state)
{
    (void)state;
    snprintf(base, sizeof base, "/tmp/test_memory.XXXXXX");
    if (!mkdtemp(base))
        return -1;
    module_make();
    return 0;
}

static int teardown(void **state)
{
    char command[300];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_named),
        cmocka_unit_test(nonsense_is_left_out),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
