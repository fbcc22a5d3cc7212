/* Turns a whole call into rows. Everything but the call's number, request and times often repeats,
 * so it is looked up by content and written once, as a shape; the same holds for completions and
 * further arguments.
 *
 * Invariants
 *  1. Contents that are hashed have no padding: equal calls give equal bytes.
 *  2. Rows of event_row are written in ascending order, but for a call that returned more than
 *     STORE_WINDOW calls after it was entered, or not at all.
 *  3. Tags relative to the event's tag are not negative, so -1 means any tag. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "store/store_part.h"

enum { SHAPE_COLUMNS = 24 };
#define CALLS_MAX ((uint64_t)1 << 48) /* limit for one event: more means damage */
struct shape {                        /* in the order of the table's columns, without id */
    int64_t call, comm, win, peer, tag, datatype, count, bytes, root, op, site, thread, error,
        parent_back;
    int64_t recv_peer, recv_tag, recv_datatype, recv_count, recv_bytes, completions, many, args,
        near;
};
_Static_assert(sizeof(struct shape) == (SHAPE_COLUMNS - 1) * sizeof(int64_t),
               "a member a column, but for the id; no gaps (invariant 1)");
_Static_assert(sizeof(struct store_done) ==
                   5 * sizeof(int64_t) + 3 * sizeof(int32_t) + 2 * sizeof(int16_t),
               "a set of completions is hashed as it lies there: no gaps (invariant 1)");

static int64_t store_event_known(int32_t value)
{
    return value == EVENT_NONE ? STORE_NULL : value;
}

static int64_t id_or_null(uint32_t id)
{
    return id ? (int64_t)id : STORE_NULL;
}

/* --- sizes ------------------------------------------------------------------------------------ */

static int64_t store_event_times(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) ? STORE_NULL : product;
}

static int64_t type_size(const struct store *store, const struct store_rank *rank, uint32_t local)
{
    uint32_t id = store_map_get(&rank->ids.type, local);

    return id ? store->defs.type[id].size : STORE_NULL;
}

/* Returns the bytes of count elements of the type, or the sum over the lists of counts and types of
 * a v- or w-variant. */
static int64_t bytes_of(const struct store *store, const struct store_rank *rank,
                        const struct store_gather *parts, int32_t count, uint32_t type,
                        uint16_t counts_role, uint16_t types_role)
{
    const struct store_list *counts, *types;
    int64_t size = type_size(store, rank, type), sum = 0;

    if (count != EVENT_NONE) /* a negative count is the program's mistake and is kept */
        return size == STORE_NULL || count < 0 ? STORE_NULL : store_event_times(count, size);
    counts = store_list_find(parts, counts_role);
    types = store_list_find(parts, types_role);
    if (!counts)
        return STORE_NULL;
    for (uint32_t i = 0; i < counts->count; i++) {
        int64_t each =
            types && i < types->count ? type_size(store, rank, (uint32_t)types->value[i]) : size;
        int64_t part = each == STORE_NULL || counts->value[i] < 0
                           ? STORE_NULL
                           : store_event_times(counts->value[i], each);
        if (part == STORE_NULL || __builtin_add_overflow(sum, part, &sum))
            return STORE_NULL;
    }
    return sum;
}

/* --- ranks ------------------------------------------------------------------------------------ */

/* Makes a rank number count from the rank `from`. Returns the bit if it is one. */
static int64_t peer_ahead(int64_t *peer, int32_t from, int64_t bit)
{
    CORE_CHECK(from >= 0);
    if (*peer < 0) /* none, or any */
        return 0;
    *peer -= from;
    return bit;
}

/* --- tags ------------------------------------------------------------------------------------- */

/* Tells whether tags are kept apart from shapes. Shapes contain tags while there are few shapes.
 * Later the call's least tag is stored with its event, and its shape and completions are relative
 * to it; otherwise a program with a new tag per message would need a shape per message. */
static bool tags_apart(const struct store *store)
{
    return (uint64_t)store->shape.next + store->completion_set.next >= STORE_TAGGED_MAX;
}

static void tag_span(int64_t tag, int64_t *least, int64_t *most)
{
    if (tag == STORE_NULL || tag == EVENT_ANY)
        return;
    *least = tag < *least ? tag : *least;
    *most = tag > *most ? tag : *most;
}

