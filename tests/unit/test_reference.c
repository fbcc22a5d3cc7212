/* Tests the reference of reductions: widths, signs, order of combining, and the tolerance of
 * floating point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checkers/collective/reference.h"

static void names_and_sizes(void **state)
{
    enum reference_basic basic;
    enum reference_op op;

    (void)state;
    assert_true(reference_basic_find("MPI_LONG", 8, &basic));
    assert_int_equal(basic, REFERENCE_INT64);
    assert_true(reference_basic_find("MPI_LONG", 4, &basic));
    assert_int_equal(basic, REFERENCE_INT32);
    assert_true(reference_basic_find("MPI_UNSIGNED_CHAR", 1, &basic));
    assert_int_equal(basic, REFERENCE_UINT8);
    assert_true(reference_basic_find("MPI_DOUBLE", 8, &basic));
    assert_int_equal(basic, REFERENCE_DOUBLE);
    assert_false(reference_basic_find("MPI_DOUBLE_INT", 12, &basic));
    assert_false(reference_basic_find("MPI_LONG_DOUBLE", 16, &basic));
    assert_false(reference_basic_find(NULL, 4, &basic));
    assert_true(reference_op_find("MPI_BXOR", &op));
    assert_int_equal(op, REFERENCE_BXOR);
    assert_false(reference_op_find("user", &op));
}

static void integers(void **state)
{
    const int8_t a[] = {100, -1}, b[] = {100, -2}, sum[] = {-56, -3}, least[] = {100, -2};
    const uint8_t c[] = {255}, d[] = {1}, most[] = {255}, wrapped[] = {0};
    const unsigned char *x[] = {(const unsigned char *)a, (const unsigned char *)b};
    const unsigned char *y[] = {c, d};

    (void)state;
    for (uint64_t i = 0; i < 2; i++) {
        assert_true(reference_fold_equals(REFERENCE_INT8, REFERENCE_SUM, x, 2, i,
                                          (const unsigned char *)sum));
        assert_true(reference_fold_equals(REFERENCE_INT8, REFERENCE_MIN, x, 2, i,
                                          (const unsigned char *)least));
    }
    assert_false(reference_fold_equals(REFERENCE_INT8, REFERENCE_MAX, x, 2, 1,
                                       (const unsigned char *)least));
    assert_true(reference_fold_equals(REFERENCE_UINT8, REFERENCE_MAX, y, 2, 0, most));
    assert_true(reference_fold_equals(REFERENCE_UINT8, REFERENCE_SUM, y, 2, 0, wrapped));
    assert_true(reference_fold_equals(REFERENCE_UINT8, REFERENCE_LAND, y, 2, 0, d));
    assert_false(reference_fold_equals(REFERENCE_UINT8, REFERENCE_LXOR, y, 2, 0, d));
}

static void floating_point_may_be_combined_in_another_order(void **state)
{
    const double big = 1e16, one = 1, minus = -1e16, lost = 0, kept = 1, wrong = 3;
    const unsigned char *x[] = {(const unsigned char *)&big, (const unsigned char *)&one,
                                (const unsigned char *)&minus};
    const float f = 0.1f, right = 0.2f, off = 0.20001f;
    const unsigned char *y[] = {(const unsigned char *)&f, (const unsigned char *)&f};

    (void)state;
    assert_true(reference_fold_equals(REFERENCE_DOUBLE, REFERENCE_SUM, x, 3, 0,
                                      (const unsigned char *)&kept));
    assert_true(reference_fold_equals(REFERENCE_DOUBLE, REFERENCE_SUM, x, 3, 0,
                                      (const unsigned char *)&lost));
    assert_false(reference_fold_equals(REFERENCE_DOUBLE, REFERENCE_MAX, x, 3, 0,
                                       (const unsigned char *)&wrong));
    assert_true(reference_fold_equals(REFERENCE_FLOAT, REFERENCE_SUM, y, 2, 0,
                                      (const unsigned char *)&right));
    assert_false(reference_fold_equals(REFERENCE_FLOAT, REFERENCE_SUM, y, 2, 0,
                                       (const unsigned char *)&off));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_sizes),
        cmocka_unit_test(integers),
        cmocka_unit_test(floating_point_may_be_combined_in_another_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
