/* See termination.h. The recorder's handler precedes the program's for SIGTERM, which is kept here.
 * A handler that is set in another way (by a system call, by sigset) replaces ours, and later
 * signals are not seen. */
#include "interpose/entry/termination.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef int (*sigaction_fn)(int, const struct sigaction *, struct sigaction *);
typedef void (*handler_fn)(int);
typedef handler_fn (*signal_fn)(int, handler_fn);
typedef void (*action_fn)(int, siginfo_t *, void *);

static sigaction_fn real_sigaction;
static signal_fn real_signal;
static int seen;
static struct { /* the program's handler; action: it takes three arguments */
    void *handler;
    bool action;
} theirs;

static void termination_came(int number, siginfo_t *info, void *context)
{
    action_fn handler = (action_fn)__atomic_load_n(&theirs.handler, __ATOMIC_ACQUIRE);

    __atomic_store_n(&seen, number, __ATOMIC_RELAXED);
    handler(number, info, context); /* a one-argument handler ignores the others */
}

static bool is_function(const void *handler)
{
    return handler != (void *)SIG_DFL && handler != (void *)SIG_IGN && handler != (void *)SIG_ERR &&
           handler != (void *)termination_came;
}

static void theirs_set(void *handler, bool action)
{
    theirs.action = action;
    __atomic_store_n(&theirs.handler, handler, __ATOMIC_RELEASE);
}

/* There is no memcpy without a libc. */
static void action_copy(struct sigaction *to, const struct sigaction *from)
{
    for (size_t i = 0; i < sizeof *to; i++)
        ((char *)to)[i] = ((const char *)from)[i];
}

static int sigaction_led(int number, const struct sigaction *action, struct sigaction *old)
{
    void *before = theirs.handler;
    bool before_action = theirs.action, ours = action && is_function((void *)action->sa_handler);
    struct sigaction changed;

    if (ours) {
        action_copy(&changed, action);
        changed.sa_sigaction = termination_came;
        changed.sa_flags |= SA_SIGINFO;
        theirs_set((void *)action->sa_handler, action->sa_flags & SA_SIGINFO);
    }
    int result = real_sigaction(number, ours ? &changed : action, old);
    if (result && ours)
        theirs_set(before, before_action);
    if (!result && old && (void *)old->sa_sigaction == (void *)termination_came) {
        old->sa_sigaction = (action_fn)before;
        if (!before_action)
            old->sa_flags &= ~SA_SIGINFO;
    }
    return result;
}

static handler_fn signal_led(int number, handler_fn handler)
{
    void *before = theirs.handler;
    bool before_action = theirs.action, ours = is_function((void *)handler);

    if (ours)
        theirs_set((void *)handler, false);
    handler_fn result = real_signal(number, ours ? (handler_fn)(void *)termination_came : handler);
    if (result == SIG_ERR && ours)
        theirs_set(before, before_action);
    return (void *)result == (void *)termination_came ? (handler_fn)before : result;
}

void *termination_sigaction(const uint64_t *arguments, void *function)
{
    real_sigaction = (sigaction_fn)function;
    return (int)arguments[0] == SIGTERM ? (void *)sigaction_led : function;
}

void *termination_signal(const uint64_t *arguments, void *function)
{
    real_signal = (signal_fn)function;
    return (int)arguments[0] == SIGTERM ? (void *)signal_led : function;
}

int termination_signal_seen(void)
{
    return __atomic_load_n(&seen, __ATOMIC_RELAXED);
}