/* Returns the least tag of the call, from which its tags count; 0: they are stored as they are. */
static int64_t tag_least(const struct shape *shape, const struct store_gather *parts)
{
    int64_t least = INT64_MAX, most = INT64_MIN;

    tag_span(shape->tag, &least, &most);
    tag_span(shape->recv_tag, &least, &most);
    for (uint32_t i = 0; parts && i < parts->done_count; i++)
        if (parts->done[i].source != EVENT_NONE)
            tag_span(parts->done[i].tag, &least, &most);
    return least <= most && most - least <= INT32_MAX ? least : 0;
}

static int64_t tag_ahead(int64_t tag, int64_t from)
{
    CORE_CHECK(!from || tag == STORE_NULL || tag == EVENT_ANY || tag >= from); /* invariant 3 */
    return tag == STORE_NULL || tag == EVENT_ANY ? tag : tag - from;
}

/* --- completions ------------------------------------------------------------------------------ */

static void done_put(struct store_done *out, const struct spool_done *done, int64_t base,
                     int64_t tag)
{
    memset(out, 0, sizeof *out);
    out->index = done->index;
    out->request_ahead = done->request ? (int64_t)done->request - base : STORE_NULL;
    out->done = 1;
    out->source = store_event_known(done->source);
    out->tag = done->source == EVENT_NONE ? STORE_NULL : tag_ahead(done->tag, tag);
    out->bytes = done->source == EVENT_NONE ? STORE_NULL : (int64_t)(done->bytes & INT64_MAX);
    out->error = done->head.b;
    out->cancelled = done->head.a;
    out->near = STORE_NULL;
    out->members = 1;
}

/* Adds a member of the list that did not complete, to those before it if it follows them. */
static void waiting_put(struct store_done *out, uint32_t *count, uint32_t index, int64_t ahead)
{
    struct store_done *last = *count ? &out[*count - 1] : NULL;

    if (last && !last->done && last->index + last->members == index &&
        last->request_ahead + (int64_t)last->members == ahead) {
        last->members++;
        return;
    }
    CORE_CHECK(!last || last->index < index); /* the list is read in its order */
    out[*count] = (struct store_done){.index = index, .request_ahead = ahead, .members = 1};
    last = &out[(*count)++];
    last->source = last->tag = last->bytes = last->near = STORE_NULL;
}

/* Merges the members of the call's list in order, completed or not. */
static uint32_t completions_merge(const struct store_gather *parts, const struct store_list *list,
                                  int64_t base, int64_t tag, struct store_done *out)
{
    uint32_t count = 0, next = 0;

    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct spool_done *done = NULL;
        if (next < parts->done_count && parts->done[next].index == i) /* the usual case: in order */
            done = &parts->done[next++];
        else
            for (uint32_t k = 0; k < parts->done_count && !done; k++)
                if (parts->done[k].index == i)
                    done = &parts->done[k];
        if (done) {
            struct spool_done copy = *done;
            if (!copy.request)
                copy.request = (uint32_t)list->value[i];
            done_put(&out[count++], &copy, base, tag);
        } else if (list->value[i]) {
            waiting_put(out, &count, i, list->value[i] - base);
        }
    }
    CORE_CHECK(next <= parts->done_count);
    for (uint32_t k = 0; k < parts->done_count; k++)
        if (!list || parts->done[k].index >= list->count)
            done_put(&out[count++], &parts->done[k], base, tag);
    return count;
}

/* Copies completions, with sources that count from the rank. Returns false if none names a rank. */
static bool done_ahead(const struct store_done *done, uint32_t count, int32_t rank,
                       struct store_done *out)
{
    bool any = false;

    for (uint32_t i = 0; i < count; i++) {
        out[i] = done[i];
        out[i].near = peer_ahead(&out[i].source, rank, 1) ? 1 : STORE_NULL;
        any = any || out[i].near == 1;
    }
    return any;
}

static enum core_status completions_put(struct store *store, int32_t rank,
                                        const struct store_gather *parts,
                                        const struct store_list *list, int64_t base, int64_t tag,
                                        int64_t *out_set)
{
    uint64_t most = (uint64_t)parts->done_count + (list ? list->count : 0);
    struct store_done *done, *ahead;
    enum core_status status;
    uint32_t count, id;
    bool is_new, is_near;

    status = CORE_ARRAY_ROOM_ZERO(store->scratch, store->scratch_room, 2 * most * sizeof *done,
                                  "the trace");
    if (status != CORE_OK)
        return status;
    done = (struct store_done *)(void *)store->scratch;
    count = completions_merge(parts, list, base, tag, done);
    CORE_CHECK(count <= most); /* so the scratch memory sufficed */
    if (!count)
        return CORE_OK;
    ahead = done_ahead(done, count, rank, done + count) ? done + count : NULL;
    status = store_intern_near(&store->completion_set, done, ahead, count * sizeof *done, &id,
                               &is_new, &is_near);
    done = status == CORE_OK && is_near ? ahead : done;
    for (uint32_t i = 0; status == CORE_OK && is_new && i < count; i++) {
        int64_t row[11] = {id,
                           done[i].index,
                           done[i].request_ahead,
                           done[i].done,
                           done[i].source,
                           done[i].tag,
                           done[i].bytes,
                           done[i].error,
                           done[i].cancelled,
                           done[i].near,
                           done[i].members};
        if (i && done[i].index <= done[i - 1].index) /* listed twice: the first counts */
            continue;
        status = store_put_integers(&store->sql, STORE_COMPLETION, row, 11);
    }
    if (status == CORE_OK)
        *out_set = id;
    return status;
}

