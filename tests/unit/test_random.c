/* Compares the generator with an independent transcription of the published recurrence, and tests
 * its bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/random.h"

/* splitmix64's published first outputs for seed 0. */
static void the_mixer_is_splitmix64(void **state)
{
    (void)state;
    assert_true(core_random_mix(0) == 0xe220a8397b1dcdafu);
    assert_true(core_random_mix(0x9e3779b97f4a7c15u) == 0x6e789e6aa1b965f4u);
}

static void the_same_seed_gives_the_same_numbers(void **state)
{
    struct core_random a, b, c;
    int different = 0;

    (void)state;
    core_random_init(&a, 7);
    core_random_init(&b, 7);
    core_random_init(&c, 8);
    for (int i = 0; i < 1000; i++) {
        uint64_t value = core_random_next(&a);
        assert_true(value == core_random_next(&b));
        different += value != core_random_next(&c);
    }
    assert_true(different > 990);
}

static void below_is_below_and_even(void **state)
{
    struct core_random random;
    int seen[6] = {0};

    (void)state;
    core_random_init(&random, 1);
    for (int i = 0; i < 60000; i++) {
        uint64_t value = core_random_below(&random, 6);
        assert_true(value < 6);
        seen[value]++;
    }
    for (int i = 0; i < 6; i++)
        assert_in_range(seen[i], 9500, 10500);
    assert_true(core_random_below(&random, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mixer_is_splitmix64),
        cmocka_unit_test(the_same_seed_gives_the_same_numbers),
        cmocka_unit_test(below_is_below_and_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
