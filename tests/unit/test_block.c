/* Tests blocks of findings: which ranks are joined, which come first, and that none is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "reports/block.h"

enum { RANKS = 25 };

/* Makes a finding where ranks 0-19 and 21-23 do the same, 20 does not, and 24 is not to blame. */
static struct finding *finding_make(struct finding_list *list)
{
    struct finding *finding = finding_list_add(list, RULE_DEADLOCK, FINDING_ERROR);

    for (uint32_t rank = 0; rank < RANKS; rank++) {
        struct finding_call *call = finding_call_add(finding, NULL, rank, 0);
        call->core = rank < 24;
        call->note = strdup(rank == 20 ? "odd" : "alike");
        call->waits_for = strdup("rank 3");
    }
    return finding;
}

/* reports/block.h invariant 1 */
static void ranks_that_do_the_same_are_one(void **state)
{
    struct trace trace = {.path = "none"};
    struct finding_list list = {0};
    struct block block;
    struct source *source;

    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &trace.db), SQLITE_OK);
    assert_int_equal(source_open(0, &source), CORE_OK);
    assert_int_equal(block_make(&trace, source, finding_make(&list), &block), CORE_OK);
    assert_int_equal(block.count, 2);
    assert_string_equal(block.place[0].ranks, "ranks 0-23");
    assert_string_equal(block.place[0].says, "waits for rank 3");
    assert_int_equal(block.place[0].part_count, 2);
    assert_string_equal(block.place[0].part[0].ranks, "rank 20"); /* the odd one first */
    assert_string_equal(block.place[0].part[1].ranks, "ranks 0-19,21-23");
    assert_string_equal(block.place[0].part[1].says, "alike");
    assert_string_equal(block.place[1].ranks, "rank 24");
    assert_string_equal(block.place[1].says, "waits for rank 3, alike");
    assert_int_equal(block.place[1].part_count, 0);
    assert_false(block.place[1].core);
    block_done(&block);
    source_close(source);
    finding_list_done(&list);
    sqlite3_close(trace.db);
}

/* A search finds calls that are in no trace. */
static void what_was_decided_comes_last_and_by_itself(void **state)
{
    char path[] = "/tmp/crosswait_source_XXXXXX", place[64];
    int fd = mkstemp(path);
    struct finding_list list = {0}, again = {0};
    struct finding *finding;
    struct block block;
    struct source *source;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "MPI_Recv(a);\nMPI_Send(b);\n", 26), 26);
    snprintf(place, sizeof place, "%s:2", strrchr(path, '/') + 1);
    finding = finding_list_add(&list, RULE_BEHAVIOUR, FINDING_ERROR);
    for (uint32_t i = 0; i < 2; i++) { /* the same rank decides twice at one place */
        assert_int_equal(finding_place_add(finding, 0, "MPI_Recv", "a.c:1", NULL, i ? "y" : "x"),
                         CORE_OK);
        finding->call[i].leads = true;
    }
    for (uint32_t rank = 1; rank < 4; rank++)
        assert_int_equal(finding_place_add(finding, rank, "MPI_Send", place, path, "sends"),
                         CORE_OK);
    char *json = finding_json(finding); /* as a trace keeps it */
    assert_int_equal(finding_list_read(&again, json), CORE_OK);
    free(json);
    assert_int_equal(source_open(UINT64_MAX, &source), CORE_OK);
    assert_int_equal(block_make(NULL, source, &again.finding[0], &block), CORE_OK);
    assert_int_equal(block.count, 3);
    assert_string_equal(block.place[0].ranks, "ranks 1-3");
    assert_string_equal(block.place[0].name, "MPI_Send");
    assert_string_equal(block.place[0].where, place);
    assert_string_equal(block.place[0].says, "sends");
    assert_string_equal(block.place[0].source.text, "MPI_Send(b);");
    assert_string_equal(block.place[1].ranks, "rank 0, what leads there");
    assert_string_equal(block.place[1].where, "a.c:1");
    assert_string_equal(block.place[1].says, "x");
    assert_string_equal(block.place[2].says, "y");
    block_done(&block);
    source_close(source);
    finding_list_done(&list);
    finding_list_done(&again);
    close(fd);
    unlink(path);
}

/* reports/source.h invariant 1: a file that changes later is shown as it was. */
static void a_line_is_shown_only_where_it_cannot_mislead(void **state)
{
    char path[] = "/tmp/crosswait_source_XXXXXX";
    int fd = mkstemp(path);
    struct trace_site site = {.file = path, .path = path, .line = 2};
    struct source *source;
    struct source_line line;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "first\n\tif (x) MPI_Send(y); \n\nlast(z);", 36), 36);
    assert_int_equal(source_open(1, &source), CORE_OK); /* the file is newer than the run */
    line = source_line_get(source, &site, "MPI_Send");
    assert_string_equal(line.text, "if (x) MPI_Send(y);");
    assert_int_equal(line.mark, 7);
    assert_int_equal(line.size, 8);
    assert_true(line.named);
    free(line.text);
    assert_int_equal(ftruncate(fd, 0), 0);
    site.line = 4;
    assert_null(source_line_get(source, &site, "MPI_Send").text);
    site.line = 3;
    assert_null(source_line_get(source, &site, NULL).text); /* an empty line */
    site.line = 5;
    assert_null(source_line_get(source, &site, NULL).text);
    site.line = 2;
    line = source_line_get(source, &site, "mpi_send"); /* Fortran */
    assert_true(line.named);
    free(line.text);
    source_close(source);
    close(fd);
    unlink(path);
}

static void an_older_file_needs_no_name(void **state)
{
    char path[] = "/tmp/crosswait_source_XXXXXX";
    int fd = mkstemp(path);
    struct trace_site site = {.file = path, .path = path, .line = 1};
    struct source *source;

    (void)state;
    assert_int_equal(write(fd, "wrapped(z);\n", 12), 12);
    assert_int_equal(source_open(UINT64_MAX, &source), CORE_OK);
    struct source_line line = source_line_get(source, &site, "MPI_Send");
    assert_string_equal(line.text, "wrapped(z);");
    assert_false(line.named);
    assert_int_equal(line.size, 11);
    free(line.text);
    source_close(source);
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_that_do_the_same_are_one),
        cmocka_unit_test(what_was_decided_comes_last_and_by_itself),
        cmocka_unit_test(a_line_is_shown_only_where_it_cannot_mislead),
        cmocka_unit_test(an_older_file_needs_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
