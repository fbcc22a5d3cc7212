/* The table of report formats. */
#include "reports/report.h"

#include <stdio.h>
#include <string.h>

const struct report_format report_table[] = {
    {"text", "for reading in a terminal", report_text},
    {"html", "one page for a browser: findings, timeline, events, totals", report_html},
    {"json", "one object, for scripts", report_json},
    {"sarif", "SARIF 2.1.0: findings at their source lines, for code scanning", report_sarif},
    {"junit", "JUnit XML, for the test tab of a CI system", report_junit},
    {"dot", "who waits for whom, for Graphviz", report_dot},
    {"perfetto", "a timeline with messages as arrows, for ui.perfetto.dev", report_perfetto},
    {"goal", "the schedule of messages, for LogGOPSim and other simulators", report_goal},
    {NULL, NULL, NULL},
};

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
