/* The one place where an error message leaves the program. State: the report hook. */
#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"

static core_report_fn report_hook;
static void *report_context;

void core_report_hook(core_report_fn hook, void *context)
{
    report_hook = hook;
    report_context = context;
}

static void keep_first(enum core_status status, const char *message, void *context)
{
    char **kept = context;
    if (!*kept && status != CORE_OK)
        *kept = strdup(message);
}

static bool report_paused;

void core_report_pause(bool pause)
{
    CORE_CHECK(pause != report_paused); /* it is not nested */
    report_paused = pause;
}

void core_report_keep(char **message)
{
    CORE_CHECK(message && !*message);
    core_report_hook(keep_first, message);
}

enum core_status core_report(enum core_status status, const char *format, ...)
{
    char brief[1024], *whole = NULL;
    const char *message = brief;
    va_list args;
    int length;

    if (report_paused)
        return status;
    va_start(args, format);
    length = vsnprintf(brief, sizeof brief, format, args);
    va_end(args);
    if (length >= (int)sizeof brief) { /* the message is cut only if memory runs out */
        va_start(args, format);
        if (vasprintf(&whole, format, args) >= 0)
            message = whole;
        va_end(args);
    }
    if (report_hook)
        report_hook(status, message, report_context);
    else
        fprintf(stderr, "crosswait: %s\n", message);
    if (message == whole)
        free(whole);
    return status;
}
