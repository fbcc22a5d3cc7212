/* Records the contents of buffers: a 64-bit digest (XXH3) at post and at completion, and on request
 * the bytes themselves. CROSSWAIT_PAYLOAD=none | sample | digest | full[:CAP]. CAP: bytes kept of
 * one buffer (default 64K). sample: the bytes of some collectives, to verify their results.
 *
 * The digest covers the bytes of the type map, in the map's order, so that two sides with different
 * layouts and the same signature agree. It uses the map from the type's first occurrence: the
 * handle may be freed while a request is still active.
 *
 *  1. Only readable memory is read (memory.h); for the memory of a send the kernel is asked at its
 *     completion: MPI need not have read it before.
 *  2. The sample follows from numbers that are the same on all ranks, so it needs no communication:
 *     all ranks of a communicator call its collectives in the same order. Each kind of call and
 *     operation has its own count, by size if all ranks pass the same size; the first SAMPLE_FIRST
 *     and every power of two are kept. (The call sites may differ from rank to rank.) Each rank
 *     limits the cost by itself; a result is verified if all ranks have kept their part. The inside
 *     of the library is kept for the first INSIDE_FIRST and every power of two: later rounds of a
 *     loop do nothing new inside. Calls that make communicators are counted across derived
 *     communicators, too.
 *  3. A request's buffers are remembered under its id from its start until its completion is
 *     recorded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "interpose/library/library.h"
#include "interpose/objects/handles.h"
#include "interpose/misuse/payload.h"
#include "interpose/objects/typemap.h"

enum { CAP_DEFAULT = 64 * 1024, CHUNK = 16384, BUCKETS = 1024, ORIGINS_MAX = 1 << 16 };

struct buffer {
    const void *at;
    int64_t count;
    uint32_t type;
};
struct buffers {              /* of one side, in the order of the partner ranks */
    struct buffer one, *many; /* many: on the heap, if there is not exactly one */
    int count;
};
struct held { /* buffers of an active request, or of one-sided communication until its epoch ends */
    uint32_t id; /* of the request or window */
    int target;
    uint64_t seq; /* of the event that owns them */
    struct buffers send, receive;
    bool unread; /* already counted as a call with unreadable data */
    struct held *next;
};

static uint64_t cap; /* bytes of content to keep; 0: digests only */
static struct held *bucket[BUCKETS];
static struct held *origin; /* of one-sided communication */
static uint32_t origin_count;

void payload_start(void)
{
    const char *kind = recorder_setting("CROSSWAIT_PAYLOAD");
    if (!kind || !strcmp(kind, "none") || !*kind)
        return;
    if (!strcmp(kind, "sample")) {
        cap = CAP_DEFAULT;
        recorder.sample = !recorder.filter;
        return;
    }
    if (!strncmp(kind, "full", 4))
        cap = kind[4] == ':' ? strtoull(kind + 5, NULL, 10) : CAP_DEFAULT;
    recorder.payload = true;
}

/* --- the sample (invariant 2) ----------------------------------------------------------------- */

enum {
    SAMPLE_FIRST = 16,
    INSIDE_FIRST = 256,
    SAMPLE_SLOTS = 64,
    SAMPLE_BYTE_COST = 6, /* of recorder_may_spend: a byte in 384 ticks is about 1 % of the time */
    SAMPLE_COST = 1200,
    SAMPLE_MOST = 2 << 20
};
static uint32_t (
    *numbers)[SAMPLE_SLOTS]; /* per communicator; kinds that share a slot share a number */
static uint32_t numbers_room;
static struct recorder_credit sample_credit = {.most = (int64_t)SAMPLE_MOST * SAMPLE_BYTE_COST,
                                               .left = (int64_t)SAMPLE_MOST * SAMPLE_BYTE_COST};
uint32_t payload_held;

static bool number_room(uint32_t comm)
{
    enum { COMMS_MAX = 1 << 16 };
    if (comm < numbers_room)
        return true;
    uint32_t room = comm * 2 + 8;
    uint32_t(*fresh)[SAMPLE_SLOTS] =
        comm < COMMS_MAX ? realloc(numbers, room * sizeof *fresh) : NULL;
    if (!fresh)
        return false;
    memset(fresh + numbers_room, 0, (room - numbers_room) * sizeof *fresh);
    numbers = fresh;
    numbers_room = room;
    return true;
}

static bool in_sample(uint32_t number, uint32_t first)
{
    return number && (number <= first || !(number & (number - 1)));
}

/* Decides whether the inside is recorded. number: 0: unknown. */
static void inside_sampled(struct lane *lane, uint64_t seq, uint32_t number)
{
    lane->unseen = 0;
    if (recorder.layer && !recorder.perturb && number && !in_sample(number, INSIDE_FIRST)) {
        lane->unseen = seq;
        lane->writer.header->layer = SPOOL_LAYER_SAMPLE;
    }
}

