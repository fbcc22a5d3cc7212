/* Finds the bytes of a call's buffers, and how many two of them share (usage.h, inflight.h). */
#include <stdlib.h>

#include "interpose/misuse/heap.h"
#include "interpose/misuse/inflight.h"
#include "interpose/misuse/payload.h"

enum { PIECES_MAX = 4096, ROWS_MAX = 64, DISPLACED_KEPT = 64 };

/* Returns false if the buffer covers no byte. */
static inline bool spans_span(const void *at, int64_t count, const struct datatype_span *s,
                              uintptr_t *out_start, uintptr_t *out_end)
{
    if (count <= 0 || s->high <= s->low)
        return false;
    int64_t last = (count - 1) * s->extent, low = last < 0 ? s->low + last : s->low,
            high = last < 0 ? s->high : s->high + last;
    *out_start = (uintptr_t)at + (uintptr_t)low;
    *out_end = (uintptr_t)at + (uintptr_t)high;
    return true;
}

static bool in_place(struct lane *lane, uint64_t seq, const char *argument, const void *at,
                     enum usage_place place)
{
    bool is = at == MPI_IN_PLACE || (at && at == recorder_handle.in_place);
    if (UNLIKELY(is) && place == USAGE_NOT_IN_PLACE)
        usage_say(lane, seq, MISUSE_IN_PLACE, argument, 0);
    return is;
}

void usage_target_type(struct lane *lane, uint64_t seq, uint32_t type, const char *argument)
{
    const struct datatype_span *s = type ? datatypes_span(type) : NULL;

    if (UNLIKELY(s && s->overlaps))
        usage_say(lane, seq, MISUSE_TARGET_OVERLAPS, argument, 0);
}

/* Tells whether the buffer is to be checked. Reports null pointers and small addresses. */
static inline bool is_buffer(struct lane *lane, uint64_t seq, const struct usage_buffer *buffer,
                             const struct datatype_span *s)
{
    if (UNLIKELY(buffer->start < 4096)) {
        bool sent = buffer->access == USAGE_READ;
        usage_say(lane, seq,
                  buffer->at ? (sent ? MISUSE_ADDRESS_SENT : MISUSE_ADDRESS_RECEIVED)
                             : (sent ? MISUSE_NULL_SENT : MISUSE_NULL_RECEIVED),
                  buffer->argument, 0);
        return false;
    }
    if (UNLIKELY(s->overlaps) && buffer->access == USAGE_WRITE && buffer->type)
        usage_say(lane, seq, MISUSE_TYPE_OVERLAPS, buffer->argument, 0);
    return true;
}

static void spans_put_one(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                          const struct usage_buffer *buffer, const struct datatype_span *s)
{
    if (is_buffer(lane, seq, buffer, s) && all->count < USAGE_BUFFERS_MAX)
        all->buffer[all->count++] = *buffer;
}

static __attribute__((noinline)) void
put_odd(struct lane *lane, uint64_t seq, struct usage_buffers *all, const struct datatype_span *s)
{
    all->count += is_buffer(lane, seq, &all->buffer[all->count], s);
}

static __attribute__((noinline)) void in_place_odd(struct lane *lane, uint64_t seq,
                                                   const char *argument, enum usage_place place)
{
    in_place(lane, seq, argument, MPI_IN_PLACE, place);
}

static inline void put_one(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                           const char *argument, const void *at, int64_t count, uint32_t type,
                           const struct datatype_span *s, enum usage_access access,
                           enum usage_place place)
{
    uintptr_t start, end;
    if (UNLIKELY(at == MPI_IN_PLACE || (at == recorder_handle.in_place && at))) {
        in_place_odd(lane, seq, argument, place);
        return;
    }
    if (!s || !spans_span(at, count, s, &start, &end) || all->count == USAGE_BUFFERS_MAX)
        return;
    all->buffer[all->count] = (struct usage_buffer){.argument = argument,
                                                    .start = start,
                                                    .end = end,
                                                    .at = at,
                                                    .count = count,
                                                    .type = type,
                                                    .of = type,
                                                    .access = access};
    if (UNLIKELY(start < 4096 || s->overlaps)) {
        put_odd(lane, seq, all, s);
        return;
    }
    all->count++;
}

