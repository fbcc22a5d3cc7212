/* Findings: growth, facts, JSON form, and what makes a list fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "checkers/finding.h"

static void a_note_does_not_fail_a_list_but_a_warning_does(void **state)
{
    struct finding_list list = {0};

    (void)state;
    for (int i = 0; i < 20; i++)
        assert_non_null(finding_list_add(&list, "buffer-need", "deadlock", FINDING_NOTE));
    assert_false(finding_list_fails(&list));
    assert_non_null(finding_list_add(&list, "deadlock", "deadlock", FINDING_WARNING));
    assert_true(finding_list_fails(&list));
    finding_list_done(&list);
    assert_int_equal(list.count, 0);
}

static void the_json_form_holds_what_was_said(void **state)
{
    struct finding_list list = {0};
    struct finding *finding = finding_list_add(&list, "deadlock", "deadlock", FINDING_ERROR);

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
        json, "{\"rule\":\"deadlock\",\"class\":\"deadlock\",\"severity\":\"error\",\"title\":\"2 "
              "ranks \\\"wait\\\"\","
              "\"calls\":[{\"rank\":1,\"core\":true}],\"facts\":[\"a fact\",\"another\"],"
              "\"repeat\":\"crosswait replay T.db\",\"assumed\":false,\"live\":\"not tried\"}");
    free(json);
    finding_list_done(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_does_not_fail_a_list_but_a_warning_does),
        cmocka_unit_test(the_json_form_holds_what_was_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
