/* The clock of time limits leaves out waiting times only as far as it is told to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/clock.h"

static const double HOUR_S = 3600;

static void test_waits(void **state)
{
    (void)state;
    const double begun_s = explore_clock_s();
    explore_clock_waited(2 * HOUR_S);
    assert_true(explore_clock_s() >= begun_s); /* not patient yet */
    explore_clock_patient(3 * HOUR_S);
    explore_clock_waited(2 * HOUR_S);
    assert_true(explore_clock_s() < begun_s - HOUR_S);
    explore_clock_waited(-HOUR_S); /* the ranks computed at the same time: nothing was waited for */
    explore_clock_waited(2 * HOUR_S);
    assert_true(explore_clock_s() < begun_s - 2 * HOUR_S);
    assert_true(explore_clock_s() >= begun_s - 3 * HOUR_S); /* the limit */
    explore_clock_patient(0);
    const double then_s = explore_clock_s();
    explore_clock_waited(HOUR_S);
    assert_true(explore_clock_s() >= then_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_waits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
