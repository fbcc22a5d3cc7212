/* See undecided.h. */
#include "fuzz/undecided.h"

#include <stdio.h>
#include <string.h>

/* Lines `*`, which calls a collective, `^`, which asks for an attribute, `?NAME`, called, and
 * `!NAME`, defined, of all objects. Weak: nobody may have some. */
extern const char __start_crosswait_calls[] __attribute__((weak));
extern const char __stop_crosswait_calls[] __attribute__((weak));

/* The line's end, or that of the section, which zeros may fill up between two objects. */
static const char *line_end(const char *line)
{
    while (line < __stop_crosswait_calls && *line && *line != '\n')
        line++;
    return line;
}

static bool is_defined(const char *name, size_t length)
{
    for (const char *at = __start_crosswait_calls; at < __stop_crosswait_calls; at++) {
        const char *end = line_end(at);
        if (*at == '!' && (size_t)(end - at) == length + 1 && !memcmp(at + 1, name, length))
            return true;
        at = end;
    }
    return false;
}

static void undecided_describe(const char *name, size_t length, char why[UNDECIDED_BYTES])
{
    const bool loads = (length == 6 && !memcmp(name, "dlopen", 6)) ||
                       (length == 5 && !memcmp(name, "dlsym", 5)) ||
                       (length == 7 && !memcmp(name, "dlerror", 7));
    if (loads)
        snprintf(why, UNDECIDED_BYTES, "it runs code of a shared object, which is not watched");
    else
        snprintf(why, UNDECIDED_BYTES, "it calls %.*s, whose answers were not varied",
                 length < UNDECIDED_BYTES / 2 ? (int)length : UNDECIDED_BYTES / 2, name);
}

bool undecided_call(char why[UNDECIDED_BYTES])
{
    for (const char *at = __start_crosswait_calls; at < __stop_crosswait_calls; at++) {
        const char *end = line_end(at);
        if (*at == '?' && !is_defined(at + 1, (size_t)(end - at) - 1)) {
            undecided_describe(at + 1, (size_t)(end - at) - 1, why);
            return true;
        }
        at = end;
    }
    return false;
}

static bool has_mark(char mark)
{
    const size_t bytes = (size_t)(__stop_crosswait_calls - __start_crosswait_calls);
    return bytes && memchr(__start_crosswait_calls, mark, bytes);
}

bool undecided_waiting(void)
{
    return has_mark('*');
}

bool undecided_tags(void)
{
    return has_mark('^');
}
