/* Programs that are built with a sanitizer run with this library as they do without it.
 *
 * AddressSanitizer, where its runtime is a shared library (gcc; clang with -shared-libasan), asks
 * for options by a function that a program may define, and refuses to run where another library was
 * loaded before it, as a preloaded one is. All that order is needed for is that its malloc and its
 * memcpy come before libc's. They do: this library shows none, and the loader looks into the
 * libraries that the program needs before those that this one needs. So its function says that the
 * order need not be verified, behind what the program's libraries say. A function of the executable
 * itself is found before this one, and then has to say verify_asan_link_order=0 itself, or
 * ASAN_OPTIONS has to.
 *
 * The sanitizers look at whatever memcpy copies. What the recorder copies out of the application's
 * buffers is none of the application's accesses, and who wrote there inside the MPI library,
 * ThreadSanitizer cannot know: so this library has a memcpy of its own, one that they do not see.
 * Our locks it does see: where buffers are looked at or kept, it may take the application's
 * accesses for ordered that are not. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef const char *(*options_fn)(void);

enum { OPTIONS_BYTES = 4096 };

/* Without libc, whose functions the runtime has not yet found for those that it replaces; volatile:
 * or the compiler calls strlen. 0: no room. */
static size_t append(volatile char *to, size_t at, const char *text)
{
    for (; *text && at; text++) {
        to[at - 1] = *text;
        at = at + 1 < OPTIONS_BYTES ? at + 1 : 0;
    }
    return at;
}

const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    static char options[OPTIONS_BYTES];
    options_fn next;
    size_t at = 1; /* plus 1: 0 says that there is no room */

    *(void **)&next = dlsym(RTLD_NEXT, "__asan_default_options");
    const char *others = next ? next() : NULL;
    if (others)
        at = append(options, at, others);
    at = append(options, at, ":verify_asan_link_order=0");
    return at ? options : others;
}

__attribute__((visibility("hidden"))) void *memcpy(void *restrict to, const void *restrict from,
                                                   size_t bytes)
{
    return (char *)__mempcpy(to, from, bytes) - bytes;
}
