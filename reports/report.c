/* The table of report formats. */
#include "reports/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct report_format report_table[] = {
    {"text", "for reading in a terminal", 0, report_text},
    {"why", "for reading in a terminal: who makes whom wait, and where time went", REPORT_WHY,
     report_why},
    {"html", "one page for a browser: findings, timeline, events, totals", REPORT_ALL, report_html},
    {"json", "one object, for scripts", REPORT_ALL, report_json},
    {"sarif", "SARIF 2.1.0: findings at their source lines, for code scanning", 0, report_sarif},
    {"junit", "JUnit XML, for the test tab of a CI system", 0, report_junit},
    {"proof", "why a deadlock is proven, step by step, and whether a check accepts it", 0,
     report_proof},
    {"dot", "who waits for whom, for Graphviz", 0, report_dot},
    {"perfetto", "a timeline with messages as arrows, for ui.perfetto.dev", 0, report_perfetto},
    {"goal", "the schedule of messages, for LogGOPSim and other simulators", 0, report_goal},
    {NULL, NULL, 0, NULL},
};

enum core_status report_unwritten(const struct report_facts *facts)
{
    return core_report(CORE_IO, "cannot write '%s': %s; choose another place",
                       facts->output ? facts->output : "standard output", strerror(errno));
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
