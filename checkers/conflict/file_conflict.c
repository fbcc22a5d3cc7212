/* Finds two accesses to the same bytes of a file, one of which writes, whose result MPI leaves
 * undefined (MPI 4.0, 14.6.1). Either nothing orders them; or only collective calls on the file
 * order them, which need not make ranks wait; or they are ordered in nonatomic mode, but the writer
 * does not call MPI_File_sync before, or the other rank after, what orders them (a note if the
 * other one writes too). Opening and closing a file synchronise like MPI_File_sync and are assumed
 * to order the ranks of the file.
 *
 * An access is a range of the data that its view shows; the tiles of the filetype map it to the
 * file. A sweep goes over all accesses of a file by offset. It asks each access for its next piece
 * only when it gets there, so it holds only what covers the present offset.
 *
 * The other accesses through the shared pointer bound where such an access lies (pointer.h).
 *
 * To blame no rank wrongly it leaves out positions that the trace does not show (append, the end of
 * the file, after short reads), views in other representations than native, types without a
 * recorded map, and bytes that were not moved. */
#include "checkers/conflict/file_conflict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/conflict/offset.h"
#include "checkers/conflict/opens.h"
#include "checkers/conflict/order.h"
#include "checkers/conflict/pointer.h"
#include "checkers/finding_dedup.h"
#include "core/array.h"
#include "core/check.h"
#include "core/spool/spool.h"
#include "core/trace/request.h"
#include "core/trace/trace_payload.h"

enum { FINDINGS_MAX = 16, COMPARED_MAX = 20000000, FILES_MAX = 4096 };

struct shape {       /* a datatype used as filetype */
    int64_t *before; /* bytes of data before each segment */
    bool known, fits;
};
struct handle {             /* a rank's side of a file */
    int64_t disp, unit, at; /* the view; `at`: the individual pointer in etypes, -1 unknown */
    int32_t filetype;
    bool open, shown, atomic; /* shown: the check can follow the view */
    uint32_t opening, begun;  /* begun: access + 1 of the split collective */
    uint32_t epoch, turn;     /* for the shared pointer (pointer.h) */
    int64_t from;
    uint64_t *sync; /* seq of each call that synchronises */
    uint32_t sync_count, sync_room;
};
struct access {
    uint64_t seq, end;          /* the call, and the call that completed it; UINT64_MAX: none */
    int64_t first, bytes, disp; /* in bytes of the data that the view shows */
    int32_t file, filetype, site, call;
    uint32_t rank, opening;
    bool writes, atomic, pointed; /* pointed: uses the individual pointer */
    bool shared;                  /* uses the shared pointer */
    bool loose;                   /* it may begin at several places; `first` is the first of them */
    bool cut;                     /* it moved fewer bytes than it asked for */
};
struct cursor { /* the next piece of an access */
    int64_t low, high, tile, left;
    uint32_t access, segment;
};
struct owner { /* pieces of one handle that cover the present offset, in the order of its calls */
    struct cursor *piece;
    uint32_t count, room, rank;
    int32_t file;
    int64_t until; /* the earliest end of them */
};
struct live {
    struct owner *owner; /* handles with such pieces */
    uint32_t count, room;
};
enum verdict { APART, UNSYNCED, CALLED, TOGETHER };
enum contents { CONTENTS_UNKNOWN, CONTENTS_EQUAL, CONTENTS_DIFFER }; /* compares two writes */
struct said {
    int32_t site[2], call[2];
    enum verdict verdict;
    enum contents contents;
    uint32_t finding, more;
};
struct conflict {
    const struct check_input *input;
    struct finding_list *list;
    struct trace *trace;
    struct handle *handle; /* file * ranks + rank */
    struct shape *shape;   /* by datatype */
    struct access *access;
    struct pointer_access *pointer;
    struct requests requests;     /* of the rank that is read now; own[0]: access + 1 */
    struct order *order, *called; /* called: also counts the collective calls on files */
    struct said said[FINDINGS_MAX];
    struct opens opens;
    struct trace_event *deleting; /* calls that delete files */
    uint32_t deleting_count, deleting_room;
    uint32_t pointer_count, pointer_room;
    uint32_t handle_room, access_count, access_room, said_count;
    uint64_t compared;
    bool locks, deferred; /* deferred: some accesses outlast their calls */
    enum core_status status;
};

#define ACCESSES "accesses to files" /* out of memory for ... */

/* Keeps the first failure; tells whether there was none so far. */
static bool file_conflict_good(struct conflict *c, enum core_status status)
{
    if (status != CORE_OK && c->status == CORE_OK)
        c->status = status;
    return status == CORE_OK;
}

static struct handle *handle_of(struct conflict *c, int32_t file, uint32_t rank)
{
    uint32_t ranks = c->trace->rank_count;

    if (file < 0 || file > FILES_MAX)
        return NULL;
    if (!file_conflict_good(c, CORE_ARRAY_ROOM_ZERO(c->handle, c->handle_room,
                                                    ((uint64_t)file + 1) * ranks, ACCESSES)))
        return NULL;
    CORE_CHECK(rank < ranks);
    CORE_CHECK((size_t)file * ranks + rank < c->handle_room);
    return &c->handle[(size_t)file * ranks + rank];
}

