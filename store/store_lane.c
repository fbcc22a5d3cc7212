/* Gathers a lane's records into whole calls. The parts of a call (lists, statuses, scalars) precede
 * its event, and calls inside it come between its parts. So a few calls are open at any time; each
 * has a gather, and the search starts at the newest.
 *
 * Invariants
 *  1. At most one gather in use has a given seq.
 *  2. lane->parts is the gather of lane->event until the next store_lane_next, which forgets it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "store/store_part.h"

/* Asserts that all parts have seq at the same offset: it is read before the kind of the part is
 * known. */
#define PART(type) \
    _Static_assert(offsetof(struct type, seq) == offsetof(struct spool_args, seq), "a part's seq")
PART(spool_text);
PART(spool_list);
PART(spool_done);
PART(spool_recv_half);
PART(spool_repeat);
PART(spool_misuse);
PART(spool_memory);
PART(spool_stack);
#undef PART

struct store_gather *store_lane_parts(struct store_lane *lane, uint64_t seq)
{
    uint32_t left = lane->gathers;

    for (uint32_t i = 0; left && i < STORE_GATHERS_MAX; i++) {
        uint32_t at = (lane->newest - i) % STORE_GATHERS_MAX;
        if (lane->gather[at].seq == seq)
            return &lane->gather[at];
        left -= lane->gather[at].seq != 0;
    }
    return NULL;
}

static void store_lane_forget(struct store_lane *lane, struct store_gather *parts)
{
    CORE_CHECK(parts->seq && lane->gathers > 0);
    lane->gathers--;
    parts->seq = 0;
    parts->has_recv_half = false;
    parts->calls = 0;
    parts->list_count = parts->done_count = parts->arg_count = parts->text_bytes =
        parts->misuse_bytes = parts->frame_count = 0;
}

const struct store_list *store_list_find(const struct store_gather *parts, uint16_t role)
{
    for (uint32_t i = 0; parts && i < parts->list_count; i++)
        if (parts->list[i].role == role)
            return &parts->list[i];
    return NULL;
}

static struct store_gather *parts_of(struct store *store, struct store_rank *rank,
                                     struct store_lane *lane, uint64_t seq)
{
    struct store_gather *parts = lane->gather[lane->newest].seq == seq
                                     ? &lane->gather[lane->newest]
                                     : store_lane_parts(lane, seq);

    CORE_CHECK(seq != 0); /* 0 marks an unused gather */
    CORE_CHECK(lane->newest < STORE_GATHERS_MAX);
    if (parts)
        return parts;
    for (uint32_t i = 1; i <= STORE_GATHERS_MAX; i++) {
        uint32_t at = (lane->newest + i) % STORE_GATHERS_MAX;
        if (!lane->gather[at].seq) {
            lane->newest = at;
            lane->gathers++;
            lane->gather[at].seq = seq;
            CORE_CHECK(!lane->gather[at].list_count && !lane->gather[at].done_count &&
                       !lane->gather[at].has_recv_half); /* it was reset */
            return &lane->gather[at];
        }
    }
    /* Reuses the oldest gather: its call never got an event, which is an error of the recorder. */
    lane->newest = (lane->newest + 1) % STORE_GATHERS_MAX;
    parts = &lane->gather[lane->newest];
    store_note(store, "rank %" PRId32 ": arguments of call %" PRIu64 " came without the call",
               rank->rank, parts->seq);
    store_lane_forget(lane, parts);
    lane->gathers++;
    parts->seq = seq;
    CORE_CHECK(store_lane_parts(lane, seq) == parts); /* invariant 1 */
    return parts;
}

static enum core_status gather_list(struct store_gather *parts, const struct spool_list *record)
{
    struct store_list *list = NULL;
    const int32_t *small = spool_tail(record, sizeof *record);
    const int64_t *large = spool_tail(record, sizeof *record);
    enum core_status status;