void payload_making(struct lane *lane, const struct spool_event *e, unsigned call)
{
    inside_sampled(lane, e->seq, handles_comm_making(e->comm, call));
}

bool payload_sampled(struct lane *lane, const struct spool_event *e, unsigned call, MPI_Op op,
                     uint32_t type, int64_t count)
{
    struct datatype_layout layout;
    bool combines = op != recorder_handle.op_null;
    const char *name = combines ? library_op_name(op) : NULL;
    uint64_t bytes =
        type && count > 0 && datatypes_layout(type, &layout) ? (uint64_t)(count * layout.size) : 0;
    uint32_t key = call * 31 + (name ? (uint32_t)name[4] * 7 + (uint32_t)name[5] : 0);

    key = key * 64 + (bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0);
    recorder_lock();
    uint32_t number = !number_room(e->comm) ? 0 : ++numbers[e->comm][(key * 0x9E3779B1u) >> 26];
    recorder_unlock();
    bool wanted = in_sample(number, SAMPLE_FIRST);
    lane->applying = wanted && combines && !name ? e->seq : 0;
    inside_sampled(lane, e->seq, number);
    return wanted;
}

void payload_applied(struct lane *lane, uint64_t seq, const void *at, int count, MPI_Datatype type,
                     unsigned which)
{
    struct datatype_layout layout;
    uint32_t id = handles_type_known(type);

    if (count <= 0 || !id || !datatypes_layout(id, &layout) || !layout.contiguous ||
        (uint64_t)count * (uint64_t)layout.size > cap ||
        !memory_readable(at, (uint64_t)count * (uint64_t)layout.size))
        return;
    uint64_t bytes = (uint64_t)count * (uint64_t)layout.size;
    struct spool_digest *record = spool_reserve(&lane->writer, sizeof *record / 8);
    if (record)
        *record = (struct spool_digest){
            {SPOOL_DIGEST, sizeof *record / 8, SPOOL_AT_APPLIED, (uint16_t)which},
            seq,
            XXH3_64bits(at, bytes),
            bytes};
}

/* --- walking a buffer ------------------------------------------------------------------------- */

struct walk {
    XXH3_state_t *state;
    const char *base;
    uint64_t left; /* bytes left to take */
    uint64_t copied;
    struct lane *lane;
    uint64_t seq;
    unsigned at, side;
};

static void keep_content(struct walk *w, const char *data, uint64_t bytes)
{
    while (bytes && w->copied < cap) {
        uint64_t here = bytes < CHUNK ? bytes : CHUNK;
        here = here < cap - w->copied ? here : cap - w->copied;
        uint32_t words = (uint32_t)((sizeof(struct spool_payload) + here + 7) / 8);
        struct spool_payload *record = spool_reserve(&w->lane->writer, words);
        if (!record)
            return;
        *record = (struct spool_payload){
            {SPOOL_PAYLOAD, (uint16_t)words, (uint16_t)w->at, (uint16_t)w->side},
            w->seq,
            w->copied,
            (uint32_t)here,
            0};
        memcpy(record + 1, data, here);
        data += here;
        bytes -= here;
        w->copied += here;
    }
}

static bool payload_take(int64_t offset, uint32_t basic, int64_t extent, uint64_t count,
                         void *context)
{
    struct walk *w = context;
    const char *data = w->base + offset;
    uint64_t bytes = count * (uint64_t)extent;
    (void)basic;
    bytes = bytes < w->left ? bytes : w->left;
    XXH3_64bits_update(w->state, data, bytes);
    w->left -= bytes;
    if (cap)
        keep_content(w, data, bytes);
    return w->left != 0;
}

static void write_digest(struct walk *w, uint64_t digest, uint64_t bytes)
{
    struct spool_digest *record = spool_reserve(&w->lane->writer, sizeof *record / 8);
    if (record)
        *record = (struct spool_digest){
            {SPOOL_DIGEST, sizeof *record / 8, (uint16_t)w->at, (uint16_t)w->side},
            w->seq,
            digest,
            bytes};
}

/* Finds the buffers of a side and returns their number; 0: none, or their content is undefined. */
static int payload_resolve(struct lane *lane, const struct payload_side *side, struct buffers *out)
{
    *out = (struct buffers){.count = 0};
    if (!side || !side->type || side->at == MPI_IN_PLACE)
        return 0;
    if (!side->counts) {
        out->one = (struct buffer){side->at, side->count, side->type};
        return out->count = 1;
    }
    if (side->blocks <= 0 || (!side->displs && !side->displs_wide) ||
        !(out->many = malloc((size_t)side->blocks * sizeof *out->many)))
        return 0;
    for (int i = 0; i < side->blocks; i++) {
        uint32_t type = side->types ? recorder_type(lane, side->types[i]) : side->type;
        struct datatype_layout layout = {.extent = 0};
        int64_t step = 1;
        if (!side->types)
            step = datatypes_layout(type, &layout) ? layout.extent : 0;
        out->many[i] =
            (struct buffer){(const char *)side->at +
                                (side->displs_wide ? side->displs_wide[i] : side->displs[i] * step),
                            side->counts[i], type};
    }
    return out->count = side->blocks;
}