/* --- further arguments ------------------------------------------------------------------------ */

static enum core_status scratch_add(struct store *store, uint32_t *used, const void *data,
                                    size_t bytes)
{
    enum core_status status = CORE_ARRAY_ROOM_ZERO(store->scratch, store->scratch_room,
                                                   (uint64_t)*used + bytes, "the trace");

    if (status == CORE_OK && bytes) {
        memcpy(store->scratch + *used, data, bytes);
        *used += (uint32_t)bytes;
        CORE_CHECK(*used <= store->scratch_room);
    }
    return status;
}

/* Adds an argument to scratch: 'i', 'r' (an integer that is a rank), 'q' (one that counts from the
 * call's request) or 't', name, NUL, count, then int64_t values or the text. */
static enum core_status arg_add(struct store *store, uint32_t *used, char kind, const char *name,
                                const void *value, uint32_t count, size_t bytes)
{
    CORE_CHECK(kind == 'i' || kind == 'r' || kind == 'q' || kind == 't');
    CORE_CHECK(bytes ==
               (kind == 't' ? count : count * sizeof(int64_t))); /* as arg_write reads it */
    enum core_status status = scratch_add(store, used, &kind, 1);

    if (status == CORE_OK)
        status = scratch_add(store, used, name, strlen(name) + 1);
    if (status == CORE_OK)
        status = scratch_add(store, used, &count, sizeof count);
    return status != CORE_OK ? status : scratch_add(store, used, value, bytes);
}

/* Finds the count and the values of the argument that begins at `at`, and the next one. */
static uint32_t arg_at(const unsigned char *args, uint32_t at, uint32_t *out_value,
                       uint32_t *out_next)
{
    uint32_t count, value = at + 2 + (uint32_t)strlen((const char *)args + at + 1);

    memcpy(&count, args + value, sizeof count);
    *out_value = value + (uint32_t)sizeof count;
    *out_next = *out_value + count * (args[at] == 't' ? 1 : (uint32_t)sizeof(int64_t));
    return count;
}

/* Copies arguments; in the copy ranks count from the rank `from`, as kind 'n'. Returns false if
 * none is a rank. */
static bool args_ahead(const unsigned char *args, uint32_t used, int32_t from, unsigned char *out)
{
    bool any = false;

    memcpy(out, args, used);
    for (uint32_t at = 0, next, value; at < used; at = next) {
        uint32_t count = arg_at(args, at, &value, &next);
        int64_t rank;
        if (args[at] != 'r')
            continue;
        CORE_CHECK(count == 1); /* args_put */
        memcpy(&rank, args + value, sizeof rank);
        if (!peer_ahead(&rank, from, 1))
            continue;
        memcpy(out + value, &rank, sizeof rank);
        out[at] = 'n';
        any = true;
    }
    return any;
}

static enum core_status args_write(struct store *store, uint32_t id, const unsigned char *args,
                                   uint32_t used)
{
    enum core_status status = CORE_OK;

    for (uint32_t at = 0, next, place; status == CORE_OK && at < used; at = next) {
        const char *name = (const char *)args + at + 1;
        uint32_t count = arg_at(args, at, &place, &next);
        CORE_CHECK(next <= used); /* args_write reads what arg_add wrote */
        if (args[at] == 't') {
            char text[65536];
            snprintf(text, sizeof text, "%.*s", (int)count, (const char *)args + place);
            status = store_put(&store->sql, STORE_ARG, "ititi", (int64_t)id, name, (int64_t)0, text,
                               STORE_NULL);
            continue;
        }
        for (uint32_t i = 0; status == CORE_OK && i < count; i++, place += 8) {
            int64_t value, near = args[at] == 'n'   ? TRACE_NEAR_RANK
                                  : args[at] == 'q' ? TRACE_NEAR_REQUEST
                                                    : STORE_NULL;
            memcpy(&value, args + place, sizeof value);
            status = store_put(&store->sql, STORE_ARG, "itiii", (int64_t)id, name, (int64_t)i,
                               value, near);
        }
    }
    return status;
}