static const struct trace_datatype *type_of(const struct conflict *c, int64_t type)
{
    return type >= 0 && type < c->trace->datatype_count ? &c->trace->datatype[type] : NULL;
}

static int64_t segment_bytes(const struct conflict *c, const struct spool_segment *segment)
{
    CORE_CHECK(segment->basic < c->trace->datatype_count); /* trace.c invariant 1 */
    return (int64_t)segment->count * c->trace->datatype[segment->basic].size;
}

/* Returns the shape of the type; NULL unless its repetitions put the pieces in ascending order. */
static const struct shape *shape_of(struct conflict *c, int64_t filetype)
{
    const struct trace_datatype *type = type_of(c, filetype);
    int64_t bytes = 0, end = INT64_MIN;

    if (!type || !type->segment || !type->segment_count || type->size <= 0)
        return NULL;
    struct shape *shape = &c->shape[filetype];
    if (shape->known)
        return shape->fits ? shape : NULL;
    shape->known = true;
    if (!file_conflict_good(c, CORE_ARRAY_NEW(shape->before, type->segment_count, ACCESSES)))
        return NULL;
    for (uint32_t i = 0; i < type->segment_count; i++) {
        const struct spool_segment *segment = &type->segment[i];
        const struct trace_datatype *basic = type_of(c, segment->basic);
        if (!basic || basic->size != basic->extent || segment->displacement < end)
            return NULL;
        shape->before[i] = bytes;
        end = segment->displacement + segment_bytes(c, segment);
        bytes += segment_bytes(c, segment);
    }
    shape->fits = bytes == type->size && end - type->segment[0].displacement <= type->extent;
    return shape->fits ? shape : NULL;
}

/* Sets the cursor to the piece with data byte `at` of a view; `left` bytes from there are accessed.
 */