static __attribute__((noinline)) void put_far(struct lane *lane, uint64_t seq,
                                              struct usage_buffers *all, const char *argument,
                                              const void *at, int64_t count, uint32_t type,
                                              enum usage_access access, enum usage_place place)
{
    put_one(lane, seq, all, argument, at, count, type, datatypes_span(type), access, place);
}

/* Makes no call in the usual case, so that it need not save registers. */
void usage_buffer(struct lane *lane, uint64_t seq, struct usage_buffers *all, const char *argument,
                  const void *at, int64_t count, uint32_t type, enum usage_access access,
                  enum usage_place place)
{
    if (UNLIKELY(type >= DATATYPES_SPANS))
        put_far(lane, seq, all, argument, at, count, type, access, place);
    else
        put_one(lane, seq, all, argument, at, count, type, datatypes_spans[type], access, place);
}

/* Reports the bytes that two blocks share, relative to the buffer's start. */
static void say_parts(struct lane *lane, uint64_t seq, const char *argument, int64_t size,
                      const int *which, const int *counts, const int *displs)
{
    int64_t low = INT64_MIN, high = INT64_MAX;

    for (int i = 0; i < 2; i++) {
        int64_t from = displs[which[i]], to = from + counts[which[i]];
        low = from > low ? from : low;
        high = to < high ? to : high;
    }
    usage_say(lane, seq, MISUSE_PARTS_OVERLAP, argument, 0,
              .value = {which[0], which[1], low * size, high * size});
}

/* Sets the buffer to `count` elements from the element `first` on. Returns false if it covers no
 * byte. */
static bool row_of(struct usage_buffer *buffer, const struct datatype_span *s, const void *at,
                   int64_t first, int64_t count)
{
    buffer->at = (const char *)at + first * s->extent;
    buffer->type = buffer->of;
    buffer->count = count;
    return spans_span(buffer->at, count, s, &buffer->start, &buffer->end);
}

struct row {
    int64_t first, end; /* in elements */
};

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Adds blocks with gaps between them; adjacent blocks become one. Adds none if there are too
 * many. */
static void put_rows(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                     const struct usage_buffer *whole, const struct datatype_span *s, int n,
                     const int *counts, const int *displs)
{
    struct row row[ROWS_MAX];
    unsigned blocks = 0, rows = 0;

    for (int i = 0; i < n; i++) {
        if (counts[i] <= 0)
            continue;
        if (blocks == ROWS_MAX)
            return;
        row[blocks++] = (struct row){displs[i], (int64_t)displs[i] + counts[i]};
    }
    qsort(row, blocks, sizeof *row, compare_rows);
    for (unsigned i = 0; i < blocks; i++) {
        struct row *last = &row[rows ? rows - 1 : 0];
        if (!rows || row[i].first > last->end)
            row[rows++] = row[i];
        else
            last->end = row[i].end > last->end ? row[i].end : last->end;
    }
    for (unsigned i = 0; rows <= USAGE_SIDE_MAX && i < rows; i++) {
        struct usage_buffer buffer = *whole;
        if (row_of(&buffer, s, whole->at, row[i].first, row[i].end - row[i].first))
            spans_put_one(lane, seq, all, &buffer, s);
    }
}

/* Blocks of one buffer: `at` is the argument, displacements count elements. */
struct blocks {
    const char *argument;
    const void *at;
    int n;
    const int *counts, *displs;
    const struct datatype_span *s;
};

/* Returns the first block outside the allocated block that the argument points into, if another
 * block lies inside it, or one contains the argument's own address; -1: none. */
static int displaced_find(const struct blocks *b, const struct heap_block *heap)
{
    int found = -1;
    bool inside = false;

    for (int i = 0; i < b->n; i++) {
        const char *at = (const char *)b->at + b->displs[i] * b->s->extent;
        uintptr_t start, end;
        if (!spans_span(at, b->counts[i], b->s, &start, &end))
            continue;
        inside = inside || (start >= heap->start && end <= heap->end) ||
                 (start <= (uintptr_t)b->at && (uintptr_t)b->at < end);
        if (found < 0 && (start < heap->start || start >= heap->end))
            found = i;
    }
    return inside ? found : -1;
}