/* Returns the name of the list or text at a position among a call's arguments. */
static const char *argument_name(const struct store_call *def, uint32_t position, char *buffer,
                                 size_t bytes)
{
    const char *name = def->names, *kind;

    CORE_CHECK(def->names_scalar <= def->names_count);
    CORE_CHECK(bytes > strlen("arg4294967295"));
    for (uint32_t i = 0; i < def->names_count; i++, name = kind + strlen(kind) + 1) {
        kind = name + strlen(name) + 1;
        if (*kind == '@' && strtoul(kind + 1, NULL, 10) == position)
            return name;
    }
    snprintf(buffer, bytes, "arg%" PRIu32, position);
    return buffer;
}

static const char *list_name(const struct store_call *def, const struct store_list *list,
                             char *buffer, size_t bytes)
{
    static const char *const name[] = {
        [SPOOL_LIST_SEND_COUNTS] = "sendcounts", [SPOOL_LIST_SEND_DISPLS] = "senddispls",
        [SPOOL_LIST_SEND_TYPES] = "sendtypes",   [SPOOL_LIST_RECV_COUNTS] = "recvcounts",
        [SPOOL_LIST_RECV_DISPLS] = "recvdispls", [SPOOL_LIST_RECV_TYPES] = "recvtypes",
    };

    if (list->role < sizeof name / sizeof *name && name[list->role])
        return name[list->role];
    return argument_name(def, list->argument, buffer, bytes);
}

/* Converts a scalar that is an id of the rank to an id of the trace. */
static int64_t arg_value(const struct store_ids *ids, const char *kind, int64_t value)
{
    const struct store_map *map = !strcmp(kind, "comm")    ? &ids->comm
                                  : !strcmp(kind, "group") ? &ids->group
                                  : !strcmp(kind, "type")  ? &ids->type
                                  : !strcmp(kind, "op")    ? &ids->op
                                                           : NULL;

    return map ? (int64_t)store_map_get(map, (uint32_t)value) : value;
}

static bool arg_is_rank(const char *name)
{
    return strncmp(name, "rank", 4) == 0 &&
           (!name[4] || !strcmp(name + 4, "_source") || !strcmp(name + 4, "_dest"));
}

/* Adds a scalar. The message of an MPI_Imrecv counts from the call's own request, so that the
 * rounds of a loop repeat it. */
static enum core_status scalar_add(struct store *store, uint32_t *used, const char *name,
                                   int64_t value, int64_t request)
{
    char kind = arg_is_rank(name) ? 'r' : 'i';

    if (request != STORE_NULL && value > 0 && strcmp(name, "message") == 0) {
        kind = 'q';
        value -= request;
    }
    return arg_add(store, used, kind, name, &value, 1, sizeof value);
}

/* request: the call's; STORE_NULL: none. */
static enum core_status args_put(struct store *store, struct store_rank *rank, uint32_t call,
                                 struct store_gather *parts, int64_t request, int64_t *out_set)
{
    const struct store_call *def = &store->defs.call[call];
    const char *scalar = call ? def->names : NULL;
    enum core_status status = CORE_OK;
    uint32_t used = 0, id;
    char buffer[32];
    bool is_new, is_near;

