/* Any bytes as the records of two ranks: stored, and the trace read. The first 8 bytes choose what
 * is still in the ring, whether calls are pending and whether the ring drops; the rest are records.
 * With libFuzzer (make fuzz-readers), or with readers_main.c over files. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/spool/spool.h"
#include "core/store/store.h"
#include "core/trace/trace.h"

enum { RING = 65536, KEPT_QUARTERS = 3, DROPS = 4, PENDING = 8 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

static struct {
    struct spool_header header;
    char page[SPOOL_HEADER_BYTES - sizeof(struct spool_header)];
    unsigned char ring[RING];
} image;
static char folder[64], path[80];

static void quiet(enum core_status status, const char *message, void *context)
{
    (void)status, (void)message, (void)context;
}

static void file_write(int rank, const char *kind, const void *data, size_t bytes)
{
    char name[128];
    snprintf(name, sizeof name, "%s/%d.0.%s", folder, rank, kind);
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
        abort();
    close(fd);
}

static void folder_remove(void)
{
    char name[128];

    for (int rank = 0; rank < 2; rank++)
        for (int i = 0; i < 2; i++) {
            snprintf(name, sizeof name, "%s/%d.0.%s", folder, rank, i ? "spool" : "ring");
            unlink(name);
        }
    unlink(path);
    snprintf(name, sizeof name, "%s.partial", path);
    unlink(name);
    rmdir(folder);
}

static void begin(void)
{
    const char *memory = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

    snprintf(folder, sizeof folder, "%s/crosswait-fuzz.%d", memory, (int)getpid());
    snprintf(path, sizeof path, "%s/T.db", folder);
    mkdir(folder, 0700);
    atexit(folder_remove);
    core_report_hook(quiet, NULL);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    struct spool_header *header = &image.header;
    struct trace trace;

    if (!folder[0])
        begin();
    if (bytes < 8)
        return 0;
    unsigned how = data[0];
    data += 8;
    bytes = (bytes - 8) / 8 * 8;
    size_t kept =
        bytes * (how & KEPT_QUARTERS) / 4 < RING ? bytes * (how & KEPT_QUARTERS) / 4 : RING;
    memset(&image, 0, sizeof image);
    memcpy(header->magic, SPOOL_MAGIC, sizeof header->magic);
    header->version = SPOOL_VERSION;
    header->header_bytes = SPOOL_HEADER_BYTES;
    header->ring_bytes = RING;
    header->world_size = 2;
    header->tick_hz = 1000000000;
    header->committed = bytes;
    header->drained = bytes - kept;
    header->flags = how & DROPS ? SPOOL_FLAG_LAST : 0;
    for (size_t i = bytes - kept; i < bytes; i++)
        image.ring[i % RING] = data[i];
    if (how & PENDING && bytes >= 2 * sizeof *header->open) {
        header->depth = 2;
        memcpy(header->open, data + bytes - 2 * sizeof *header->open, 2 * sizeof *header->open);
    }
    if (how & PENDING && bytes >= 2 * sizeof *header->poll) {
        header->poll_count = 2 + how % 16;
        header->poll_again = how % 4;
        memcpy(header->poll, data, 2 * sizeof *header->poll);
    }
    for (header->rank = 0; header->rank < 2; header->rank++) {
        file_write(header->rank, "ring", &image, sizeof image);
        file_write(header->rank, "spool", data, bytes - kept);
    }
    if (store_write(folder, path, NULL) == CORE_OK &&
        trace_open(path, TRACE_READ, &trace) == CORE_OK) {
        struct trace_cursor *cursor;
        struct trace_event event;
        bool more = true;
        if (trace_cursor_open(&trace, 1, &cursor) == CORE_OK) {
            while (trace_cursor_next(cursor, &event, &more) == CORE_OK && more) {
            }
            trace_cursor_close(cursor);
        }
        trace_close(&trace);
    }
    return 0;
}