/* Checks that displacements lead from the argument to parts of the same block of memory (MPI 4.1,
 * 5.1.12), not from one variable to another. Checks each case once. */
static __attribute__((noinline)) void displaced_look(struct lane *lane, uint64_t seq,
                                                     const struct blocks *b, int64_t first,
                                                     int64_t end, enum usage_access access)
{
    static uint64_t seen[DISPLACED_KEPT];
    uintptr_t at = (uintptr_t)b->at;
    uint64_t key =
        (at ^ ((uint64_t)first * 31 + (uint64_t)end) * 0xD6E8FEB86659FD93u) * 0x9E3779B97F4A7C15u;
    struct heap_block heap;

    if (seen[key % DISPLACED_KEPT] == key || at < 4096)
        return;
    seen[key % DISPLACED_KEPT] = key;
    if (!heap_block_find(at, at + 1, &heap) || heap.freed || displaced_find(b, &heap) < 0 ||
        !heap_block_find(at, UINTPTR_MAX, &heap) || heap.freed)
        return; /* the second search starts from the heap's start */
    int i = displaced_find(b, &heap);
    if (i < 0)
        return;
    uintptr_t start = at + (uintptr_t)(b->displs[i] * b->s->extent + b->s->low);
    bool before = start < heap.start;
    usage_say(lane, seq, access == USAGE_READ ? MISUSE_SEND_DISPLACED : MISUSE_RECEIVE_DISPLACED,
              b->argument, 0,
              .value = {i, b->displs[i], before ? (int64_t)(heap.start - start) : 0,
                        before ? 0 : (int64_t)(start - heap.end),
                        (int64_t)(heap.end - heap.start)});
}

void usage_buffer_v(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                    const char *argument, const void *at, int n, const int *counts,
                    const int *displs, uint32_t type, enum usage_access access,
                    enum usage_place place)
{
    const struct datatype_span *s = datatypes_span(type);
    struct usage_buffer buffer = {.argument = argument, .at = at, .of = type, .access = access};
    int64_t first = INT64_MAX, end = INT64_MIN, count = 0;
    bool in_turn = true; /* each block lies behind the one before */
    if (in_place(lane, seq, argument, at, place) || !counts || !displs || !s)
        return;
    for (int i = 0; i < n; i++) {
        if (counts[i] <= 0)
            continue;
        in_turn = in_turn && (!count || displs[i] == end);
        first = displs[i] < first ? displs[i] : first;
        end = (int64_t)displs[i] + counts[i] > end ? (int64_t)displs[i] + counts[i] : end;
        count += counts[i];
        for (int k = 0;
             access == USAGE_WRITE && s->extent == s->size && s->extent > 0 && n <= 512 && k < i;
             k++)
            if (counts[k] > 0 && displs[k] < displs[i] + counts[i] &&
                displs[i] < displs[k] + counts[k]) {
                say_parts(lane, seq, argument, s->size, (const int[]){k, i}, counts, displs);
                return;
            }
    }
    if (!count)
        return;
    if (UNLIKELY(first < 0 || !in_turn) && first <= 0 && end > 0)
        displaced_look(lane, seq, &(struct blocks){argument, at, n, counts, displs, s}, first, end,
                       access);
    if (!in_turn && (uintptr_t)at >= 4096 && (n <= ROWS_MAX || count < end - first))
        put_rows(lane, seq, all, &buffer, s, n, counts, displs);
    else if (row_of(&buffer, s, at, first, end - first))
        spans_put_one(lane, seq, all, &buffer, s);
}

void usage_buffer_w(struct lane *lane, uint64_t seq, struct usage_buffers *all,
                    const char *argument, const void *at, int n, const int *counts,
                    const int *displs, const MPI_Aint *wide, const MPI_Datatype *type,
                    enum usage_access access, enum usage_place place)
{
    unsigned most = all->count + USAGE_SIDE_MAX;