static void take_buffer(struct walk *w, struct buffer b)
{
    struct datatype_layout layout;
    if (!b.count || !datatypes_layout(b.type, &layout))
        return;
    w->base = b.at;
    if (layout.contiguous)
        payload_take(0, 0, layout.size, (uint64_t)b.count, w);
    else
        for (int64_t i = 0; i < b.count && w->left; i++)
            typemap_each(layout.map, i * layout.extent, payload_take, w);
}

/* Sums up the bytes of the buffers. Returns false if their size or place is unknown: then nothing
 * is recorded. */
static bool payload_measure(const struct buffer *b, int count, uint64_t *out_bytes)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        struct datatype_layout layout;
        uint64_t bytes;
        if (!b[i].count)
            continue;
        if (b[i].count < 0 || !datatypes_layout(b[i].type, &layout) ||
            (!layout.contiguous && !layout.map) || (layout.contiguous && !b[i].at) ||
            __builtin_mul_overflow((uint64_t)b[i].count, (uint64_t)layout.size, &bytes) ||
            __builtin_add_overflow(sum, bytes, &sum))
            return false;
    }
    *out_bytes = sum;
    return true;
}

struct look { /* checks whether rows are readable; adjacent rows are often on one page */
    const char *base;
    uint64_t left;
    uintptr_t start, end; /* known to be readable */
    bool now;
};

