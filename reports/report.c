/* The table of report formats. */
#include "reports/report.h"

#include <string.h>

const struct report_format report_table[] = {
    {"text", "for reading in a terminal", report_text},
    {"json", "one object, for scripts", report_json},
    {NULL, NULL, NULL},
};

const struct report_format *report_find(const char *name)
{
    for (const struct report_format *format = report_table; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}
