/* Fuzzes storing: any bytes, as the records of two ranks, become a trace, which is then read. The
 * first 8 bytes choose what is still in the ring, whether calls are pending and whether the ring
 * drops records; the rest are records. */
#include <stdio.h>
#include <string.h>

#include "core/spool/spool.h"
#include "store/store.h"
#include "core/trace/trace.h"
#include "fuzz/parser/parser.h"

enum { RING = 65536, KEPT_QUARTERS = 3, DROPS = 4, PENDING = 8 };

static struct {
    struct spool_header header;
    char page[SPOOL_HEADER_BYTES - sizeof(struct spool_header)];
    unsigned char ring[RING];
} image;

static void rank_write(int rank, const char *kind, const void *data, size_t bytes)
{
    char name[32];

    snprintf(name, sizeof name, "%d.0.%s", rank, kind);
    parser_write(name, data, bytes, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct spool_header *header = &image.header;
    struct trace trace;
    char path[128];

    parser_quiet();
    snprintf(path, sizeof path, "%s/T.db", parser_folder());
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
        rank_write(header->rank, "ring", &image, sizeof image);
        rank_write(header->rank, "spool", data, bytes - kept);
    }
    if (store_write(parser_folder(), path, NULL) == CORE_OK &&
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
