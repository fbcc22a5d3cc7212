/* Findings: growth, facts, JSON form, and what makes a list fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checkers/check_rules.h"
#include "checkers/finding.h"

static void a_note_does_not_fail_a_list_but_a_warning_does(void **state)
{
    struct finding_list list = {0};

    (void)state;
    for (int i = 0; i < 20; i++)
        assert_non_null(finding_list_add(&list, RULE_BUFFER_NEED, FINDING_NOTE));
    assert_false(finding_list_fails(&list));
    assert_non_null(finding_list_add(&list, RULE_DEADLOCK, FINDING_WARNING));
    assert_true(finding_list_fails(&list));
    finding_list_done(&list);
    assert_int_equal(list.count, 0);
}

/* Neither what was not tried, nor what nothing speaks against, is left out of a report. */
static void what_the_job_did_not_confirm_is_faint_unless_only_the_job_can_tell(void **state)
{
    struct finding finding = {.severity = FINDING_NOTE, .assumed = true};

    (void)state;
    assert_false(finding_is_faint(&finding));
    finding_confirm(&finding, FINDING_UNPROVEN);
    assert_true(finding_is_faint(&finding));
    finding.undecided = true;
    finding_confirm(&finding, FINDING_UNPROVEN);
    assert_false(finding_is_faint(&finding));
    finding_confirm(&finding, FINDING_REFUTED);
    assert_true(finding_is_faint(&finding));
    finding_confirm(&finding, FINDING_CONFIRMED);
    assert_false(finding_is_faint(&finding));
    for (uint32_t i = 0; i < finding.fact_count; i++)
        free(finding.fact[i]);
    free(finding.fact);
}

/* checkers invariant 2, reports invariant 3 */
static void the_json_form_holds_what_was_said(void **state)
{
    struct finding_list list = {0};
    struct finding *finding = finding_list_add(&list, RULE_DEADLOCK, FINDING_ERROR);

    (void)state;
    finding_title(finding, "first");
    finding_title(finding, "%d ranks \"wait\"", 2);
    finding_fact(finding, "a fact");
    finding_fact(finding, "another");
    finding_repeat(finding, "crosswait replay T.db");
    struct finding_call *call = finding_call_add(finding, NULL, 1, 0);
    call->core = true;
    char *json = finding_json(finding);
    assert_string_equal(
        json, "{\"id\":1,\"checker\":\"deadlock\",\"rule\":\"deadlock\",\"class\":\"deadlock\","
              "\"severity\":\"error\",\"title\":\"2 "
              "ranks \\\"wait\\\"\","
              "\"calls\":[{\"rank\":1,\"core\":true}],\"facts\":[\"a fact\",\"another\"],"
              "\"repeat\":\"crosswait replay T.db\",\"assumed\":false,\"live\":\"not tried\"}");
    free(json);
    finding_list_done(&list);
}

static void what_is_not_wanted_is_left_out(void **state)
{
    struct finding_list list = {0};
    bool wanted[RULE_COUNT] = {[RULE_LEAK] = true};

    (void)state;
    for (int i = 0; i < 3; i++) {
        finding_title(finding_list_add(&list, RULE_BUFFER, FINDING_ERROR), "buffer %d", i);
        finding_title(finding_list_add(&list, RULE_LEAK, FINDING_WARNING), "leak %d", i);
    }
    finding_list_keep(&list, 2, wanted);
    assert_int_equal(list.count, 4); /* two that stood there before, two leaks */
    for (uint32_t i = 0; i < list.count; i++) {
        assert_int_equal(list.finding[i].id, i + 1);
        assert_string_equal(list.finding[i].rule->id, i == 0 ? "buffer" : "leak");
        assert_string_equal(list.finding[i].rule->checker, "usage");
    }
    assert_string_equal(list.finding[3].title, "leak 2");
    finding_list_done(&list);
}

