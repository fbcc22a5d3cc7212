/* See hint_null_handle.h. */
#include "checkers/hint_null_handle.h"

#include <inttypes.h>

#include "core/check.h"

static const struct {
    uint64_t makes;
    const char *null;
} kinds[MISUSE_OBJECT_COUNT] = {
    [MISUSE_OBJECT_COMM] = {TRAIT_BIT(MAKES_COMM), "MPI_COMM_NULL"},
    [MISUSE_OBJECT_WIN] = {TRAIT_BIT(MAKES_WIN), "MPI_WIN_NULL"},
    [MISUSE_OBJECT_FILE] = {TRAIT_BIT(MAKES_FILE), "MPI_FILE_NULL"},
};

static bool gives_none(const struct trace_event *event, bool comm)
{
    if (event->parent || event->pending)
        return false;
    return comm ? !event->error && event->comm >= 0 &&
                      (event->request == 0 || (int64_t)event->request < 0)
                : event_error_text(event->error) != NULL;
}

static void null_explain(const struct trace *trace, struct finding *finding,
                         const struct trace_event *maker, const char *null)
{
    const char *call = trace->call[maker->call].name;
    char place[256];

    trace_site_text(trace, maker->site, place, sizeof place);
    if (!maker->error) {
        finding_fact(finding, "%s at %s gave rank %" PRIu32 " %s", call, place, maker->rank, null);
        finding->remedy = REMEDY_MEMBER;
    } else {
        finding_fact(finding, "%s at %s had returned %s", call, place,
                     event_error_text(maker->error));
        finding->remedy = REMEDY_FAILED;
    }
}

enum core_status hint_null_handle_add(struct trace *trace, struct finding *finding, uint32_t rank,
                                      uint64_t seq, enum misuse_object object)
{
    CORE_CHECK(object < MISUSE_OBJECT_COUNT);
    CORE_CHECK(rank < trace->rank_count);
    struct trace_cursor *cursor;
    struct trace_event event, last = {.seq = 0};
    bool more;

    if (!kinds[object].makes)
        return CORE_OK;
    enum core_status status = trace_cursor_open(trace, rank, &cursor);
    if (status != CORE_OK)
        return status;
    trace_cursor_only(cursor, kinds[object].makes);
    while ((status = trace_cursor_next(cursor, &event, &more)) == CORE_OK && more &&
           event.seq < seq)
        if (gives_none(&event, object == MISUSE_OBJECT_COMM))
            last = event;
    trace_cursor_close(cursor);
    if (status == CORE_OK && last.seq)
        null_explain(trace, finding, &last, kinds[object].null);
    return status;
}