    for (uint32_t i = 0; status == CORE_OK && i < parts->list_count; i++) {
        struct store_list *list = &parts->list[i];
        if (list->role == SPOOL_LIST_REQUESTS)
            continue;
        if (list->role == SPOOL_LIST_SEND_TYPES || list->role == SPOOL_LIST_RECV_TYPES ||
            list->role == SPOOL_LIST_TYPES)
            for (uint32_t k = 0; k < list->count; k++)
                list->value[k] = store_map_get(&rank->ids.type, (uint32_t)list->value[k]);
        status = arg_add(store, &used, 'i', list_name(def, list, buffer, sizeof buffer),
                         list->value, list->count, list->count * sizeof *list->value);
    }
    for (uint32_t i = 0; status == CORE_OK && i < parts->arg_count; i++) {
        bool named = call && i < def->names_scalar;
        if (!named)
            snprintf(buffer, sizeof buffer, "value%" PRIu32, i);
        const char *kind = named ? scalar + strlen(scalar) + 1 : "";
        parts->arg[i] = arg_value(&rank->ids, kind, parts->arg[i]);
        status = named ? scalar_add(store, &used, scalar, parts->arg[i], request)
                       : arg_add(store, &used, 'i', buffer, &parts->arg[i], 1, sizeof *parts->arg);
        if (named)
            scalar = kind + strlen(kind) + 1;
    }
    for (uint32_t at = 0; status == CORE_OK && at < parts->text_bytes;) {
        uint16_t argument, bytes;
        memcpy(&argument, parts->text + at, 2);
        memcpy(&bytes, parts->text + at + 2, 2);
        const char *text = parts->text + at + 4;
        status = arg_add(store, &used, 't', argument_name(def, argument, buffer, sizeof buffer),
                         text, bytes, bytes);
        at += 4u + bytes;
    }
    if (status != CORE_OK || !used)
        return status;
    status =
        CORE_ARRAY_ROOM_ZERO(store->scratch, store->scratch_room, (uint64_t)used * 2, "the trace");
    if (status != CORE_OK)
        return status;
    const unsigned char *args = store->scratch;
    bool ranks = args_ahead(args, used, rank->rank, store->scratch + used);
    status = store_intern_near(&store->arg_set, args, ranks ? args + used : NULL, used, &id,
                               &is_new, &is_near);
    if (status == CORE_OK && is_new)
        status = args_write(store, id, is_near ? args + used : args, used);
    if (status == CORE_OK)
        *out_set = id;
    return status;
}

static enum core_status stack_put(struct store *store, const struct store_rank *rank, uint64_t seq,
                                  const struct store_gather *parts)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; status == CORE_OK && i < parts->frame_count; i++) {
        int64_t row[3] = {(int64_t)rank->rank << STORE_SEQ_BITS | (int64_t)seq, i,
                          store_map_get(&rank->ids.site, parts->frame[i])};
        store->has_stacks = true;
        status = store_put_integers(&store->sql, STORE_STACK, row, 3);
    }
    return status;
}

/* Writes one record of misuse. Skips unknown kinds and objects, which the spool's version should
 * have excluded. */
static enum core_status misuse_row(struct store *store, const struct store_rank *rank, uint64_t seq,
                                   const struct spool_misuse *record)
{
    const char *name[MISUSE_NAMES] = {NULL};
    const char *at = spool_tail(record, sizeof *record), *end = at + record->name_bytes;
    uint32_t site = store_map_get(&rank->ids.site, record->site);
    const char *kind = misuse_kind_text((enum misuse_kind)record->head.a);
    const char *object = misuse_object_text((enum misuse_object)record->head.b);

    if (!kind || !object)
        return CORE_OK;
    for (int i = 0; i < MISUSE_NAMES && at < end; i++) {
        const char *stop = memchr(at, '\0', (size_t)(end - at));
        if (!stop)
            break;
        name[i] = stop > at ? at : NULL;
        at = stop + 1;
    }
    int64_t last = record->value[MISUSE_VALUES - 1];
    if (record->head.a == MISUSE_WINDOW_READ || record->head.a == MISUSE_WINDOW_WRITTEN)
        last = store_map_get(&rank->ids.type, (uint32_t)last); /* misuse.h: a datatype */
    return store_put(&store->sql, STORE_MISUSE, "ititiiiiiitttttti",
                     (int64_t)rank->rank << STORE_SEQ_BITS | (int64_t)seq, kind,
                     record->other ? (int64_t)record->other : STORE_NULL, object,
                     site ? (int64_t)site : STORE_NULL, record->value[0], record->value[1],
                     record->value[2], record->value[3], last, name[0], name[1], name[2], NULL,
                     NULL, NULL, STORE_NULL);
}