    if (in_place(lane, seq, argument, at, place) || !counts || !type || (!displs && !wide))
        return;
    for (int i = 0; i < n && all->count < most; i++) {
        uint32_t id = counts[i] > 0 ? recorder_type(lane, type[i]) : 0;
        const struct datatype_span *s = id ? datatypes_span(id) : NULL;
        struct usage_buffer buffer = {
            .argument = argument, .count = counts[i], .type = id, .of = id, .access = access};

        int64_t distance = displs ? displs[i] : wide[i];
        if (!at && s && distance + s->low >= 0 && distance + s->low < 4096) {
            usage_pointer_slow(lane, seq, argument);
            return;
        }
        buffer.at = (const char *)at + distance;
        buffer.beside =
            s && ((distance < 0 && distance + s->low >= 0) || (distance > 0 && s->high <= 0));
        if (s && spans_span(buffer.at, counts[i], s, &buffer.start, &buffer.end))
            spans_put_one(lane, seq, all, &buffer, s);
    }
}
struct piece {
    uintptr_t start, end;
};

static uint32_t spans_pieces(const struct usage_buffer *b, struct piece *out)
{
    const struct datatype_span *s = b->type ? datatypes_span(b->type) : NULL;
    if (!b->type || (s && s->whole)) {
        out[0] = (struct piece){b->start, b->end};
        return 1;
    }
    if (!s || !s->part || (uint64_t)b->count * s->parts > PIECES_MAX)
        return 0;
    uint32_t n = 0;
    for (int64_t i = 0; i < b->count; i++)
        for (uint32_t k = 0; k < s->parts; k++) {
            uintptr_t at = (uintptr_t)b->at + (uintptr_t)(i * s->extent);
            out[n++] = (struct piece){at + (uintptr_t)s->part[k][0], at + (uintptr_t)s->part[k][1]};
        }
    return n;
}

static int compare_pieces(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Returns how many bytes the buffers share. */
static uint64_t overlap_find(const struct usage_buffer *a, const struct usage_buffer *b)
{
    struct piece *p = malloc(2 * PIECES_MAX * sizeof *p);
    uint64_t bytes = 0;
    if (!p)
        return 0;
    uint32_t n = spans_pieces(a, p), m = spans_pieces(b, p + PIECES_MAX);
    qsort(p, n, sizeof *p, compare_pieces);
    qsort(p + PIECES_MAX, m, sizeof *p, compare_pieces);
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        const struct piece *x = &p[i], *y = &p[PIECES_MAX + k];
        uintptr_t low = x->start > y->start ? x->start : y->start,
                  high = x->end < y->end ? x->end : y->end;
        bytes += low < high ? high - low : 0;
        if (x->end < y->end)
            i++;
        else
            k++;
    }
    free(p);
    return bytes;
}

/* Returns how many bytes two buffers share whose spans overlap. Remembers results by distance,
 * since the same pairs come round after round. */
uint64_t spans_overlap(const struct usage_buffer *a, const struct usage_buffer *b)
{
    static struct answer {
        int64_t distance, count[2];
        uint32_t type[2];
        bool known;
        uint64_t bytes;
    } answers[256];
    int64_t distance = (int64_t)((uintptr_t)a->at - (uintptr_t)b->at);
    if (!a->type || !b->type) /* only the span is known, which has no fixed distance from `at` */
        return overlap_find(a, b);
    recorder_lock();
    uint64_t key = ((uint64_t)distance * 31 + a->type) * 0x9E3779B97F4A7C15u +
                   ((uint64_t)b->type << 32 ^ (uint64_t)a->count * 7 ^ (uint64_t)b->count);
    struct answer *answer = &answers[key * 0x9E3779B97F4A7C15u >> 56];
    if (!answer->known || answer->distance != distance || answer->type[0] != a->type ||
        answer->type[1] != b->type || answer->count[0] != a->count || answer->count[1] != b->count)
        *answer = (struct answer){
            distance, {a->count, b->count}, {a->type, b->type}, true, overlap_find(a, b)};
    uint64_t bytes = answer->bytes;
    recorder_unlock();
    return bytes;
}

void usage_array(struct usage_buffers *all, const char *argument, const void *at, uint64_t bytes)
{
    if (at && bytes && all->count < USAGE_BUFFERS_MAX)
        all->buffer[all->count++] = (struct usage_buffer){.argument = argument,
                                                          .start = (uintptr_t)at,
                                                          .end = (uintptr_t)at + bytes,
                                                          .at = at,
                                                          .array = true,
                                                          .access = USAGE_READ};
}