static bool payload_look(int64_t offset, uint32_t basic, int64_t extent, uint64_t count,
                         void *context)
{
    enum { PAGE = 4096 };
    struct look *l = context;
    uintptr_t at = (uintptr_t)l->base + (uintptr_t)offset;
    uint64_t bytes = count * (uint64_t)extent;
    (void)basic;
    bytes = bytes < l->left ? bytes : l->left;
    l->left -= bytes;
    if (!bytes || (at >= l->start && at < l->end && bytes <= l->end - at))
        return true;
    if (!(l->now ? memory_readable_now((const void *)at, bytes)
                 : memory_readable((const void *)at, bytes)))
        return false;
    l->start = at & ~(uintptr_t)(PAGE - 1);
    l->end = (at + bytes + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    return true;
}

/* Checks rows that lie on many pages at once: checking each would take longer than reading them. */
static void look_at_all(struct look *l, const struct buffer *b)
{
    enum { LEAST_BYTES = 16 * 4096 };
    const struct datatype_span *s = datatypes_span(b->type);
    int64_t last = s ? ((int64_t)b->count - 1) * s->extent : 0;
    int64_t low = !s         ? 0
                  : last < 0 ? s->low + last
                             : s->low,
            high = !s         ? 0
                   : last < 0 ? s->high
                              : s->high + last;
    uintptr_t start = (uintptr_t)b->at + (uintptr_t)low;
    if (high - low < LEAST_BYTES || !memory_mapped((const void *)start, (uint64_t)(high - low)))
        return;
    l->start = start;
    l->end = start + (uintptr_t)(high - low);
}

/* Tells whether the first `bytes` bytes of the buffers are readable. */
static bool payload_readable(const struct buffer *b, int count, uint64_t bytes, bool now)
{
    struct look l = {.left = bytes, .now = now};
    for (int i = 0; i < count && l.left; i++) {
        struct datatype_layout layout;
        if (!b[i].count || !datatypes_layout(b[i].type, &layout))
            continue;
        l.base = b[i].at;
        if (layout.contiguous && !payload_look(0, 0, layout.size, (uint64_t)b[i].count, &l))
            return false;
        if (!layout.contiguous)
            look_at_all(&l, &b[i]);
        for (int64_t k = 0; !layout.contiguous && k < b[i].count && l.left; k++)
            if (!typemap_each(layout.map, k * layout.extent, payload_look, &l))
                return false;
    }
    return true;
}

/* Records contents. Returns false if some are unreadable. */
static bool payload_record(struct lane *lane, uint64_t seq, unsigned at, unsigned side,
                           const struct buffers *b, uint64_t limit)
{
    XXH3_state_t state;
    const struct buffer *buffer = b->many ? b->many : &b->one;
    struct datatype_layout layout;
    uint64_t bytes;
    if (!b->count || !payload_measure(buffer, b->count, &bytes))
        return true;
    bytes = bytes < limit ? bytes : limit;
    if (!recorder.payload &&
        (bytes > cap ||
         !recorder_may_spend(&sample_credit, bytes * SAMPLE_BYTE_COST + SAMPLE_COST)))
        return true;
    if (!payload_readable(buffer, b->count, bytes,
                          at == SPOOL_AT_DONE && side == SPOOL_BUFFER_SEND))
        return false;
    struct walk w = {
        .state = &state, .left = bytes, .lane = lane, .seq = seq, .at = at, .side = side};
    if (b->count == 1 && datatypes_layout(buffer->type, &layout) && layout.contiguous) {
        if (cap)
            keep_content(&w, buffer->at, bytes);
        write_digest(&w, XXH3_64bits(buffer->at, bytes), bytes);
        return true;
    }
    XXH3_64bits_reset(&state);
    for (int i = 0; i < b->count && w.left; i++)
        take_buffer(&w, buffer[i]);
    write_digest(&w, XXH3_64bits_digest(&state), bytes);
    return true;
}

static void record_side(struct lane *lane, uint64_t seq, unsigned at, unsigned which,
                        const struct payload_side *side, uint64_t limit)
{
    struct buffers b;
    if (payload_resolve(lane, side, &b) && !payload_record(lane, seq, at, which, &b, limit))
        recorder_unread(lane, seq);
    free(b.many);
}

void payload_send(struct lane *lane, uint64_t seq, const struct payload_side *send)
{
    record_side(lane, seq, SPOOL_AT_POST, SPOOL_BUFFER_SEND, send, UINT64_MAX);
}

void payload_received(struct lane *lane, uint64_t seq, const struct payload_side *receive,
                      uint64_t bytes)
{
    record_side(lane, seq, SPOOL_AT_DONE, SPOOL_BUFFER_RECV, receive, bytes);
}

/* --- requests --------------------------------------------------------------------------------- */

static struct held *held_new(struct lane *lane, uint32_t id, uint64_t seq,
                             const struct payload_side *send, const struct payload_side *receive)
{
    struct held *h = id ? malloc(sizeof *h) : NULL;
    if (!h)
        return NULL;
    *h = (struct held){.id = id, .seq = seq, .unread = lane->unread == seq};
    payload_resolve(lane, send, &h->send);
    payload_resolve(lane, receive, &h->receive);
    return h;
}

static void held_free(struct held *h)
{
    free(h->send.many);
    free(h->receive.many);
    free(h);
}

static void held_done(struct lane *lane, const struct held *h, uint64_t received)
{
    /* The recorder read the send buffer at its post; the memory may be gone by now. */
    payload_record(lane, h->seq, SPOOL_AT_DONE, SPOOL_BUFFER_SEND, &h->send, UINT64_MAX);
    if (!payload_record(lane, h->seq, SPOOL_AT_DONE, SPOOL_BUFFER_RECV, &h->receive, received) &&
        !h->unread)
        recorder_unread(lane, h->seq);
}

void payload_hold(struct lane *lane, uint32_t id, uint64_t seq, const struct payload_side *send,
                  const struct payload_side *receive)
{
    struct held *h = held_new(lane, id, seq, send, receive);
    if (!h)
        return;
    recorder_lock();
    h->next = bucket[id % BUCKETS];
    bucket[id % BUCKETS] = h;
    payload_held++;
    recorder_unlock();
}

void payload_started(struct lane *lane, uint32_t id, uint64_t seq)
{
    recorder_lock();
    for (struct held *h = bucket[id % BUCKETS]; h; h = h->next)
        if (h->id == id) {
            h->seq = seq;
            h->unread =
                !payload_record(lane, seq, SPOOL_AT_POST, SPOOL_BUFFER_SEND, &h->send, UINT64_MAX);
            if (h->unread)
                recorder_unread(lane, seq);
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
        held_done(lane, h, received);
        if (!keep) {
            *at = h->next;
            held_free(h);
            payload_held--;
        }
        break;
    }
    recorder_unlock();
}

/* --- one-sided communication ------------------------------------------------------------------ */

void payload_origin(struct lane *lane, uint32_t win, int target, uint64_t seq,
                    const struct payload_side *send, const struct payload_side *receive)
{
    struct held *h = origin_count < ORIGINS_MAX ? held_new(lane, win, seq, send, receive) : NULL;
    if (!h)
        return;
    h->target = target;
    recorder_lock();
    h->next = origin;
    origin = h;
    origin_count++;
    recorder_unlock();
}

void payload_epoch(struct lane *lane, uint32_t win, int target)
{
    recorder_lock();
    for (struct held **at = &origin, *h; (h = *at);) {
        if (h->id != win || (target >= 0 && h->target != target)) {
            at = &h->next;
            continue;
        }
        held_done(lane, h, UINT64_MAX);
        *at = h->next;
        origin_count--;
        held_free(h);
    }
    recorder_unlock();
}
