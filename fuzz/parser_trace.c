/* Fuzzes everything that reads a trace: opening it, its events, the facts of a report and every
 * rendering of them. */
#include <stdio.h>
#include <string.h>

#include "core/check.h"
#include "core/trace.h"
#include "fuzz/parser.h"
#include "reports/report.h"

enum { EVENTS_MAX = 1 << 16 };

static void read_events(struct trace *trace)
{
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        struct trace_cursor *cursor;
        struct trace_event event;
        bool more = true;
        if (trace_cursor_open(trace, rank, &cursor) != CORE_OK)
            continue;
        for (int i = 0; i < EVENTS_MAX && more; i++)
            if (trace_cursor_next(cursor, &event, &more) != CORE_OK)
                break;
        trace_cursor_close(cursor);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace trace;
    struct report_facts facts;
    char path[256];
    parser_quiet();
    snprintf(path, sizeof path, "%s/trace.db", parser_folder());
    parser_write("trace.db", data, size, 0);
    memset(&trace, 0, sizeof trace);
    if (trace_open(path, TRACE_READ, &trace) != CORE_OK)
        return 0;
    read_events(&trace);
    if (report_facts_gather(&trace, NULL, &facts) == CORE_OK) {
        FILE *null = fopen("/dev/null", "w");
        CORE_CHECK(null);
        for (const struct report_format *format = report_table; format->name; format++)
            format->render(&facts, null);
        fclose(null);
        report_facts_done(&facts);
    }
    trace_close(&trace);
    return 0;
}
