/* Any bytes as a trace: opened, read with every cursor, each id used. With libFuzzer (make
 * fuzz-readers), or with readers_main.c over files. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/trace/describe.h"
#include "core/trace/trace.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

static void quiet(enum core_status status, const char *message, void *context)
{
    (void)status, (void)message, (void)context;
}

static void rank_read(struct trace *trace, uint32_t rank)
{
    struct trace_cursor *cursor;
    struct trace_event e;
    bool more = true;
    char text[600];

    if (trace_cursor_open(trace, rank, &cursor))
        return;
    while (trace_cursor_next(cursor, &e, &more) == CORE_OK && more) {
        int64_t *value;
        uint32_t count;
        describe_call(trace, &e, text, sizeof text);
        trace_site_text(trace, e.site, text, sizeof text);
        trace_comm_world(trace, e.comm, (int32_t)rank, e.peer);
        if (e.arg_set && trace_arg_get(trace, rank, e.seq, "sendcounts", &value, &count) == CORE_OK)
            free(value);
    }
    trace_cursor_close(cursor);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    static char path[64];
    struct ending ending;
    struct trace trace;

    if (!path[0]) {
        snprintf(path, sizeof path, "%s/crosswait-fuzz.%d.db",
                 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (int)getpid());
        core_report_hook(quiet, NULL);
    }
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
        abort();
    close(fd);
    if (trace_open(path, TRACE_READ, &trace) == CORE_OK) {
        for (uint32_t rank = 0; rank < trace.rank_count && rank < 50; rank++)
            rank_read(&trace, rank);
        trace_meta(&trace, "notes");
        if (trace_ending_get(&trace, &ending) == CORE_OK)
            ending_done(&ending);
        trace_close(&trace);
    }
    unlink(path);
    return 0;
}
