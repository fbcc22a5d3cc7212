/* Tests the report hook and the vocabulary's text forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/trace/event.h"
#include "core/status.h"

static void keep_message(enum core_status status, const char *message, void *context)
{
    (void)status;
    strncpy(context, message, 63);
}

static void the_hook_gets_the_message(void **state)
{
    char seen[64] = "";

    (void)state;
    core_report_hook(keep_message, seen);
    assert_int_equal(core_report(CORE_FULL, "disk of rank %d", 3), CORE_FULL);
    core_report_hook(NULL, NULL);
    assert_string_equal(seen, "disk of rank 3");
}

static void classes_and_states_go_there_and_back(void **state)
{
    (void)state;
    for (int i = 0; i < EVENT_CLASS_COUNT; i++)
        assert_int_equal(event_class_find(event_class_text((enum event_class)i)), i);
    for (int i = 0; i < EVENT_RANK_STATE_COUNT; i++)
        assert_int_equal(event_rank_state_find(event_rank_state_text((enum event_rank_state)i)), i);
    assert_int_equal(event_class_find("no such class"), EVENT_CLASS_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hook_gets_the_message),
        cmocka_unit_test(classes_and_states_go_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
