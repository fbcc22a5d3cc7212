/* Tests an array that moves to a file when it is large: its content, and failures of each step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/fault.h"
#include "store/store_part.h"

enum { SMALL = STORE_SPILL_BYTES / sizeof(uint64_t), MANY = 5 * SMALL };

static void hear(enum core_status status, const char *message, void *context)
{
    (void)status, (void)message, (void)context;
}

/* Writes numbers one by one and reads all after each step; *out_file: they are in a file now. */
static enum core_status fill(const char *beside, bool *out_file)
{
    struct store_spill spill = {0};
    enum core_status status = CORE_OK;
    uint64_t *number = NULL;
    uint32_t room = 0, count = 0;

    for (; count < MANY && status == CORE_OK; count++) {
        uint32_t before = room;

        status =
            store_spill_room(&spill, beside, &number, sizeof *number, (uint64_t)count + 1, &room);
        for (uint32_t i = before; status == CORE_OK && i < room; i++)
            assert_true(number[i] == 0); /* what is new is zero */
        if (status != CORE_OK)
            break;
        number[count] = count * (uint64_t)7;
        store_spill_walk(&spill, 1);
    }
    for (uint32_t i = 0; i < count; i++)
        assert_true(number[i] == i * (uint64_t)7);
    *out_file = spill.map != NULL;
    assert_true(room <= SMALL || spill.map || spill.refused);
    store_spill_done(&spill, number);
    return status;
}

static void a_large_array_lies_in_a_file(void **state)
{
    bool in_file;

    (void)state;
    assert_int_equal(fill("trace.partial", &in_file), CORE_OK);
    assert_true(in_file);
}

static void without_a_file_it_lies_in_memory(void **state)
{
    bool in_file;

    (void)state;
    assert_int_equal(fill("/proc/self/trace.partial", &in_file), CORE_OK);
    assert_false(in_file);
}

static void each_step_that_fails_loses_nothing(void **state)
{
    int64_t left = 0;
    bool in_file, hit = true, some_in_memory = false;

    (void)state;
    core_report_hook(hear, NULL);
    for (; hit; left++) {
        core_fault_set(left, false);
        enum core_status status = fill("trace.partial", &in_file);
        hit = core_fault_left < 0;
        core_fault_set(-1, false);
        assert_true(status == CORE_OK || (hit && status == CORE_NO_MEMORY));
        some_in_memory |= hit && status == CORE_OK && !in_file;
    }
    core_report_hook(NULL, NULL);
    assert_true(left > 10);
    assert_true(some_in_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_array_lies_in_a_file),
        cmocka_unit_test(without_a_file_it_lies_in_memory),
        cmocka_unit_test(each_step_that_fails_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
