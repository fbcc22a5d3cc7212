/* Tests how the remaining time in squeue's output is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "launch/launch.h"

static void times_are_read(void **state)
{
    static const struct {
        const char *text;
        double seconds; /* negative: no time */
    } row[] = {{"0:59\n", 59},      {"1:00", 60},    {"02:03:04\n", 7384}, {"1-02:03:04", 93784},
               {"UNLIMITED\n", -1}, {"NOT_SET", -1}, {"INVALID", -1},      {"", -1},
               {"12:", -1},         {"1:2:3:4", -1}, {"-5:00", -1},        {"5:00x", -1}};

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double seconds = 0;

        assert_int_equal(launch_batch_time_read(row[i].text, &seconds), row[i].seconds >= 0);
        if (row[i].seconds >= 0)
            assert_int_equal(seconds, row[i].seconds);
    }
}

static void a_tenth_is_kept_for_the_report(void **state)
{
    char end[32];

    (void)state;
    unsetenv("SLURM_JOB_ID");
    assert_int_equal(launch_batch_budget(), 0);
    setenv("SLURM_JOB_ID", "17", 1);
    snprintf(end, sizeof end, "%lld", (long long)time(NULL) + 600);
    setenv("SLURM_JOB_END_TIME", end, 1);
    assert_in_range(launch_batch_budget(), 530, 540);
    snprintf(end, sizeof end, "%lld", (long long)time(NULL) + 86400);
    setenv("SLURM_JOB_END_TIME", end, 1);
    assert_in_range(launch_batch_budget(), 86270, 86280);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read),
        cmocka_unit_test(a_tenth_is_kept_for_the_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