    CORE_CHECK(record->head.b == 4 || record->head.b == 8); /* spool_read refuses others */
    CORE_CHECK(parts->list_count <= STORE_LISTS_MAX);
    for (uint32_t i = 0; i < parts->list_count && !list; i++)
        if (parts->list[i].role == record->head.a && parts->list[i].argument == record->argument)
            list = &parts->list[i];
    if (!list) {
        if (parts->list_count == STORE_LISTS_MAX)
            return CORE_OK;
        list = &parts->list[parts->list_count++];
        list->role = record->head.a;
        list->argument = record->argument;
        list->count = 0;
    }
    if (record->first != list->count ||
        (uint64_t)list->count + record->count > STORE_LIST_VALUES_MAX)
        return CORE_OK;
    status = CORE_ARRAY_ROOM_ZERO(list->value, list->room, (uint64_t)list->count + record->count,
                                  "the trace");
    if (status != CORE_OK)
        return status;
    for (uint32_t i = 0; i < record->count; i++)
        list->value[list->count++] = record->head.b == 4 ? small[i] : large[i];
    CORE_CHECK(list->count == record->first + record->count);
    return CORE_OK;
}

static enum core_status gather_args(struct store_gather *parts, const struct spool_args *record)
{
    uint32_t first = record->head.b & (SPOOL_ARGS_REQUESTS - 1u), end = first + record->head.a;
    enum core_status status = CORE_ARRAY_ROOM_ZERO(parts->arg, parts->arg_room, end, "the trace");

    if (status != CORE_OK || !record->head.a)
        return status;
    CORE_CHECK(end <= parts->arg_room);
    for (; parts->arg_count < first; parts->arg_count++) /* missing values */
        parts->arg[parts->arg_count] = 0;
    memcpy(parts->arg + first, spool_tail(record, sizeof *record),
           record->head.a * sizeof *parts->arg);
    if (end > parts->arg_count)
        parts->arg_count = end;
    CORE_CHECK(parts->arg_count <= parts->arg_room); /* core/array.h invariant 1 */
    return CORE_OK;
}

static enum core_status gather_part(struct store_gather *parts, const struct spool_head *head)
{
    enum core_status status = CORE_OK;

    CORE_CHECK(parts->seq != 0); /* it is in use */
    switch (head->kind) {
    case SPOOL_LIST:
        return gather_list(parts, (const void *)head);
    case SPOOL_DONE:
        status = CORE_ARRAY_ROOM_ZERO(parts->done, parts->done_room,
                                      (uint64_t)parts->done_count + 1, "the trace");
        if (status == CORE_OK)
            memcpy(&parts->done[parts->done_count++], head, sizeof *parts->done);
        return status;
    case SPOOL_RECV_HALF:
        memcpy(&parts->recv_half, head, sizeof parts->recv_half);
        parts->has_recv_half = true;
        return CORE_OK;
    case SPOOL_ARGS:
        return gather_args(parts, (const void *)head);
    case SPOOL_REPEAT:
        parts->calls = ((const struct spool_repeat *)(const void *)head)->calls;
        return CORE_OK;
    case SPOOL_TEXT: {
        uint32_t bytes = 4u + head->a;
        status = CORE_ARRAY_ROOM_ZERO(parts->text, parts->text_room,
                                      (uint64_t)parts->text_bytes + bytes, "the trace");
        if (status != CORE_OK)
            return status;
        char *at = parts->text + parts->text_bytes;
        memcpy(at, &head->b, 2);
        memcpy(at + 2, &head->a, 2);
        memcpy(at + 4, spool_tail(head, sizeof(struct spool_text)), head->a);
        parts->text_bytes += bytes;
        return CORE_OK;
    }
    case SPOOL_MISUSE:
    case SPOOL_MEMORY:
        status =
            CORE_ARRAY_ROOM_ZERO(parts->misuse, parts->misuse_room,
                                 (uint64_t)parts->misuse_bytes + head->words * 8u, "the trace");
        if (status != CORE_OK)
            return status;
        CORE_CHECK(parts->misuse_bytes % 8 == 0); /* whole records, read in place */
        memcpy(parts->misuse + parts->misuse_bytes, head, head->words * 8u);
        parts->misuse_bytes += head->words * 8u;
        return CORE_OK;
    case SPOOL_STACK:
        status = CORE_ARRAY_ROOM_ZERO(parts->frame, parts->frame_room, head->a, "the trace");
        if (status == CORE_OK && head->a) {
            memcpy(parts->frame, spool_tail(head, sizeof(struct spool_stack)),
                   head->a * sizeof *parts->frame);
            parts->frame_count = head->a;
        }
        return status;
    default:
        return CORE_OK;
    }
}

static int64_t event_id(const struct store_rank *rank, uint64_t seq)
{
    return (int64_t)rank->rank << STORE_SEQ_BITS | (int64_t)(seq & ((1ull << STORE_SEQ_BITS) - 1));
}

