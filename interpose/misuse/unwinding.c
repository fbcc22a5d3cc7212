/* C++ exceptions (usage.h). Tells whether a call is made by a destructor that an exception runs:
 * the exception's text appears only after the destructor returns, which a call that waits for other
 * ranks may prevent. Notes exceptions that the program caught. */
#include <dlfcn.h>
#include <stdlib.h>

#include "interpose/misuse/usage.h"

enum { CAUGHT_MAX = 100 }; /* exceptions that are kept */

struct globals { /* of a thread; C++ ABI (Itanium), 2.2.2 */
    void *caught;
    unsigned int uncaught;
};

void usage_unwinding(struct lane *lane, uint64_t seq)
{
    static struct globals *(*globals_get)(void);
    static bool asked;

    if (!asked) {
        *(void **)&globals_get = dlsym(RTLD_DEFAULT, "__cxa_get_globals");
        asked = true;
    }
    const struct globals *globals = globals_get ? globals_get() : NULL;
    if (UNLIKELY(globals && globals->uncaught))
        usage_say(lane, seq, MISUSE_UNWINDING, NULL, 0, .value = {globals->uncaught});
}

uint32_t usage_caught_seen;

void usage_caught_slow(struct lane *lane, uint64_t seq)
{
    static char *(*demangle)(const char *, char *, size_t *, int *);
    static unsigned kept;
    struct body_caught last = *recorder_caught;
    int failed = 0;

    usage_caught_seen = last.count;
    if (last.thread != __builtin_thread_pointer() || kept >= CAUGHT_MAX)
        return;
    if (!kept++)
        *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    char *name = demangle ? demangle(last.type, NULL, NULL, &failed) : NULL;
    usage_say(lane, seq, MISUSE_CAUGHT, NULL, 0, .name[1] = name);
    free(name);
}