static void cursor_at(const struct conflict *c, struct cursor *cursor, int64_t at, int64_t left)
{
    const struct access *access = &c->access[cursor->access];

    if (access->filetype < 0) {
        cursor->low = access->disp + at;
        cursor->high = cursor->low + left;
        return;
    }
    const struct trace_datatype *type = &c->trace->datatype[access->filetype];
    CORE_CHECK(c->shape[access->filetype].fits); /* moves() ensured it */
    CORE_CHECK(at >= 0);
    CORE_CHECK(left > 0); /* sweep() ensured it */
    const int64_t *before = c->shape[access->filetype].before;
    uint32_t low = 0, high = type->segment_count;

    cursor->tile = at / type->size;
    at %= type->size;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (before[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    CORE_CHECK(before[low] <= at);
    CORE_CHECK(low + 1 == type->segment_count || at < before[low + 1]);
    int64_t bytes = segment_bytes(c, &type->segment[low]) - (at - before[low]);
    cursor->segment = low;
    if (type->segment_count == 1 && type->size == type->extent)
        bytes = left; /* no holes */
    bytes = bytes < left ? bytes : left;
    cursor->low = access->disp + cursor->tile * type->extent + type->segment[low].displacement +
                  (at - before[low]);
    cursor->high = cursor->low + bytes;
    cursor->left = left - bytes;
}

static void cursor_next(const struct conflict *c, struct cursor *cursor)
{
    const struct access *access = &c->access[cursor->access];
    const struct trace_datatype *type = &c->trace->datatype[access->filetype];

    if (++cursor->segment == type->segment_count) {
        cursor->segment = 0;
        cursor->tile++;
    }
    CORE_CHECK(cursor->left > 0);
    CORE_CHECK(cursor->segment < type->segment_count);
    int64_t bytes = segment_bytes(c, &type->segment[cursor->segment]);
    bytes = bytes < cursor->left ? bytes : cursor->left;
    cursor->low =
        access->disp + cursor->tile * type->extent + type->segment[cursor->segment].displacement;
    cursor->high = cursor->low + bytes;
    cursor->left -= bytes;
}

/* --- what each rank does ---------------------------------------------------------------------- */

static void file_conflict_synchronised(struct conflict *c, struct handle *handle, uint64_t seq)
{
    if (file_conflict_good(c, CORE_ARRAY_ROOM(handle->sync, handle->sync_room,
                                              (uint64_t)handle->sync_count + 1, ACCESSES)))
        handle->sync[handle->sync_count++] = seq;
}

static void pointer_set(struct handle *handle, int64_t from)
{
    handle->from = from;
    handle->epoch++;
    handle->turn = 0;
}

static void file_conflict_opened(struct conflict *c, const struct trace_event *event,
                                 struct handle *handle)
{
    if (!file_conflict_good(c, opens_add(&c->opens, c->trace, event)))
        return;
    handle->open = true;
    handle->opening = c->opens.count - 1;
    handle->filetype = -1; /* a file shows all bytes until a view is set */
    handle->disp = 0;
    handle->unit = 1;
    handle->shown = true;
    handle->atomic = false;
    handle->begun = 0;
    handle->at = trace_arg_value(c->trace, event, "amode", 0) & EVENT_AMODE_APPEND ? -1 : 0;
    pointer_set(handle, handle->at);
    file_conflict_synchronised(c, handle, event->seq);
}

static void file_conflict_viewed(struct conflict *c, const struct trace_event *event,
                                 struct handle *handle)
{
    const struct trace_datatype *etype = type_of(c, event->datatype);
    char representation[512];

    handle->disp = trace_arg_value(c->trace, event, "disp", -1);
    handle->unit = etype ? etype->size : 0;
    handle->filetype = (int32_t)trace_arg_value(c->trace, event, "filetype", -1);
    handle->at = 0;
    pointer_set(handle, 0);
    handle->shown = trace_arg_text(c->trace, event, representation, sizeof representation) &&
                    strcmp(representation, "native") == 0 && handle->disp >= 0 &&
                    handle->unit > 0 && handle->filetype >= 0 && shape_of(c, handle->filetype);
}

static void file_conflict_moved(struct conflict *c, uint32_t index,
                                const struct trace_completion *completion, uint64_t seq)
{
    struct access *access = &c->access[index];

    CORE_CHECK(index < c->access_count);
    access->end = seq;
    access->cut = completion && (completion->error || completion->bytes < (uint64_t)access->bytes);
    if (!completion || (completion->error == 0 && completion->bytes >= (uint64_t)access->bytes))
        return;
    struct handle *handle = handle_of(c, access->file, access->rank);
    /* a read cut off by the end of the file would have got what another rank writes there */
    if (completion->error || access->writes)
        access->bytes = completion->error ? 0 : (int64_t)completion->bytes;
    CORE_CHECK(access->bytes >= 0); /* fewer than requested */
    if (handle && access->pointed)
        handle->at = -1;
}

static bool is_shared(const struct trace_event *event)
{
    return (event->traits & (TRAIT_BIT(SHARED_POINTER) | TRAIT_BIT(ORDERED))) != 0;
}

/* Returns where the access begins, in etypes; -1: unknown; 0 at the shared pointer, where
 * pointers_place finds it later. Advances the individual pointer. */
static int64_t file_conflict_begin(struct conflict *c, const struct trace_event *event,
                                   struct handle *handle)
{
    int64_t bytes = (int64_t)event->bytes, at = handle->at;

    if (is_shared(event))
        return 0;
    if (trait_in(event->traits, TRAIT_AT_OFFSET))
        return trace_arg_value(c->trace, event, "offset", -1);
    if (at >= 0 && handle->shown)
        handle->at = bytes % handle->unit ? -1 : at + bytes / handle->unit;
    return at;
}

/* Records an access through the shared pointer. access: index + 1; 0: how much it moved is unknown.
 */
static void moves_pointer(struct conflict *c, const struct trace_event *event,
                          struct handle *handle, uint32_t access)
{
    bool ordered = trait_in(event->traits, TRAIT_ORDERED);
    CORE_CHECK(!access || handle->unit > 0);
    int64_t from = !access || handle->from < 0 || handle->from > INT64_MAX / 4 / handle->unit
                       ? -1
                       : handle->from * handle->unit;

    if (file_conflict_good(c, CORE_ARRAY_ROOM(c->pointer, c->pointer_room,
                                              (uint64_t)c->pointer_count + 1, ACCESSES)))
        c->pointer[c->pointer_count++] =
            (struct pointer_access){.file = event->win,
                                    .rank = event->rank,
                                    .epoch = handle->epoch,
                                    .turn = ordered ? ++handle->turn : 0,
                                    .seq = event->seq,
                                    .from = from,
                                    .bytes = (int64_t)event->bytes,
                                    .access = access};
}

static void file_conflict_moves(struct conflict *c, const struct trace_event *event,
                                struct handle *handle)
{
    bool begins = trait_in(event->traits, TRAIT_BEGINS), shared = is_shared(event),
         deferred = trait_in(event->traits, TRAIT_MAKES_REQUEST);
    int64_t bytes = (int64_t)event->bytes;
    struct request *request;

    if (event->error || event->pending ||
        (!deferred && !begins && event->completion_count && event->completion[0].error)) {
        if (shared)
            moves_pointer(c, event, handle, 0);
        else if (!trait_in(event->traits, TRAIT_AT_OFFSET))
            handle->at = -1;
        return;
    }
    int64_t at = file_conflict_begin(c, event, handle);
    if (shared && (!handle->shown || bytes > INT64_MAX / 4))
        moves_pointer(c, event, handle, 0);
    if (at < 0 || bytes <= 0 || !handle->shown || bytes > INT64_MAX / 4 ||
        at > INT64_MAX / 4 / handle->unit)
        return;
    if (!file_conflict_good(
            c, CORE_ARRAY_ROOM(c->access, c->access_room, (uint64_t)c->access_count + 1, ACCESSES)))
        return;
    uint32_t index = c->access_count++;
    c->access[index] =
        (struct access){.seq = event->seq,
                        .end = UINT64_MAX,
                        .first = at * handle->unit,
                        .bytes = bytes,
                        .disp = handle->disp,
                        .file = event->win,
                        .filetype = handle->filetype,
                        .site = event->site,
                        .call = event->call,
                        .rank = event->rank,
                        .opening = handle->opening,
                        .writes = event->verb == VERB_WRITE,
                        .atomic = handle->atomic,
                        .pointed = !shared && !trait_in(event->traits, TRAIT_AT_OFFSET),
                        .shared = shared};
    c->deferred |= begins || deferred;
    if (shared)
        moves_pointer(c, event, handle, index + 1);
    if (begins)
        handle->begun = index + 1;
    else if (!deferred)
        file_conflict_moved(c, index, event->completion_count ? &event->completion[0] : NULL,
                            event->seq);
    else if ((request = requests_find(&c->requests, event->request)))
        request->own[0] = index + 1;
}

static enum core_status file_conflict_completed(enum request_step step,
                                                const struct trace_event *event,
                                                struct request *request,
                                                const struct trace_completion *done, void *context)
{
    CORE_CHECK(request->own[0] <= ((struct conflict *)context)->access_count);
    if (step == REQUEST_DONE && request->own[0])
        file_conflict_moved(context, request->own[0] - 1, done, event->seq);
    return CORE_OK;
}

static void file_conflict_sought(struct conflict *c, const struct trace_event *event,
                                 struct handle *handle)
{
    int64_t to = trace_arg_value(c->trace, event, "offset", -1),
            whence = trace_arg_value(c->trace, event, "whence", -1);

    if (is_shared(event)) {
        pointer_set(handle, whence == EVENT_SEEK_SET && !event->error ? to : -1);
        return;
    }
    handle->at = whence == EVENT_SEEK_SET                      ? to
                 : whence == EVENT_SEEK_CUR && handle->at >= 0 ? handle->at + to
                                                               : -1;
}

static void file_conflict_accessed(struct conflict *c, const struct trace_event *event,
                                   struct handle *handle)
{
    if (!trait_in(event->traits, TRAIT_ENDS)) {
        file_conflict_moves(c, event, handle);
        return;
    }
    CORE_CHECK(handle->begun <= c->access_count);
    if (handle->begun)
        file_conflict_moved(c, handle->begun - 1,
                            event->completion_count ? &event->completion[0] : NULL, event->seq);
    handle->begun = 0;
}

static void on_file(struct conflict *c, const struct trace_event *event)
{
    struct handle *handle = handle_of(c, event->win, event->rank);

    if (!handle)
        return;
    if (event->verb == VERB_OPEN_FILE) {
        if (!event->error && !event->pending)
            file_conflict_opened(c, event, handle);
        return;
    }
    if (!handle->open)
        return;
    switch (event->verb) {
    case VERB_SYNC_FILE:
    case VERB_CLOSE_FILE:
        if (!event->error && !event->pending)
            file_conflict_synchronised(c, handle, event->seq);
        if (event->verb == VERB_CLOSE_FILE)
            opens_closing(&c->opens, handle->opening, event);
        return;
    case VERB_SET_VIEW:
        file_conflict_viewed(c, event, handle);
        return;
    case VERB_SET_ATOMICITY:
        handle->atomic = trace_arg_value(c->trace, event, "flag", 0) != 0;
        return;
    case VERB_SEEK:
        file_conflict_sought(c, event, handle);
        return;
    case VERB_GET_POSITION:
        if (is_shared(event))
            return; /* other ranks may move it at the same time */
        handle->at = trace_arg_value(c->trace, event, "offset", -1);
        return;
    case VERB_READ:
    case VERB_WRITE:
        file_conflict_accessed(c, event, handle);
        return;
    default:
        return;
    }
}

static enum core_status read_rank(struct conflict *c, uint32_t rank)
{
    struct trace_cursor *cursor;
    struct trace_event event;
    bool more = true;
    enum core_status status = trace_cursor_open(c->trace, rank, &cursor);

    if (status != CORE_OK)
        return status;
    requests_clear(&c->requests);
    while (c->status == CORE_OK && (status = trace_cursor_next(cursor, &event, &more)) == CORE_OK &&
           more) {
        if (event.parent)
            continue;
        status = requests_follow(&c->requests, &event, file_conflict_completed, c);
        if (status != CORE_OK)
            break;
        if (trait_in(event.traits, TRAIT_FILE) && event.win >= 0)
            on_file(c, &event);
        else if (event.verb == VERB_DELETE_FILE)
            file_conflict_good(c, CORE_ARRAY_PUSH(c->deleting, c->deleting_count, c->deleting_room,
                                                  ACCESSES, event));
    }
    trace_cursor_close(cursor);
    return status == CORE_OK ? c->status : status;
}

/* Makes the pointer's positions around a short access unknown: it may be elsewhere than counted. */
static void cut_forget(struct conflict *c)
{
    for (uint32_t i = 0; i < c->pointer_count; i++) {
        CORE_CHECK(c->pointer[i].access <= c->access_count);
        if (c->pointer[i].access && c->access[c->pointer[i].access - 1].cut)
            c->pointer[i].from = -1; /* so its neighbours disagree with it */
    }
}

/* Places the accesses. One with several possible places covers all from the first to the last; if
 * these leave gaps, it counts at the first. */
static void pointers_place(struct conflict *c)
{
    cut_forget(c);
    pointer_place(c->pointer, c->pointer_count, c->order);
    for (uint32_t i = 0; i < c->pointer_count; i++) {
        const struct pointer_access *pointer = &c->pointer[i];
        struct access *access = pointer->access ? &c->access[pointer->access - 1] : NULL;

        if (!access)
            continue;
        access->loose = pointer->low != pointer->high;
        access->first = pointer->low < 0 ? 0 : pointer->low;
        access->bytes = pointer->low < 0 ? 0
                        : pointer->gaps  ? access->bytes
                                         : access->bytes + (pointer->high - pointer->low);
        CORE_CHECK(access->bytes >= 0);
    }
}

/* --- which of them conflict ------------------------------------------------------------------- */

/* Returns the accessed file, as the index of the opening that represents it. */
static uint32_t file_of(const struct conflict *c, const struct access *access)
{
    CORE_CHECK(access->opening < c->opens.count);
    return c->opens.opening[access->opening].one;
}

static bool file_conflict_before(const struct order *order, const struct access *a,
                                 const struct access *b)
{
    return a->end != UINT64_MAX && order_before(order, a->rank, a->end, b->rank, b->seq);
}

/* Returns the first call that synchronises after the access (`behind`), or the last before it; 0:
 * none. */
static uint64_t sync_near(struct conflict *c, const struct access *access, bool behind)
{
    const struct handle *handle = handle_of(c, access->file, access->rank);
    uint64_t seq = behind ? access->end : access->seq;

    uint32_t low = CORE_ARRAY_FIND(at, 0, handle->sync_count, handle->sync[at] <= seq);
    CORE_CHECK(low == 0 || handle->sync[low - 1] <= seq);
    return behind ? low < handle->sync_count ? handle->sync[low] : 0
           : low  ? handle->sync[low - 1]
                  : 0;
}

static bool file_conflict_synced(struct conflict *c, const struct access *a, const struct access *b)
{
    uint64_t from = sync_near(c, a, true), to = sync_near(c, b, false);
    return from && to &&
           order_within(c->order, a->rank, from, b->rank, to); /* an opening orders the two */
}

/* Tells whether a is over before b in every way that MPI requires. If so, all earlier accesses of
 * a's handle are too. */
static bool file_conflict_safe(struct conflict *c, const struct access *a, const struct access *b)
{
    /* a completed read cannot change any more */
    return file_conflict_before(c->order, a, b) && (!a->writes || file_conflict_synced(c, a, b));
}

/* Judges two accesses. Swaps *first and *second if they happened in the other order. */
static enum verdict file_conflict_judge(struct conflict *c, const struct access **first,
                                        const struct access **second)
{
    const struct access *a = *first, *b = *second;

    if (!file_conflict_before(c->order, a, b)) {
        if (file_conflict_before(c->order, b, a)) {
            *first = b;
            *second = a;
        } else {
            if (!c->called && (c->status = order_new(c->trace, ORDER_FILES, &c->called)) != CORE_OK)
                return APART;
            if (file_conflict_before(c->called, a, b))
                return CALLED;
            if (!file_conflict_before(c->called, b, a))
                return TOGETHER;
            *first = b;
            *second = a;
            return CALLED;
        }
    }
    return file_conflict_safe(c, *first, *second) ? APART : UNSYNCED;
}

/* Adds a fact that names the missing MPI_File_sync. */
static void say_missing(struct conflict *c, struct finding *finding, const struct access *a,
                        const struct access *b)
{
    uint64_t from = sync_near(c, a, true), to = sync_near(c, b, false);
    bool writer = from && order_before(c->order, a->rank, from, b->rank, b->seq),
         reader = to && order_within(c->order, a->rank, a->end, b->rank, to);

    if (writer && reader)
        finding_fact(finding,
                     "both call MPI_File_sync in between, but nothing orders the two calls");
    else if (writer || reader)
        finding_fact(
            finding, "missing: MPI_File_sync of rank %" PRIu32 " %s", writer ? b->rank : a->rank,
            writer ? "before its access" : "after its access, before the calls that order the two");
    else
        finding_fact(finding,
                     "missing: MPI_File_sync of rank %" PRIu32
                     " after its access and of rank %" PRIu32
                     " before its own, with calls in between that order the two",
                     a->rank, b->rank);
    finding_fact(finding, b->writes
                              ? "in nonatomic mode either may remain on file systems that do not "
                                "keep the order of writes"
                              : "in nonatomic mode the reader may otherwise find the old contents");
}

static enum contents contents_of(struct conflict *c, const struct access *a, const struct access *b)
{
    uint64_t digest[2], bytes[2];

    if (trace_digest_get(c->trace, a->rank, a->seq, SPOOL_AT_POST, SPOOL_BUFFER_SEND, &digest[0],
                         &bytes[0]) != CORE_OK ||
        trace_digest_get(c->trace, b->rank, b->seq, SPOOL_AT_POST, SPOOL_BUFFER_SEND, &digest[1],
                         &bytes[1]) != CORE_OK ||
        a->first != b->first || a->disp != b->disp || a->filetype != b->filetype ||
        bytes[0] != bytes[1] || a->loose || b->loose)
        return CONTENTS_UNKNOWN;
    return digest[0] == digest[1] ? CONTENTS_EQUAL : CONTENTS_DIFFER;
}

static enum finding_severity severity_of(struct conflict *c, enum verdict verdict,
                                         const struct access *a, const struct access *b,
                                         enum contents contents)
{
    bool unsure = c->locks || c->input->notes->threads,
         nobody_reads =
             verdict == UNSYNCED && b->writes; /* libraries such as HDF5 accept that case */

    if (unsure || nobody_reads || contents == CONTENTS_EQUAL)
        return FINDING_NOTE;
    return verdict != TOGETHER || a->loose || b->loose ||
                   (a->writes && b->writes && contents == CONTENTS_UNKNOWN)
               ? FINDING_WARNING
               : FINDING_ERROR;
}

static void say_pointer(struct finding *finding, const struct access *access)
{
    if (access->loose)
        finding_fact(finding,
                     "rank %" PRIu32 " accesses them at the shared pointer, which others move as "
                     "well: in some order it points here",
                     access->rank);
    else
        finding_fact(finding, "rank %" PRIu32 " accesses them at the shared pointer", access->rank);
}

static void file_conflict_say(struct conflict *c, enum verdict verdict, const struct access *a,
                              const struct access *b, int64_t low, int64_t high)
{
    CORE_CHECK(verdict != APART);
    CORE_CHECK(a->writes || b->writes);
    enum contents contents = a->writes && b->writes ? contents_of(c, a, b) : CONTENTS_UNKNOWN;
    const char *does[2] = {a->writes ? "writes" : "reads", b->writes ? "writes" : "reads"};

    for (uint32_t i = 0; i < c->said_count; i++) {
        struct said *said = &c->said[i];
        bool same = said->site[0] == a->site && said->site[1] == b->site &&
                    said->call[0] == a->call && said->call[1] == b->call;
        bool other = said->site[0] == b->site && said->site[1] == a->site &&
                     said->call[0] == b->call && said->call[1] == a->call;
        if (said->verdict == verdict && said->contents == contents &&
            (same || (other && verdict == TOGETHER))) {
            said->more++;
            return;
        }
    }
    if (c->said_count == FINDINGS_MAX)
        return;
    struct finding *finding =
        finding_list_add(c->list, RULE_FILE, severity_of(c, verdict, a, b, contents));
    if (!finding) {
        c->status = CORE_NO_MEMORY;
        return;
    }
    finding->effect = FINDING_EFFECT_MEETS;
    c->said[c->said_count++] = (struct said){{a->site, b->site}, {a->call, b->call}, verdict,
                                             contents,           c->list->count - 1, 0};
    for (int side = 0; side < 2; side++) {
        const struct access *access = side ? b : a;
        finding_core_add(finding, c->trace, access->rank, access->seq);
    }
    if (verdict == TOGETHER)
        finding_title(finding,
                      "conflicting accesses to bytes %" PRId64 " to %" PRId64
                      " of a file: rank %" PRIu32 " %s them, rank %" PRIu32
                      " %s them, and no synchronisation orders the two",
                      low, high - 1, a->rank, does[0], b->rank, does[1]);
    else
        finding_title(
            finding,
            "bytes %" PRId64 " to %" PRId64 " of a file: rank %" PRIu32 " %s them and rank %" PRIu32
            " %s them later, with%s",
            low, high - 1, a->rank, does[0], b->rank, does[1],
            verdict == CALLED
                ? " only collective calls on the file in between, which need not make ranks wait"
                : "out MPI_File_sync, barrier, MPI_File_sync in between");
    finding_fact(finding, "the file is '%s'", c->opens.opening[a->opening].name);
    if (a->shared || b->shared)
        say_pointer(finding, a->shared ? a : b);
    if (a->writes && b->writes)
        finding_fact(finding, "%s",
                     contents == CONTENTS_EQUAL
                         ? "both write the same contents, so the order does not matter"
                     : contents == CONTENTS_DIFFER
                         ? "they write different contents"
                         : "crosswait did not record whether both write the same (--payload)");
    const char *other = c->opens.opening[b->opening].name;
    if (a->file != b->file && strcmp(c->opens.opening[a->opening].name, other) != 0)
        finding_fact(finding, "it was opened twice, once as '%s'", other);
    else if (a->file != b->file)
        finding_fact(finding, "it was opened twice");
    if (verdict == UNSYNCED)
        say_missing(c, finding, a, b);
    else if (verdict == CALLED)
        finding_fact(finding, a->writes
                                  ? "a safe order is MPI_File_sync, MPI_Barrier, MPI_File_sync"
                                  : "an MPI_Barrier between them is safe");
    offset_explain(c->trace, finding, &(struct offset_access){a->rank, a->seq, a->first},
                   &(struct offset_access){b->rank, b->seq, b->first});
    if (c->locks)
        finding_fact(finding, "the program also uses locks of windows, which may order them");
}

static void file_conflict_compare(struct conflict *c, const struct cursor *x,
                                  const struct cursor *y)
{
    const struct access *a = &c->access[x->access], *b = &c->access[y->access];

    if (a == b || (a->file == b->file && a->atomic && b->atomic))
        return;
    if (a->file == b->file && a->shared && b->shared) /* each moves the pointer on */
        return;
    if (a->rank > b->rank ||
        (a->rank == b->rank && a->seq > b->seq)) { /* order by rank, then by call */
        const struct access *swap = a;
        a = b;
        b = swap;
    }
    bool one = a->file == b->file && a->rank == b->rank; /* in order but for deferred accesses */
    enum verdict verdict = !one              ? file_conflict_judge(c, &a, &b)
                           : a->end > b->seq ? TOGETHER
                                             : APART;
    if ((a->loose || b->loose) && verdict != TOGETHER)
        return; /* another access may have been at this place */
    if (verdict != APART && c->status == CORE_OK)
        file_conflict_say(c, verdict, a, b, x->low > y->low ? x->low : y->low,
                          x->high < y->high ? x->high : y->high);
}

/* Returns the first of the owner's pieces from `low` on that is not safe before the access
 * (`behind`: the first that the access is safe before). */
static uint32_t file_conflict_boundary(struct conflict *c, const struct owner *owner, uint32_t low,
                                       const struct access *access, bool behind)
{
    return CORE_ARRAY_FIND(
        at, low, owner->count,
        behind ? !file_conflict_safe(c, access, &c->access[owner->piece[at].access])
               : file_conflict_safe(c, &c->access[owner->piece[at].access], access));
}

static void file_conflict_expire(struct owner *owner, int64_t low)
{
    uint32_t kept = 0;

    if (owner->until > low)
        return;
    owner->until = INT64_MAX;
    for (uint32_t i = 0; i < owner->count; i++)
        if (owner->piece[i].high > low) {
            owner->until =
                owner->piece[i].high < owner->until ? owner->piece[i].high : owner->until;
            owner->piece[kept++] = owner->piece[i];
        }
    CORE_CHECK(owner->until >= low); /* the remaining pieces end later */
    owner->count = kept;
}

/* Compares the piece with all pieces that cover its start. The unsafe pieces of another handle are
 * contiguous in the order of its calls, so only they are compared. */
static void file_conflict_meet(struct conflict *c, struct live *live, const struct cursor *piece)
{
    const struct access *access = &c->access[piece->access];

    for (uint32_t i = 0; i < live->count;) {
        struct owner *owner = &live->owner[i];
        file_conflict_expire(owner, piece->low);
        if (!owner->count) {
            free(owner->piece);
            *owner = live->owner[--live->count];
            continue;
        }
        i++;
        c->compared++;
        bool own = owner->file == access->file && owner->rank == access->rank;
        if (own && !c->deferred)
            continue;
        uint32_t first = own ? 0 : file_conflict_boundary(c, owner, 0, access, false),
                 end = own ? owner->count : file_conflict_boundary(c, owner, first, access, true);
        for (; first < end && c->compared < COMPARED_MAX && c->status == CORE_OK;
             first++, c->compared++)
            file_conflict_compare(c, &owner->piece[first], piece);
    }
}

static void file_conflict_enter(struct conflict *c, struct live *live, const struct cursor *piece)
{
    const struct access *access = &c->access[piece->access];
    uint32_t i = 0, at;

    while (i < live->count &&
           (live->owner[i].file != access->file || live->owner[i].rank != access->rank))
        i++;
    if (i == live->count) {
        if (!file_conflict_good(
                c, CORE_ARRAY_ROOM(live->owner, live->room, (uint64_t)live->count + 1, ACCESSES)))
            return;
        live->owner[live->count++] =
            (struct owner){.rank = access->rank, .file = access->file, .until = INT64_MAX};
    }
    struct owner *owner = &live->owner[i];
    if (!file_conflict_good(
            c, CORE_ARRAY_ROOM(owner->piece, owner->room, (uint64_t)owner->count + 1, ACCESSES)))
        return;
    for (at = owner->count++; at && owner->piece[at - 1].access > piece->access; at--)
        owner->piece[at] = owner->piece[at - 1];
    CORE_CHECK(!at || owner->piece[at - 1].access <= piece->access); /* in call order */
    owner->piece[at] = *piece;
    owner->until = piece->high < owner->until ? piece->high : owner->until;
}

static bool file_conflict_sooner(const struct cursor *a, const struct cursor *b)
{
    return a->low != b->low ? a->low < b->low : a->access < b->access;
}

static void file_conflict_sink(struct cursor *heap, uint32_t count, uint32_t at)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && file_conflict_sooner(&heap[child + 1], &heap[child]))
            child++;
        if (!file_conflict_sooner(&heap[child], &heap[at]))
            return;
        struct cursor swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
    }
}

