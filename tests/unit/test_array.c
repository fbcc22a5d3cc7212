/* Tests the growing array: its content, its limits, and failures of each allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/array.h"
#include "core/fault.h"
#include "core/random.h"

struct pair {
    uint32_t a, b;
};

struct owner {
    struct pair *pair;
    uint32_t count, room;
};

static char said[200];

static void hear(enum core_status status, const char *message, void *context)
{
    (void)status, (void)context;
    strncpy(said, message, sizeof said - 1);
}

static void pushed_elements_stay_in_order(void **state)
{
    struct owner o = {0};
    uint32_t moves = 0;

    (void)state;
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t room = o.room;
        assert_int_equal(CORE_ARRAY_PUSH(o.pair, o.count, o.room, "pairs", (struct pair){i, i * 7}),
                         CORE_OK);
        moves += o.room != room;
        assert_true(o.count <= o.room); /* array.h invariant 1 */
    }
    assert_in_range(moves, 2, 12); /* array.h invariant 2 */
    for (uint32_t i = 0; i < 10000; i++)
        assert_true(o.pair[i].a == i && o.pair[i].b == i * 7);
    CORE_ARRAY_TRIM(o.pair, o.count, o.room);
    assert_int_equal(o.room, 10000);
    assert_true(o.pair[9999].a == 9999);
    CORE_ARRAY_DONE(o.pair, o.count, o.room);
    assert_null(o.pair);
    assert_int_equal(o.count + o.room, 0);
}

static void new_room_is_zero_where_that_is_asked(void **state)
{
    struct core_random random;
    uint32_t room = 0;
    uint8_t *byte = NULL;

    (void)state;
    core_random_init(&random, 3);
    for (int i = 0; i < 200; i++) {
        uint32_t old = room, need = (uint32_t)core_random_below(&random, 20000);
        assert_int_equal(CORE_ARRAY_ROOM_ZERO(byte, room, need, "bytes"), CORE_OK);
        assert_true(room >= need && room >= old);
        for (uint32_t at = old; at < room; at++)
            assert_int_equal(byte[at], 0);
        memset(byte, 0xff, room);
    }
    free(byte);

    uint32_t *exact = NULL, fits = 0;
    assert_int_equal(CORE_ARRAY_FIT(exact, fits, 77, "numbers"), CORE_OK);
    assert_int_equal(fits, 77);
    assert_int_equal(CORE_ARRAY_FIT(exact, fits, 30, "numbers"), CORE_OK);
    assert_int_equal(fits, 77);
    free(exact);

    uint64_t *word;
    assert_int_equal(CORE_ARRAY_NEW(word, 0, "words"), CORE_OK);
    assert_non_null(word);
    free(word);
    assert_int_equal(CORE_ARRAY_NEW(word, 100, "words"), CORE_OK);
    for (int i = 0; i < 100; i++)
        assert_true(word[i] == 0);
    free(word);
}

static void too_much_is_a_status(void **state)
{
    struct owner o = {0};
    struct pair *none = NULL;

    (void)state;
    core_report_hook(hear, NULL);
    assert_int_equal(CORE_ARRAY_ROOM(o.pair, o.room, (uint64_t)UINT32_MAX + 1, "pairs"),
                     CORE_LIMIT);
    assert_string_equal(said, "more than 4294967295 entries for pairs");
    assert_int_equal(CORE_ARRAY_NEW(none, UINT64_MAX / 8 + 2, "pairs"), CORE_NO_MEMORY);
    assert_string_equal(said, "out of memory for pairs");
    core_report_hook(NULL, NULL);
    assert_true(!o.pair && !o.room && !none);
}

static void a_failed_growth_leaves_the_array(void **state)
{
    (void)state;
    core_report_hook(hear, NULL);
    for (int64_t left = 0;; left++) {
        struct owner o = {0};
        enum core_status status = CORE_OK;
        core_fault_set(left, false);
        for (uint32_t i = 0; i < 1000 && !status; i++)
            status = CORE_ARRAY_PUSH(o.pair, o.count, o.room, "pairs", (struct pair){i, i});
        bool failed = core_fault_left < 0;
        core_fault_set(-1, false);
        assert_int_equal(status, failed ? CORE_NO_MEMORY : CORE_OK);
        assert_true(o.count <= o.room && (failed ? o.count < 1000 : o.count == 1000));
        for (uint32_t i = 0; i < o.count; i++)
            assert_int_equal(o.pair[i].a, i);
        CORE_ARRAY_DONE(o.pair, o.count, o.room);
        if (!failed)
            break;
        assert_string_equal(said, "out of memory for pairs");
    }
    core_report_hook(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushed_elements_stay_in_order),
        cmocka_unit_test(new_room_is_zero_where_that_is_asked),
        cmocka_unit_test(too_much_is_a_status),
        cmocka_unit_test(a_failed_growth_leaves_the_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
