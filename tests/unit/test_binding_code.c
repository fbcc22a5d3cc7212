/* Tests which code belongs to a binding, at each address of this program's functions that contain
 * others, begin at the same address or have gaps between them; the functions' names are the truth.
 * Also tests that only the names of functions that contain the address are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "program/binding_code.h"
#include "core/work.h"

#if defined(__x86_64__)
#define FUNCTION(name, at, bytes)     \
    ".type " #name ",@function\n"     \
    ".set " #name ",code + " #at "\n" \
    ".size " #name "," #bytes "\n"

/* A function of the program that contains one of a binding; a gap; two that begin at the same
 * address, one of them of a binding; a large one of a binding that contains one of the program. */
__asm__(".pushsection .text\n.globl code\ncode:\n.skip 8192, 0xc3\n" FUNCTION(outer, 0, 100)
            FUNCTION(inner_bound, 40, 20) FUNCTION(same, 200, 50) FUNCTION(same_bound, 200, 50)
                FUNCTION(large_bound, 1000, 5000) FUNCTION(part, 2000, 16) ".popsection\n");
extern const char code[];

static enum binding expected(unsigned at)
{
    return (at >= 40 && at < 60) || (at >= 200 && at < 250) ||
                   (at >= 1000 && at < 6000 && !(at >= 2000 && at < 2016))
               ? BINDING_IS
               : BINDING_NONE;
}

static void each_address_is_what_its_function_is(void **state)
{
    (void)state;
    for (unsigned at = 0; at < 8192; at++)
        if (binding_code(code + at + 1) != expected(at))
            fail_msg("byte %u", at);
}

static void what_is_no_function_is_no_binding(void **state)
{
    char *heap = calloc(1, 16);

    (void)state;
    assert_int_equal(binding_code(heap + 1), BINDING_NONE);
    assert_int_equal(binding_code((const char *)(uintptr_t)&core_work_steps + 1), BINDING_NONE);
    assert_int_equal(binding_code((const char *)1), BINDING_NONE);
    free(heap);
}

static void few_names_are_read(void **state)
{
    uint64_t before = core_work_steps;

    (void)state;
    for (int i = 0; i < 100; i++)
        binding_code((const char *)(uintptr_t)each_address_is_what_its_function_is + 8);
    assert_in_range(core_work_steps - before, 100, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_names_are_read),
        cmocka_unit_test(each_address_is_what_its_function_is),
        cmocka_unit_test(what_is_no_function_is_no_binding),
    };

    setenv("CROSSWAIT_BINDINGS", "*_bound()", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void)
{
    puts("skipped: the code is of another architecture");
    return 0;
}
#endif