static void the_command_that_shows_it_again_asks_for_its_rule(void **state)
{
    struct trace trace = {.path = "it's.db"};
    struct finding_list list = {0};
    struct finding *finding = finding_list_add(&list, RULE_BUFFER, FINDING_ERROR);

    (void)state;
    finding_repeat_check(finding, &trace);
    assert_string_equal(finding->repeat, "crosswait check --only=buffer 'it'\\''s.db'");
    finding_list_done(&list);
}

static void awaited_ranks_are_runs(void **state)
{
    struct finding_call call = {0};

    (void)state;
    for (uint32_t i = 0; i < 200; i++) /* even ones, then odd ones down; all twice */
        finding_call_await(&call, i < 100 ? i * 2 : 399 - i * 2, false);
    for (uint32_t i = 0; i < 200; i++)
        finding_call_await(&call, i, true);
    assert_int_equal(call.await_count, 1);
    assert_int_equal(call.await[0].first, 0);
    assert_int_equal(call.await[0].last, 199);
    assert_false(call.await[0].any);
    finding_call_await(&call, 200, true);
    finding_call_await(&call, 300, true);
    assert_int_equal(call.await_count, 3);
    assert_true(call.await[1].any);
    assert_int_equal(call.await[1].last, 200);
    free(call.await);
}

/* Rank 0 waits for rank 1, rank 1 for the rank given, and so many more for rank 1. */
static const char *help_of_more(uint32_t awaited, bool core, uint32_t more)
{
    struct finding_list list = {0};
    struct finding *finding = finding_list_add(&list, RULE_DEADLOCK, FINDING_ERROR);

    for (uint32_t rank = 0; rank < 2 + more; rank++) {
        assert_int_equal(finding_place_add(finding, rank, "MPI_Recv", NULL, NULL, ""), CORE_OK);
        finding_call_await(&finding->call[rank], rank == 1 ? awaited : 1, false);
        finding->call[rank].core = rank == 0 || core;
    }
    finding_schedule(finding, more ? &check_buffered : &check_unbuffered);
    const char *help = finding_help(finding);
    finding_list_done(&list);
    return help;
}

static const char *help_of(uint32_t awaited, bool core)
{
    return help_of_more(awaited, core, 0);
}

static void the_remedy_is_for_a_cycle_where_there_is_one(void **state)
{
    const struct rule *rule = &rule_table[RULE_DEADLOCK];
    const char *match = remedy_table[REMEDY_MATCH].help;

    (void)state;
    assert_string_equal(help_of(0, true), rule->help);
    assert_string_equal(help_of(2, false), match);        /* which has ended, say */
    assert_string_equal(help_of(1, true), rule->help);    /* for itself */
    assert_string_equal(help_of_more(0, true, 1), match); /* rank 1 is the odd one */
}

/* A receive from anyone could also take what its own rank sends, which is no cycle. */
static void who_takes_any_message_does_not_wait_for_itself(void **state)
{
    const struct rule *rule = &rule_table[RULE_DEADLOCK];
    const char *match = remedy_table[REMEDY_MATCH].help;

    (void)state;
    for (int any = 0; any <= 1; any++) {
        struct finding_list list = {0};
        struct finding *finding = finding_list_add(&list, RULE_DEADLOCK, FINDING_ERROR);
        assert_int_equal(finding_place_add(finding, 1, "MPI_Recv", NULL, NULL, ""), CORE_OK);
        finding->call[0].core = true;
        for (uint32_t rank = 0; rank < 2; rank++)
            finding_call_await(&finding->call[0], rank, any);
        assert_string_equal(finding_help(finding), any ? match : rule->help);
        finding_list_done(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_takes_any_message_does_not_wait_for_itself),
        cmocka_unit_test(the_remedy_is_for_a_cycle_where_there_is_one),
        cmocka_unit_test(a_note_does_not_fail_a_list_but_a_warning_does),
        cmocka_unit_test(what_the_job_did_not_confirm_is_faint_unless_only_the_job_can_tell),
        cmocka_unit_test(the_json_form_holds_what_was_said),
        cmocka_unit_test(awaited_ranks_are_runs),
        cmocka_unit_test(what_is_not_wanted_is_left_out),
        cmocka_unit_test(the_command_that_shows_it_again_asks_for_its_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
