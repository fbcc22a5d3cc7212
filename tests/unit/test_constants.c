/* Tests the record of a library's constants (interpose/objects/constants.c) for a library in which
 * every number differs from ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/trace/event.h"

/* Declares the library, in place of mpi.h, which the recorder's header includes. */
#define INTERPOSE_RECORDER_H
#define INTERPOSE_LIBRARY_LIBRARY_H
static int library_whence(int value)
{
    return value;
}
enum { MPI_LOCK_EXCLUSIVE = 234, MPI_LOCK_SHARED = 235 };
enum { MPI_SEEK_SET = 0, MPI_SEEK_CUR = 1, MPI_SEEK_END = 2 };
enum {
    MPI_THREAD_SINGLE = 10,
    MPI_THREAD_FUNNELED = 20,
    MPI_THREAD_SERIALIZED = 30,
    MPI_THREAD_MULTIPLE = 40
};
enum {
    MPI_MODE_NOCHECK = 1024,
    MPI_MODE_NOSTORE = 2048,
    MPI_MODE_NOPUT = 4096,
    MPI_MODE_NOPRECEDE = 8192,
    MPI_MODE_NOSUCCEED = 16384
};
enum {
    MPI_MODE_RDONLY = 1,
    MPI_MODE_RDWR = 2,
    MPI_MODE_WRONLY = 4,
    MPI_MODE_CREATE = 8,
    MPI_MODE_EXCL = 16,
    MPI_MODE_DELETE_ON_CLOSE = 32,
    MPI_MODE_UNIQUE_OPEN = 64,
    MPI_MODE_SEQUENTIAL = 128,
    MPI_MODE_APPEND = 256
};
int64_t recorder_constant_lock(int value);
int64_t recorder_constant_whence(int value);
int64_t recorder_constant_level(int value);
int64_t recorder_constant_assert(int value);
int64_t recorder_constant_amode(int value);
#include "interpose/objects/constants.c"

static void single_values_become_ours(void **state)
{
    (void)state;
    assert_int_equal(recorder_constant_lock(234), EVENT_LOCK_EXCLUSIVE);
    assert_int_equal(recorder_constant_lock(235), EVENT_LOCK_SHARED);
    assert_int_equal(recorder_constant_whence(0), EVENT_SEEK_SET);
    assert_int_equal(recorder_constant_whence(1), EVENT_SEEK_CUR);
    assert_int_equal(recorder_constant_whence(2), EVENT_SEEK_END);
    for (int i = 0; i < 4; i++)
        assert_int_equal(recorder_constant_level(10 + 10 * i), EVENT_THREAD_SINGLE + i);
}

static void what_is_no_constant_is_none(void **state)
{
    (void)state;
    assert_int_equal(recorder_constant_lock(EVENT_LOCK_SHARED), EVENT_NONE);
    assert_int_equal(recorder_constant_whence(EVENT_SEEK_SET), EVENT_NONE);
    assert_int_equal(recorder_constant_level(1), EVENT_NONE);
    assert_int_equal(recorder_constant_assert(1), 0);
    assert_int_equal(recorder_constant_amode(1 << 20), 0);
}

static void bits_become_ours_one_by_one(void **state)
{
    (void)state;
    assert_int_equal(recorder_constant_assert(0), 0);
    assert_int_equal(recorder_constant_assert(16384), EVENT_ASSERT_NOSUCCEED);
    assert_int_equal(recorder_constant_assert(1024 | 8192),
                     EVENT_ASSERT_NOCHECK | EVENT_ASSERT_NOPRECEDE);
    assert_int_equal(recorder_constant_assert(31 * 1024), 31);
    assert_int_equal(recorder_constant_amode(8 | 4), EVENT_AMODE_CREATE | EVENT_AMODE_WRONLY);
    assert_int_equal(recorder_constant_amode(1), EVENT_AMODE_RDONLY);
    assert_int_equal(recorder_constant_amode(128), EVENT_AMODE_SEQUENTIAL);
    assert_int_equal(recorder_constant_amode(511), 511);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_values_become_ours),
        cmocka_unit_test(what_is_no_constant_is_none),
        cmocka_unit_test(bits_become_ours_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
