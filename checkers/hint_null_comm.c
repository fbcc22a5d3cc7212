/* See hint_null_comm.h. */
#include "checkers/hint_null_comm.h"

#include <inttypes.h>

#include "core/check.h"

static bool gives_none(const struct trace_event *event)
{
    return !event->parent && !event->error && !event->pending && event->comm >= 0 &&
           (event->request == 0 || (int64_t)event->request < 0);
}

enum core_status hint_null_comm_add(struct trace *trace, struct finding *finding, uint32_t rank,
                                    uint64_t seq)
{
    struct trace_cursor *cursor;
    struct trace_event event, last = {.seq = 0};
    char place[256];
    bool more;

    CORE_CHECK(rank < trace->rank_count);
    enum core_status status = trace_cursor_open(trace, rank, &cursor);
    if (status != CORE_OK)
        return status;
    trace_cursor_only(cursor, TRAIT_BIT(MAKES_COMM));
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more &&
           event.seq < seq)
        if (gives_none(&event))
            last = event;
    trace_cursor_close(cursor);
    if (status != CORE_OK || !last.seq)
        return status;
    finding_fact(finding, "%s at %s gave rank %" PRIu32 " MPI_COMM_NULL",
                 trace->call[last.call].name,
                 trace_site_text(trace, last.site, place, sizeof place), rank);
    finding->remedy = REMEDY_MEMBER;
    return CORE_OK;
}
