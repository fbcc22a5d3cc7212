/* Finds the functions of the process's MPI library, which the wrappers call, and its variables.
 * entry/redirect.c chose the library and loaded this recorder for it. */
#include "interpose/recorder.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/entry/body.h"
#include "interpose/library/library.h"

void *recorder_real_table[2][CALL_COUNT];

static void *library; /* handle of the library */
static bool (*watch_signals)(uint64_t *signals);
static int (*termination_signal)(void);
const struct body_caught *recorder_caught;

static const char *settings = ""; /* body.h */

const char *recorder_setting(const char *name)
{
    size_t length = strlen(name);

    for (const char *at = settings; *at; at += strlen(at) + 1)
        if (!strncmp(at, name, length) && at[length] == '=')
            return at + length + 1;
    return getenv(name);
}

static int function_lacking(void)
{
    return MPI_ERR_OTHER;
}

void recorder_found(const struct body_entry *entry)
{
    library = dlopen(entry->library, RTLD_LAZY | RTLD_NOLOAD); /* never closed */
    watch_signals = entry->watch_signals;
    termination_signal = entry->termination_signal;
    recorder_caught = entry->caught;
    settings = entry->settings;
    library_found(entry);
    for (unsigned i = 0; i < CALL_COUNT; i++)
        for (int which = 0; which < 2; which++)
            if (!recorder_real_table[which][i])
                recorder_real_table[which][i] = (void *)function_lacking;
}

/* Looks in the default order first, since an executable may hold the only copy of a library's
 * variable (copy relocation). That order does not find a library that was loaded by dlopen with
 * RTLD_LOCAL (Python's). */
void *recorder_symbol(const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    return symbol || !library ? symbol : dlsym(library, name);
}

bool recorder_watch_signals(uint64_t *signals)
{
    return watch_signals(signals);
}

int recorder_termination_signal(void)
{
    return termination_signal();
}

int recorder_refused(int returned)
{
    recorder_thread.raised = false;
    return returned != MPI_SUCCESS ? returned : MPI_ERR_OTHER;
}
