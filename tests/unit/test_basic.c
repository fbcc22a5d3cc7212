/* Tests the groups of predefined datatypes, and the standard's table of operations on them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/trace/basic.h"

static void names_have_groups(void **state)
{
    static const struct {
        const char *name;
        enum basic_group group;
    } rows[] = {
        {"MPI_INT", BASIC_C_INTEGER},
        {"MPI_INT8_T", BASIC_C_INTEGER},
        {"MPI_UINT64_T", BASIC_C_INTEGER},
        {"MPI_LONG_LONG_INT", BASIC_C_INTEGER},
        {"MPI_LONG", BASIC_C_INTEGER},
        {"MPI_UNSIGNED_CHAR", BASIC_C_INTEGER},
        {"MPI_SIGNED_CHAR", BASIC_C_INTEGER},
        {"MPI_INTEGER", BASIC_FORTRAN_INTEGER},
        {"MPI_INTEGER8", BASIC_FORTRAN_INTEGER},
        {"MPI_LONG_DOUBLE", BASIC_FLOATING},
        {"MPI_DOUBLE_PRECISION", BASIC_FLOATING},
        {"MPI_REAL16", BASIC_FLOATING},
        {"MPI_LOGICAL4", BASIC_LOGICAL},
        {"MPI_C_BOOL", BASIC_LOGICAL},
        {"MPI_CXX_BOOL", BASIC_LOGICAL},
        {"MPI_DOUBLE_COMPLEX", BASIC_COMPLEX},
        {"MPI_C_FLOAT_COMPLEX", BASIC_COMPLEX},
        {"MPI_CXX_LONG_DOUBLE_COMPLEX", BASIC_COMPLEX},
        {"MPI_BYTE", BASIC_BYTE},
        {"MPI_COUNT", BASIC_MULTI_LANGUAGE},
        {"MPI_CHAR", BASIC_CHARACTER},
        {"MPI_WCHAR", BASIC_CHARACTER},
        {"MPI_CHARACTER", BASIC_CHARACTER},
        {"MPI_PACKED", BASIC_PACKED},
        {"MPI_2INT", BASIC_PAIR},
        {"MPI_LONG_DOUBLE_INT", BASIC_PAIR},
        {"MPI_LONG_INT", BASIC_PAIR},
        {"mine", BASIC_UNKNOWN},
        {"MPI_", BASIC_UNKNOWN},
        {"", BASIC_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(basic_group_find(rows[i].name), rows[i].group);
}

static void operations_are_defined(void **state)
{
    (void)state;
    assert_int_equal(basic_op_defined("MPI_SUM", BASIC_COMPLEX), BASIC_DEFINED);
    assert_int_equal(basic_op_defined("MPI_MAX", BASIC_COMPLEX), BASIC_UNDEFINED);
    assert_int_equal(basic_op_defined("MPI_SUM", BASIC_BYTE), BASIC_UNDEFINED);
    assert_int_equal(basic_op_defined("MPI_BAND", BASIC_BYTE), BASIC_DEFINED);
    assert_int_equal(basic_op_defined("MPI_LAND", BASIC_FORTRAN_INTEGER), BASIC_UNDEFINED);
    assert_int_equal(basic_op_defined("MPI_LAND", BASIC_MULTI_LANGUAGE), BASIC_UNDEFINED);
    assert_int_equal(basic_op_defined("MPI_BXOR", BASIC_MULTI_LANGUAGE), BASIC_DEFINED);
    assert_int_equal(basic_op_defined("MPI_MINLOC", BASIC_PAIR), BASIC_DEFINED);
    assert_int_equal(basic_op_defined("MPI_MIN", BASIC_PAIR), BASIC_UNDEFINED);
    assert_int_equal(basic_op_defined("MPI_MINLOC", BASIC_CHARACTER), BASIC_UNDEFINED);
    assert_int_equal(basic_op_defined("MPI_MAX", BASIC_CHARACTER), BASIC_CUSTOM);
    assert_int_equal(basic_op_defined("MPI_MAX", BASIC_UNKNOWN), BASIC_DEFINED);
    assert_int_equal(basic_op_defined("MPI_REPLACE", BASIC_PACKED), BASIC_DEFINED);
    assert_int_equal(basic_op_defined("user", BASIC_BYTE), BASIC_DEFINED);
    assert_int_equal(basic_swap_defined(BASIC_BYTE), BASIC_DEFINED);
    assert_int_equal(basic_swap_defined(BASIC_FLOATING), BASIC_UNDEFINED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_groups),
        cmocka_unit_test(operations_are_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