static enum core_status put_digest(struct store *store, const struct store_rank *rank,
                                   const struct spool_digest *record)
{
    int64_t row[5] = {event_id(rank, record->seq), record->head.a, record->head.b,
                      (int64_t)record->digest, (int64_t)record->bytes};

    if (row[3] == STORE_NULL) /* would mean "no value" */
        return store_put(&store->sql, STORE_DIGEST, "iiiii", row[0], row[1], row[2], row[3] + 1,
                         row[4]);
    return store_put_integers(&store->sql, STORE_DIGEST, row, 5);
}

static enum core_status put_payload(struct store *store, const struct store_rank *rank,
                                    const struct spool_payload *record)
{
    return store_put(&store->sql, STORE_PAYLOAD, "iiiib", event_id(rank, record->seq),
                     (int64_t)record->head.a, (int64_t)record->head.b, (int64_t)record->offset,
                     spool_tail(record, sizeof *record), (size_t)record->count);
}

/* Gives the lane a new thread number. Threads that start and end all the time share the last
 * numbers, with long intervals. */
static void take_over(struct store_rank *rank, struct store_lane *lane)
{
    if (rank->thread_next >= STORE_THREADS_MAX)
        rank->thread_next = rank->lane_count;
    lane->number = rank->thread_next++;
    CORE_CHECK(rank->thread_next > lane->number);
    if (rank->thread_next > rank->thread_count)
        rank->thread_count = rank->thread_next;
}

enum core_status store_lane_next(struct store *store, struct store_rank *rank,
                                 struct store_lane *lane)
{
    const struct spool_head *head;
    enum core_status status = CORE_OK;

    CORE_CHECK(!lane->at_end);
    CORE_CHECK(!lane->parts || lane->parts->seq == lane->event.seq); /* invariant 2 */
    if (lane->parts)
        store_lane_forget(lane, lane->parts);
    lane->parts = NULL;
    while (status == CORE_OK && (head = spool_reader_next(&lane->reader))) {
        switch (head->kind) {
        case SPOOL_EVENT:
            memcpy(&lane->event, head, sizeof lane->event);
            lane->parts = lane->gather[lane->newest].seq == lane->event.seq
                              ? &lane->gather[lane->newest]
                              : store_lane_parts(lane, lane->event.seq);
            if (!lane->event.seq || lane->event.seq >> STORE_SEQ_BITS) {
                store_note(store, "rank %" PRId32 ": a call without a number was left out",
                           rank->rank);
                lane->parts = NULL;
                continue;
            }
            return CORE_OK;
        case SPOOL_DIGEST:
            status = put_digest(store, rank, (const void *)head);
            break;
        case SPOOL_PAYLOAD:
            status = put_payload(store, rank, (const void *)head);
            break;
        case SPOOL_LOST:
            rank->lost_records += ((const struct spool_lost *)(const void *)head)->count;
            break;
        case SPOOL_CLOCK:
        case SPOOL_BASE: /* for the launcher */
            break;
        case SPOOL_THREAD:
            take_over(rank, lane);
            break;
        case SPOOL_TEXT:
            if (head->b == UINT16_MAX) {
                store_note(store, "rank %" PRId32 ": %.*s", rank->rank, (int)head->a,
                           (const char *)spool_tail(head, sizeof(struct spool_text)));
                break;
            }
            /* fall through */
        case SPOOL_LIST:
        case SPOOL_DONE:
        case SPOOL_RECV_HALF:
        case SPOOL_ARGS:
        case SPOOL_REPEAT:
        case SPOOL_MISUSE:
        case SPOOL_MEMORY:
        case SPOOL_STACK: { /* seq is at the same offset in all */
            uint64_t seq = ((const struct spool_args *)(const void *)head)->seq;
            if (seq)
                status = gather_part(parts_of(store, rank, lane, seq), head);
            break;
        }
        default:
            status = store_define(store, rank, head);
        }
    }
    lane->at_end = true;
    return status;
}

void store_lane_close(struct store_lane *lane)
{
    for (uint32_t i = 0; i < STORE_GATHERS_MAX; i++) {
        struct store_gather *parts = &lane->gather[i];
        for (uint32_t k = 0; k < STORE_LISTS_MAX; k++)
            free(parts->list[k].value);
        free(parts->done);
        free(parts->arg);
        free(parts->text);
        free(parts->frame);
        free(parts->misuse);
    }
    if (lane->open)
        spool_reader_close(&lane->reader);
}
