/* Tests the names of decisions: each number names one decision, and back; and their counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/decision/decision.h"
#include "core/random.h"

/* Policies and schedules of earlier versions use these names. */
static void names_stay(void **state)
{
    static const struct {
        struct decision decision;
        uint32_t number;
    } names[] = {{{.kind = DECISION_CHOICE, .index = 3}, 3},
                 {{.kind = DECISION_CHOICE, .thread = 2, .index = 1}, 4001},
                 {{.kind = DECISION_BUFFER, .index = 7}, 4000000007u},
                 {{.kind = DECISION_CANCEL, .index = 1}, 4200000001u},
                 {{.kind = DECISION_EPOCH, .index = 2}, 4250000002u},
                 {{.kind = DECISION_MEMORY, .object = 1, .index = 5}, 2000005},
                 {{.kind = DECISION_LOCK, .object = 3, .index = 1}, 7000001},
                 {{.kind = DECISION_THREAD, .queue = DECISION_QUEUE_RECEIVES, .index = 1}, 1000001},
                 {{.kind = DECISION_THREAD, .queue = 2, .index = 9}, 1003009},
                 {{.kind = DECISION_FILE, .object = 2, .queue = 1, .index = 1}, 4001501}};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(decision_number(&names[i].decision), names[i].number);
    assert_int_equal(decision_window(0), 1);
    assert_int_equal(decision_comm(0), 0);
    assert_int_equal(decision_file(), 2);
}

static void numbers_lead_back(void **state)
{
    struct core_random random;

    (void)state;
    core_random_init(&random, 1);
    for (int i = 0; i < 100000; i++) {
        struct decision d = {.rank = (uint32_t)core_random_below(&random, 100),
                             .kind = (enum decision_kind)core_random_below(&random, 8),
                             .index = 1 + (uint32_t)core_random_below(&random, DECISION_QUEUE)};
        uint32_t count = (uint32_t)core_random_below(&random, 50);
        bool threads = i % 2;
        if (d.kind <= DECISION_BUFFER && threads)
            d.thread = (uint32_t)core_random_below(&random, DECISION_THREADS);
        if (d.kind == DECISION_MEMORY || d.kind == DECISION_LOCK)
            d.object = decision_window(count);
        if (d.kind == DECISION_THREAD)
            d.object = decision_comm(count);
        if (d.kind == DECISION_FILE)
            d.object = decision_file();
        if (d.kind == DECISION_THREAD || d.kind == DECISION_FILE)
            d.queue = (uint32_t)core_random_below(&random, DECISION_FILES);
        uint32_t number = decision_number(&d);
        struct decision back = decision_of(d.rank, number, threads);
        assert_memory_equal(&back, &d, sizeof d);
        assert_int_equal(decision_kind_of(number), d.kind);
        assert_int_equal(decision_orders(number), d.kind >= DECISION_MEMORY);
        if (decision_orders(number))
            assert_int_equal(decision_object_of(number), d.object);
    }
}

static void polls_that_find_nothing_again_are_not_counted(void **state)
{
    struct decision_count count = {.thread = 1};

    (void)state;
    assert_int_equal(decision_count_choice(&count), 2001);
    decision_count_answered(&count, false, false);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(decision_count_choice(&count), 2002);
        decision_count_answered(&count, true, i == 2);
    }
    assert_int_equal(decision_count_choice(&count), 2003);
    assert_int_equal(decision_count_send(&count), 2001);
    assert_int_equal(decision_of_send(decision_count_send(&count)), 4000002002u);
    assert_false(decision_count_exceeds(&count));
    count.sends = DECISION_THREAD_NUMBERS + 1;
    assert_true(decision_count_exceeds(&count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stay),
        cmocka_unit_test(numbers_lead_back),
        cmocka_unit_test(polls_that_find_nothing_again_are_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
