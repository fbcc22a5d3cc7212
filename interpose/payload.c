/* What buffers hold: a 64-bit digest (XXH3) at post and at completion, on request the bytes themselves.
 * CROSSWAIT_PAYLOAD=none | digest | full[:CAP]   CAP: bytes kept of one buffer (default 64K)
 *
 * The digest is that of the bytes that the type map touches, in the map's order, so that two sides with different layouts and the same
 * signature agree. It is computed from the map that the type had when it was first seen: the handle may be freed while a
 * request is still active.
 *
 *  1. A request's buffers are remembered under its id from its start until its completion is recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "interpose/handles.h"
#include "interpose/payload.h"

enum { CAP_DEFAULT = 64 * 1024, CHUNK = 16384, BUCKETS = 1024 };

struct buffer {
    const void *at;
    int64_t count;
    uint32_t type;
};
struct held { /* buffers of an active request */
    uint32_t id;
    uint64_t seq; /* of the event that owns them */
    struct buffer send, receive;
    struct held *next;
};

static uint64_t cap; /* bytes of content kept; 0: digests only */
static struct held *bucket[BUCKETS];

void payload_start(void)
{
    const char *kind = getenv("CROSSWAIT_PAYLOAD");
    if (!kind || !strcmp(kind, "none") || !*kind)
        return;
    if (!strncmp(kind, "full", 4))
        cap = kind[4] == ':' ? strtoull(kind + 5, NULL, 10) : CAP_DEFAULT;
    recorder.payload = true;
}

/* --- walking a buffer --------------------------------------------------------------------------------------------------- */

struct walk {
    XXH3_state_t *state;
    uint64_t left;  /* bytes still to take */
    uint64_t taken;
    struct lane *lane;
    uint64_t seq;
    unsigned at, side;
};

static void keep_content(struct walk *w, const char *data, uint64_t bytes)
{
    while (bytes && w->taken < cap) {
        uint64_t here = bytes < CHUNK ? bytes : CHUNK;
        here = here < cap - w->taken ? here : cap - w->taken;
        uint32_t words = (uint32_t)((sizeof(struct spool_payload) + here + 7) / 8);
        struct spool_payload *record = spool_reserve(&w->lane->writer, words);
        if (!record)
            return;
        *record = (struct spool_payload){{SPOOL_PAYLOAD, (uint16_t)words, (uint16_t)w->at, (uint16_t)w->side}, w->seq, w->taken, (uint32_t)here, 0};
        memcpy(record + 1, data, here);
        data += here;
        bytes -= here;
        w->taken += here;
    }
}

static void take(struct walk *w, const char *data, uint64_t bytes)
{
    bytes = bytes < w->left ? bytes : w->left;
    XXH3_64bits_update(w->state, data, bytes);
    w->left -= bytes;
    if (cap)
        keep_content(w, data, bytes);
}

static void write_digest(struct walk *w, uint64_t digest, uint64_t bytes)
{
    struct spool_digest *record = spool_reserve(&w->lane->writer, sizeof *record / 8);
    if (record)
        *record = (struct spool_digest){{SPOOL_DIGEST, sizeof *record / 8, (uint16_t)w->at, (uint16_t)w->side}, w->seq, digest, bytes};
}

static void record(struct lane *lane, uint64_t seq, unsigned at, unsigned side, struct buffer b, uint64_t limit)
{
    static __thread XXH3_state_t state __attribute__((tls_model("initial-exec"), aligned(64)));
    struct datatype_layout layout;
    if (b.at == MPI_IN_PLACE || b.count < 0 || !datatypes_layout(b.type, &layout))
        return;
    uint64_t bytes = (uint64_t)b.count * (uint64_t)layout.size;
    bytes = bytes < limit ? bytes : limit;
    struct walk w = {.state = &state, .left = bytes, .lane = lane, .seq = seq, .at = at, .side = side};
    if (layout.contiguous && (b.at || !bytes)) {
        if (cap)
            keep_content(&w, b.at, bytes);
        write_digest(&w, XXH3_64bits(b.at, bytes), bytes);
        return;
    }
    if (layout.contiguous || !layout.segment)
        return; /* no map was kept: nothing is claimed */
    XXH3_64bits_reset(&state);
    for (int64_t i = 0; i < b.count && w.left; i++)
        for (uint32_t s = 0; s < layout.segment_count && w.left; s++)
            take(&w, (const char *)b.at + i * layout.extent + layout.segment[s].displacement,
                 layout.segment[s].count * (uint64_t)layout.basic_size[s]);
    write_digest(&w, XXH3_64bits_digest(&state), bytes);
}

void payload_send(struct lane *lane, uint64_t seq, const void *at, int64_t count, uint32_t type)
{
    record(lane, seq, SPOOL_AT_POST, SPOOL_BUFFER_SEND, (struct buffer){at, count, type}, UINT64_MAX);
}

void payload_received(struct lane *lane, uint64_t seq, const void *at, int64_t count, uint32_t type, uint64_t bytes)
{
    record(lane, seq, SPOOL_AT_DONE, SPOOL_BUFFER_RECV, (struct buffer){at, count, type}, bytes);
}

/* --- requests -------------------------------------------------------------------------------------------------------------- */

void payload_hold(uint32_t id, uint64_t seq, const void *send, int64_t send_count, uint32_t send_type, const void *receive,
                  int64_t receive_count, uint32_t receive_type)
{
    struct held *h = id ? malloc(sizeof *h) : NULL;
    if (!h)
        return;
    recorder_lock();
    *h = (struct held){id, seq, {send, send_count, send_type}, {receive, receive_count, receive_type}, bucket[id % BUCKETS]};
    bucket[id % BUCKETS] = h;
    recorder_unlock();
}

void payload_started(struct lane *lane, uint32_t id, uint64_t seq)
{
    recorder_lock();
    for (struct held *h = bucket[id % BUCKETS]; h; h = h->next)
        if (h->id == id) {
            h->seq = seq;
            if (h->send.type)
                record(lane, seq, SPOOL_AT_POST, SPOOL_BUFFER_SEND, h->send, UINT64_MAX);
        }
    recorder_unlock();
}

void payload_done(struct lane *lane, uint32_t id, uint64_t received, bool keep)
{
    recorder_lock();
    for (struct held **at = &bucket[id % BUCKETS]; *at; at = &(*at)->next) {
        struct held *h = *at;
        if (h->id != id)
            continue;
        if (h->send.type)
            record(lane, h->seq, SPOOL_AT_DONE, SPOOL_BUFFER_SEND, h->send, UINT64_MAX);
        if (h->receive.type)
            record(lane, h->seq, SPOOL_AT_DONE, SPOOL_BUFFER_RECV, h->receive, received);
        if (!keep) {
            *at = h->next;
            free(h);
        }
        break;
    }
    recorder_unlock();
}