/* Sweeps over the accesses of one file. */
static void file_conflict_sweep(struct conflict *c, uint32_t file)
{
    struct live live[2] = {{0}, {0}}; /* reads, writes */
    struct cursor *heap = NULL;
    uint32_t count = 0, room = 0;
    const struct access *first = NULL;
    bool writes = false, several = false;

    for (uint32_t i = 0; i < c->access_count; i++) {
        const struct access *access = &c->access[i];
        if (file_of(c, access) != file)
            continue;
        first = first ? first : access;
        several |= access->rank != first->rank || access->file != first->file || c->deferred;
        writes |= access->writes;
    }
    c->compared = 0;
    for (uint32_t i = 0; writes && several && i < c->access_count; i++)
        if (file_of(c, &c->access[i]) == file && c->access[i].bytes > 0 &&
            file_conflict_good(c, CORE_ARRAY_ROOM(heap, room, (uint64_t)count + 1, ACCESSES))) {
            heap[count] = (struct cursor){.access = i};
            cursor_at(c, &heap[count++], c->access[i].first, c->access[i].bytes);
        }
    CORE_CHECK(count <= c->access_count);
    for (uint32_t i = count / 2; i-- > 0;)
        file_conflict_sink(heap, count, i);
    while (count && c->status == CORE_OK && c->compared < COMPARED_MAX) {
        struct cursor piece = heap[0];
        struct live *own = &live[c->access[piece.access].writes];
        c->compared++;
        file_conflict_meet(c, &live[1], &piece);
        if (own == &live[1])
            file_conflict_meet(c, &live[0], &piece);
        file_conflict_enter(c, own, &piece);
        if (heap[0].left)
            cursor_next(c, &heap[0]);
        else
            heap[0] = heap[--count];
        file_conflict_sink(heap, count, 0);
    }
    if (c->compared >= COMPARED_MAX) {
        struct finding *finding = finding_list_reach(c->list, RULE_FILE);
        if (finding)
            finding_title(finding, "file '%s' has too many accesses: not all were compared",
                          c->opens.opening[file].name);
    }
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < live[side].count; i++)
            free(live[side].owner[i].piece);
        free(live[side].owner);
    }
    free(heap);
}