static enum core_status misuse_put(struct store *store, const struct store_rank *rank, uint64_t seq,
                                   const struct store_gather *parts)
{
    enum core_status status = CORE_OK;

    for (uint32_t at = 0; status == CORE_OK && at < parts->misuse_bytes;) {
        const struct spool_head *head = (const void *)(parts->misuse + at);
        CORE_CHECK(head->kind == SPOOL_MISUSE || head->kind == SPOOL_MEMORY);
        CORE_CHECK(head->words * 8u <= parts->misuse_bytes - at); /* whole records */
        status = head->kind == SPOOL_MISUSE ? misuse_row(store, rank, seq, (const void *)head)
                                            : store_memory(store, rank, seq, (const void *)head);
        at += head->words * 8u;
    }
    return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

static enum core_status row_write(struct store *store, const struct store_rank *rank,
                                  const struct store_row *row)
{
    struct store_totals *totals = &store->totals;
    int64_t left = row->t_enter + (row->duration == STORE_NULL ? 0 : row->duration);
    bool first = !totals->calls && !totals->inner_events;

    CORE_CHECK(row->seq >> STORE_SEQ_BITS == 0);
    CORE_CHECK(row->duration == STORE_NULL || row->duration >= 0);
    totals->calls += row->inner ? 0 : row->calls == STORE_NULL ? 1 : row->calls;
    totals->inner_events += row->inner;
    totals->first_ns = first || row->t_enter < totals->first_ns ? row->t_enter : totals->first_ns;
    totals->end_ns = first || left > totals->end_ns ? left : totals->end_ns;
    return rank->in_rounds ? store_fold_round(store, rank->rank, row)
                           : store_fold_put(store, rank->rank, row);
}

/* Writes what the window holds below `end`, and what follows without a gap. */
static enum core_status window_write(struct store *store, struct store_rank *rank, uint64_t end)
{
    struct store_window *window = &rank->window;

    while (window->next <= window->last) {
        struct store_row *row = &window->row[window->next % STORE_WINDOW];
        CORE_CHECK(!row->seq || row->seq == window->next); /* no row is left behind */
        if (row->seq == window->next) {
            enum core_status status = row_write(store, rank, row);
            if (status != CORE_OK)
                return status;
            row->seq = 0;
        } else if (window->next >= end) {
            return CORE_OK;
        }
        window->next++;
    }
    if (window->next < end)
        window->next = end;
    CORE_CHECK(window->next > window->last); /* it is empty */
    return CORE_OK;
}

static enum core_status window_put(struct store *store, struct store_rank *rank,
                                   const struct store_row *row)
{
    struct store_window *window = &rank->window;
    enum core_status status = CORE_OK;

    CORE_CHECK(row->seq != 0); /* 0 marks an empty row */
    if (row->seq < window->next)
        return row_write(store, rank, row);
    if (row->seq - window->next >= STORE_WINDOW)
        status = window_write(store, rank, row->seq - STORE_WINDOW + 1);
    if (status != CORE_OK)
        return status;
    if (window->row[row->seq % STORE_WINDOW].seq == row->seq) {
        store_note(store,
                   "rank %" PRId32 ": call %" PRIu64
                   " was recorded twice, the first record is used",
                   rank->rank, row->seq);
        return CORE_OK;
    }
    CORE_CHECK(row->seq - window->next <
               STORE_WINDOW); /* invariant 2: none of those is written yet */
    window->row[row->seq % STORE_WINDOW] = *row;
    if (row->seq > window->last)
        window->last = row->seq;
    return row->seq == window->next ? window_write(store, rank, window->next) : CORE_OK;
}

enum core_status store_event_row(struct store *store, struct store_rank *rank,
                                 const struct store_row *row)
{
    struct store_window *window = &rank->window;
    enum core_status status;

    CORE_CHECK(!rank->in_rounds && row->duration != STORE_NULL);
    rank->events++;
    rank->folded += row->calls == STORE_NULL ? 0 : (uint64_t)row->calls - 1;
    rank->in_rounds = true;
    if (row->seq == window->next && window->next > window->last) { /* no row waits */
        window->next++;
        status = row_write(store, rank, row);
    } else {
        status = window_put(store, rank, row);
    }
    rank->in_rounds = false;
    return status;
}

enum core_status store_window_flush(struct store *store, struct store_rank *rank)
{
    enum core_status status = window_write(store, rank, rank->window.last + 1);

    return status != CORE_OK ? status : store_fold_end(store, rank->rank);
}

/* --- the call as a whole ---------------------------------------------------------------------- */

/* Returns the map for the event's comm if it is the id of a window or file; NULL for a
 * communicator. A call that makes one has its id once it succeeded. */
static const struct store_map *win_map(const struct store_ids *ids, const struct store_call *call,
                                       bool made)
{
    if (call->traits & (TRAIT_BIT(MAKES_WIN) | TRAIT_BIT(MAKES_FILE)) && !made)
        return NULL;
    return trait_in(call->traits, TRAIT_WINDOW) ? &ids->win
           : trait_in(call->traits, TRAIT_FILE) ? &ids->file
                                                : NULL;
}

/* Returns the id of what the call made, if it is not a request. */
static int64_t store_event_made(const struct store_rank *rank, const struct spool_event *event,
                                const struct store_call *call)
{
    const struct store_ids *ids = &rank->ids;
    const struct store_map *map = NULL;

    if (!trait_in(call->traits, TRAIT_MAKES_REQUEST)) {
        if (call->traits & (TRAIT_BIT(MAKES_COMM) | TRAIT_BIT(FREES_COMM)))
            map = &ids->comm;
        else if (call->traits & (TRAIT_BIT(MAKES_TYPE) | TRAIT_BIT(FREES_TYPE)) ||
                 call->verb == VERB_COMMIT_TYPE)
            map = &ids->type;
        else if (call->traits & (TRAIT_BIT(MAKES_OP) | TRAIT_BIT(FREES_OP)))
            map = &ids->op;
        else if (call->traits & (TRAIT_BIT(MAKES_GROUP) | TRAIT_BIT(FREES_GROUP)))
            map = &ids->group;
    }
    return id_or_null(map ? store_map_get(map, event->request) : event->request);
}

static void shape_fill(struct store *store, struct store_rank *rank,
                       const struct spool_event *event, const struct store_gather *parts,
                       uint32_t call, bool pending, struct shape *shape)
{
    const struct store_call *def = &store->defs.call[call];
    const struct spool_recv_half *recv_half =
        parts && parts->has_recv_half ? &parts->recv_half : NULL;
    const struct store_ids *ids = &rank->ids;
    const struct store_map *win = win_map(ids, def, !pending && !event->head.b);
    bool rooted = def->traits & (TRAIT_BIT(FROM_ROOT) | TRAIT_BIT(TO_ROOT));
    bool buffer = def->class == EVENT_CLASS_BUFFER;

    memset(shape, 0, sizeof *shape);
    shape->call = call;
    shape->comm = shape->win = STORE_NULL;
    if (win) {
        uint32_t id = store_map_get(win, event->comm);
        shape->win = id_or_null(id);
        CORE_CHECK(id <= store->defs.win_by_global.next); /* store_define.c invariant 1 */
        if (id)
            shape->comm = id_or_null(store->defs.win_comm[id]);
    } else {
        shape->comm = id_or_null(store_map_get(&ids->comm, event->comm));
    }
    shape->peer = rooted ? STORE_NULL : store_event_known(event->peer);
    shape->root = rooted ? store_event_known(event->peer) : STORE_NULL;
    shape->tag = trait_in(def->traits, TRAIT_TAKES_OP) ? STORE_NULL : store_event_known(event->tag);
    shape->op = STORE_NULL;
    if (trait_in(def->traits, TRAIT_TAKES_OP) && event->tag > 0)
        shape->op = id_or_null(store_map_get(&ids->op, (uint32_t)event->tag));
    shape->datatype = id_or_null(store_map_get(&ids->type, event->type));
    shape->count = store_event_known(event->count);
    shape->bytes = buffer && !event->type ? shape->count
                                          : bytes_of(store, rank, parts, event->count, event->type,
                                                     SPOOL_LIST_SEND_COUNTS, SPOOL_LIST_SEND_TYPES);
    if (shape->bytes == STORE_NULL && event->count == EVENT_NONE &&
        !recv_half) /* Reduce_scatter has its counts on the receive side */
        shape->bytes = bytes_of(store, rank, parts, EVENT_NONE, event->type, SPOOL_LIST_RECV_COUNTS,
                                SPOOL_LIST_RECV_TYPES);
    shape->site = id_or_null(store_map_get(&ids->site, event->site));
    shape->error = event->head.b;
    shape->parent_back = event->parent ? (int64_t)event->parent : STORE_NULL;
    shape->recv_peer = recv_half ? store_event_known(recv_half->peer) : STORE_NULL;
    shape->recv_tag = recv_half ? store_event_known(recv_half->tag) : STORE_NULL;
    shape->recv_datatype =
        recv_half ? id_or_null(store_map_get(&ids->type, recv_half->type)) : STORE_NULL;
    shape->recv_count = recv_half ? store_event_known(recv_half->count) : STORE_NULL;
    shape->recv_bytes = recv_half ? bytes_of(store, rank, parts, recv_half->count, recv_half->type,
                                             SPOOL_LIST_RECV_COUNTS, SPOOL_LIST_RECV_TYPES)
                                  : STORE_NULL;
    shape->completions = shape->args = shape->near = STORE_NULL;
}

static int64_t list_base(const struct store_list *list)
{
    int64_t least = STORE_NULL;

    for (uint32_t i = 0; list && i < list->count; i++)
        if (list->value[i] && (least == STORE_NULL || list->value[i] < least))
            least = list->value[i];
    return least;
}

static enum core_status shape_put(struct store *store, int32_t rank, const struct shape *shape,
                                  uint32_t *out_id)
{
    struct shape ahead = *shape;
    enum core_status status;
    int64_t row[SHAPE_COLUMNS];
    bool is_new, is_near;

    CORE_CHECK(shape->near == STORE_NULL);
    ahead.near = peer_ahead(&ahead.peer, rank, TRACE_NEAR_PEER) |
                 peer_ahead(&ahead.recv_peer, rank, TRACE_NEAR_RECV_PEER);
    status = store_intern_near(&store->shape, shape, ahead.near ? &ahead : NULL, sizeof *shape,
                               out_id, &is_new, &is_near);
    if (status != CORE_OK || !is_new)
        return status;
    row[0] = *out_id;
    memcpy(row + 1, is_near ? &ahead : shape, sizeof *shape);
    return store_put_integers(&store->sql, STORE_SHAPE, row, SHAPE_COLUMNS);
}

/* Makes a call whose definition was lost: it happened, but nothing more is known. */
static enum core_status call_unknown(struct store *store, struct store_rank *rank, uint16_t id,
                                     uint32_t *out_call)
{
    struct {
        struct spool_def_call def;
        char name[32];
    } made_up = {.def = {.head = {.kind = SPOOL_DEF_CALL, .a = id, .b = EVENT_CLASS_OTHER}}};
    enum core_status status;

    made_up.def.name_bytes =
        (uint16_t)snprintf(made_up.name, sizeof made_up.name, "unknown_%u", id);
    status = store_define(store, rank, &made_up.def.head);
    *out_call = store_map_get(&rank->ids.call, id);
    CORE_CHECK(status != CORE_OK || *out_call); /* it is known from now on */
    return status;
}

enum core_status store_event(struct store *store, struct store_rank *rank, uint32_t lane,
                             const struct spool_event *event, struct store_gather *parts,
                             uint64_t calls, bool pending)
{
    uint32_t call = store_map_get(&rank->ids.call, event->head.a);
    struct store_row row = {.seq = event->seq};
    const struct store_list *list = store_list_find(parts, SPOOL_LIST_REQUESTS);
    enum core_status status = CORE_OK;
    struct shape shape;
    int64_t base, tag;

    if (!call)
        status = call_unknown(store, rank, event->head.a, &call);
    if (status != CORE_OK)
        return status;
    CORE_CHECK(store->defs.call[call].name); /* store_define.c invariant 1 */
    shape_fill(store, rank, event, parts, call, pending, &shape);
    shape.thread = lane;
    shape.many = list != NULL;
    row.request = list ? list_base(list) : store_event_made(rank, event, &store->defs.call[call]);
    base = row.request == STORE_NULL ? 0 : row.request;
    tag = tags_apart(store) ? tag_least(&shape, parts) : 0;
    shape.tag = tag_ahead(shape.tag, tag);
    shape.recv_tag = tag_ahead(shape.recv_tag, tag);
    row.tag = tag ? tag : STORE_NULL;

    status = store_message_follow(store, rank, event, parts, call, shape.bytes, pending);
    if (status == CORE_OK && parts && (parts->done_count || list))
        status = completions_put(store, rank->rank, parts, list, base, tag, &shape.completions);
    if (status == CORE_OK && parts &&
        (parts->list_count > (list ? 1 : 0) || parts->arg_count || parts->text_bytes))
        status = args_put(store, rank, call, parts, list ? STORE_NULL : row.request, &shape.args);
    if (status == CORE_OK && parts && parts->frame_count)
        status = stack_put(store, rank, event->seq, parts);
    if (status == CORE_OK && parts && parts->misuse_bytes)
        status = misuse_put(store, rank, event->seq, parts);
    if (status == CORE_OK)
        status = shape_put(store, rank->rank, &shape, &row.shape);
    if (status != CORE_OK)
        return status;

    row.t_enter = store_clock_ns(rank->clock, event->t_enter);
    row.duration = pending ? STORE_NULL : store_clock_ns(rank->clock, event->t_leave) - row.t_enter;
    if (row.duration != STORE_NULL && row.duration < 0)
        row.duration = 0;
    calls = calls > 1 && calls <= CALLS_MAX ? calls : 1;
    row.inner = event->parent != 0;
    row.summed = store->summed;
    row.times = store->times;
    row.calls = calls > 1 ? (int64_t)calls : STORE_NULL;
    rank->events++;
    rank->folded += calls - 1;
    store_loop_row(store, &row);
    return window_put(store, rank, &row);
}
