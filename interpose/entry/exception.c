/* See exception.h. */
#include "interpose/entry/exception.h"

#include <stddef.h>

enum { TYPE_BEFORE = 10 /* words: from the unwinder's header back to the exception's type */ };
static const uint64_t GNU_CLASS = 0x474e5543432b2b00; /* "GNUCC++" */

struct body_caught exception_last;

/* There is no strncpy without a libc. */
static void name_copy(char *to, const char *from)
{
    size_t i = 0;

    for (; from && from[i] && i + 1 < BODY_TYPE_BYTES; i++)
        to[i] = from[i];
    to[i] = '\0';
}

void *exception_caught(const uint64_t *arguments, void *function)
{
    const uint64_t *header = (const uint64_t *)arguments[0];

    if (header && *header == GNU_CLASS) {
        const char *const *type = ((const char *const *const *)header)[-TYPE_BEFORE];
        name_copy(exception_last.type, type ? type[1] : NULL); /* behind its table of functions */
        exception_last.thread = __builtin_thread_pointer();
        __atomic_add_fetch(&exception_last.count, 1, __ATOMIC_RELEASE);
    }
    return function;
}