/* Reports files that are deleted while they are open: whether the file is gone then depends on
 * library and system. */
static void file_conflict_deleted(struct conflict *c)
{
    struct finding_dedup dedup = {.input = c->input, .list = c->list, .rule = RULE_FILE};

    for (uint32_t i = 0; i < c->deleting_count && c->status == CORE_OK; i++) {
        const struct trace_event *event = &c->deleting[i];
        const struct opening *open = opens_deleted(&c->opens, c->trace, event);
        bool own = open && open->rank == event->rank;
        struct finding *finding =
            open ? finding_dedup_wrong(&dedup, event, own ? open->seq : 0,
                                       own ? "the file is open" : "another rank has the file open")
                 : NULL;

        if (!finding)
            continue;
        finding->severity = FINDING_WARNING;
        finding_fact(finding, "the file is '%s'", open->name);
        finding_fact(finding, "the MPI library decides whether the file is deleted, and what later "
                              "accesses to it do");
        if (!own)
            finding_core_add(finding, c->trace, open->rank, open->seq);
    }
    finding_dedup_done(&dedup);
    file_conflict_good(c, dedup.status);
}

enum core_status file_conflict_check(const struct check_input *input, struct finding_list *list)
{
    struct conflict c = {.input = input, .list = list, .trace = input->trace};

