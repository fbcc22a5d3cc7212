/* The table of report formats. */
#include "reports/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "reports/junit.h"
#include "reports/sarif.h"

const struct report_format report_table[] = {
#define X(name, ...) {#name, __VA_ARGS__, report_##name},
    REPORT_FORMATS(X)
#undef X
        {0},
};

enum core_status report_unwritten(const struct report_facts *facts)
{
    return core_report(CORE_IO, "cannot write '%s': %s; choose another place",
                       facts->output ? facts->output : "standard output", strerror(errno));
}

enum core_status report_fit(const struct report_format *format, char **text, size_t *bytes)
{
    return format->render == report_sarif && *bytes ? sarif_runs_fit(text, bytes) : CORE_OK;
}

const char *report_nothing(const struct report_format *format)
{
    return format->render == report_suggest ? "no remedy that was tried moves a line" : NULL;
}

const struct report_format *report_find(const char *name)
{
    for (const struct report_format *format = report_table; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

const char *report_names(char *buffer, size_t buffer_bytes)
{
    size_t used = 0;

    for (const struct report_format *format = report_table; format->name && used < buffer_bytes;
         format++)
        used += (size_t)snprintf(buffer + used, buffer_bytes - used, "%s%s", used ? ", " : "",
                                 format->name);
    return buffer;
}
