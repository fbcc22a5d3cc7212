/* Tells whether a call is made by a destructor that a C++ exception runs (usage.h): the exception's
 * text appears only after the destructor returns, which a call that waits for other ranks may
 * prevent. */
#include <dlfcn.h>

#include "interpose/misuse/usage.h"

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