    requests_init(&c.requests);
    c.status = CORE_ARRAY_NEW(c.shape, input->trace->datatype_count, "filetypes");
    if (c.status != CORE_OK)
        return c.status;
    for (uint32_t i = 0; i < input->trace->call_count; i++)
        c.locks |= input->trace->call[i].verb == VERB_LOCK;
    for (uint32_t rank = 0; rank < input->trace->rank_count && c.status == CORE_OK; rank++)
        c.status = read_rank(&c, rank);
    if (c.status == CORE_OK && c.access_count > 1)
        c.status = order_new(input->trace, ORDER_CALLS, &c.order);
    if (c.order && c.status == CORE_OK)
        pointers_place(&c);
    file_conflict_good(&c, opens_unite(&c.opens, c.trace));
    for (uint32_t i = 0; i < c.opens.count && c.order && c.status == CORE_OK; i++)
        if (c.opens.opening[i].one == i)
            file_conflict_sweep(&c, i);
    file_conflict_deleted(&c);
    for (uint32_t i = 0; i < c.said_count && c.status == CORE_OK; i++)
        if (c.said[i].more)
            finding_fact(&list->finding[c.said[i].finding],
                         "the same calls do this %" PRIu32 " more time%s", c.said[i].more,
                         c.said[i].more > 1 ? "s" : "");
    order_free(c.order);
    order_free(c.called);
    for (size_t i = 0; i < c.handle_room; i++)
        free(c.handle[i].sync);
    for (uint32_t i = 0; i < input->trace->datatype_count; i++)
        free(c.shape[i].before);
    opens_done(&c.opens);
    free(c.deleting);
    free(c.handle);
    free(c.shape);
    free(c.access);
    free(c.pointer);
    requests_done(&c.requests);
    return c.status;
}
