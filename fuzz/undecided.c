/* See undecided.h. */
#include "fuzz/undecided.h"

#include <stdio.h>
#include <string.h>

/* Lines `*`, which calls a collective, `?NAME`, called, and `!NAME`, defined, of all objects. Weak:
 * nobody may have some. */
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

bool undecided_call(char name[128])
{
    for (const char *at = __start_crosswait_calls; at < __stop_crosswait_calls; at++) {
        const char *end = line_end(at);
        if (*at == '?' && !is_defined(at + 1, (size_t)(end - at) - 1)) {
            snprintf(name, 128, "%.*s", (int)(end - at) - 1, at + 1);
            return true;
        }
        at = end;
    }
    return false;
}

bool undecided_waiting(void)
{
    const size_t bytes = (size_t)(__stop_crosswait_calls - __start_crosswait_calls);
    return bytes && memchr(__start_crosswait_calls, '*', bytes);
}
