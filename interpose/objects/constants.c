/* Translates the MPI library's constants for the record: core/trace/event.h gives the numbers, the
 * same for all libraries. A value that MPI does not define becomes EVENT_NONE; bits that MPI does
 * not define are dropped. */
#include <stddef.h>
#include <stdint.h>

#include "core/trace/event.h"
#include "interpose/library/library.h"

struct constant {
    int value; /* in mpi.h */
    int64_t recorded;
};

static int64_t one_of(const struct constant *constant, size_t count, int value)
{
    for (size_t i = 0; i < count; i++)
        if (constant[i].value == value)
            return constant[i].recorded;
    return EVENT_NONE;
}

static int64_t bits_of(const struct constant *constant, size_t count, int value)
{
    int64_t bits = 0;

    for (size_t i = 0; i < count; i++)
        if (value & constant[i].value)
            bits |= constant[i].recorded;
    return bits;
}

#define COUNT(table) (sizeof(table) / sizeof *(table))

int64_t recorder_constant_lock(int value)
{
    static const struct constant locks[] = {{MPI_LOCK_EXCLUSIVE, EVENT_LOCK_EXCLUSIVE},
                                            {MPI_LOCK_SHARED, EVENT_LOCK_SHARED}};
    return one_of(locks, COUNT(locks), value);
}

int64_t recorder_constant_whence(int value)
{
    static const struct constant ways[] = {{MPI_SEEK_SET, EVENT_SEEK_SET},
                                           {MPI_SEEK_CUR, EVENT_SEEK_CUR},
                                           {MPI_SEEK_END, EVENT_SEEK_END}};
    return one_of(ways, COUNT(ways), library_whence(value));
}

int64_t recorder_constant_level(int value)
{
    static const struct constant levels[] = {{MPI_THREAD_SINGLE, EVENT_THREAD_SINGLE},
                                             {MPI_THREAD_FUNNELED, EVENT_THREAD_FUNNELED},
                                             {MPI_THREAD_SERIALIZED, EVENT_THREAD_SERIALIZED},
                                             {MPI_THREAD_MULTIPLE, EVENT_THREAD_MULTIPLE}};
    return one_of(levels, COUNT(levels), value);
}

int64_t recorder_constant_assert(int value)
{
    static const struct constant bits[] = {{MPI_MODE_NOCHECK, EVENT_ASSERT_NOCHECK},
                                           {MPI_MODE_NOPRECEDE, EVENT_ASSERT_NOPRECEDE},
                                           {MPI_MODE_NOPUT, EVENT_ASSERT_NOPUT},
                                           {MPI_MODE_NOSTORE, EVENT_ASSERT_NOSTORE},
                                           {MPI_MODE_NOSUCCEED, EVENT_ASSERT_NOSUCCEED}};
    return bits_of(bits, COUNT(bits), value);
}

int64_t recorder_constant_amode(int value)
{
    static const struct constant bits[] = {{MPI_MODE_CREATE, EVENT_AMODE_CREATE},
                                           {MPI_MODE_RDONLY, EVENT_AMODE_RDONLY},
                                           {MPI_MODE_WRONLY, EVENT_AMODE_WRONLY},
                                           {MPI_MODE_RDWR, EVENT_AMODE_RDWR},
                                           {MPI_MODE_DELETE_ON_CLOSE, EVENT_AMODE_DELETE_ON_CLOSE},
                                           {MPI_MODE_UNIQUE_OPEN, EVENT_AMODE_UNIQUE_OPEN},
                                           {MPI_MODE_EXCL, EVENT_AMODE_EXCL},
                                           {MPI_MODE_APPEND, EVENT_AMODE_APPEND},
                                           {MPI_MODE_SEQUENTIAL, EVENT_AMODE_SEQUENTIAL}};
    return bits_of(bits, COUNT(bits), value);
}
