/* Writes the calls of a rank that are outside of loops. A rank with many calls in loops has a few
 * others, before, between and after them: consecutive ones of these become a list, a row of
 * event_part (core/trace/trace_schema.sql), which takes half the space of their rows. Whether the
 * rank has such loops is known at its end, so up to ROWS_MAX rows wait for it; a rank with more of
 * them has a row for each.
 *
 * Invariants
 *  1. Each row goes either to event_row or to one list.
 *  2. The rows that wait are all rows of the rank so far that were put, unless `many` is set: then
 *     none waits. */
#include <stdlib.h>

#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace.h"
#include "store/store_part.h"

enum {
    ROWS_MAX = 1024,
    LIST_CALLS = 120,
    LIST_MIN = 4, /* fewer calls make no list */
    NUMBER_MAX = 100000000
};

struct store_calls {
    struct store_row row[ROWS_MAX];
    uint32_t count;
    bool many;
};

struct store_calls *store_calls_new(void)
{
    return core_alloc_zero(1, sizeof(struct store_calls));
}

static enum core_status row_write(struct store *store, int64_t rank, const struct store_row *row)
{
    int64_t value[7] = {rank << STORE_SEQ_BITS | (int64_t)row->seq,
                        row->shape,
                        row->request,
                        row->t_enter,
                        row->duration,
                        row->calls,
                        row->tag};

    CORE_CHECK(row->seq > 0); /* store_lane_next returns only calls with a seq */
    return store_put_integers(&store->sql, STORE_EVENT, value, 7);
}

static enum core_status rows_write(struct store *store, int64_t rank, const struct store_row *row,
                                   uint32_t count)
{
    enum core_status status = CORE_OK;

    for (uint32_t i = 0; status == CORE_OK && i < count; i++)
        status = row_write(store, rank, &row[i]);
    return status;
}

/* --- lists ------------------------------------------------------------------------------------ */

/* Tells whether a list has room for what the row says. */
static bool row_fits(const struct store_row *row)
{
    return row->calls == STORE_NULL && row->tag == STORE_NULL && row->shape < NUMBER_MAX &&
           row->t_enter >= 0 && row->duration >= 0 && store_digits_bytes(row->duration) &&
           (row->request == STORE_NULL || row->request >= 0);
}

/* Returns how many of the rows, from the first on, make a list. */
static uint32_t list_length(const struct store_row *row, uint32_t count)
{
    uint32_t length = 0;

    for (; length < count && length < LIST_CALLS; length++)
        if (!row_fits(&row[length]) || row[length].seq != row[0].seq + length ||
            !store_digits_bytes(row[length].t_enter - row[0].t_enter))
            break;
    return length;
}

enum { FIELD_ENTER, FIELD_DURATION, FIELD_SHAPE, FIELD_REQUEST, FIELDS };

/* Returns a number of the row as a list has it. */
static int64_t field_of(const struct store_row *row, int field, int64_t enter, int64_t request)
{
    switch (field) {
    case FIELD_ENTER:
        return row->t_enter - enter;
    case FIELD_DURATION:
        return row->duration;
    case FIELD_SHAPE:
        return row->shape;
    default:
        return row->request == STORE_NULL ? 0 : row->request - request + 1;
    }
}

static enum core_status list_write(struct store *store, int64_t rank, const struct store_row *row,
                                   uint32_t count)
{
    unsigned char fields[LIST_CALLS * FIELDS * TRACE_TIME_BYTES_MAX];
    int64_t request = INT64_MAX, bytes[FIELDS];
    size_t used = 0;

    CORE_CHECK(count >= LIST_MIN && count <= LIST_CALLS);
    for (uint32_t i = 0; i < count; i++)
        if (row[i].request != STORE_NULL && row[i].request < request)
            request = row[i].request;
    for (int field = 0; field < FIELDS; field++) {
        bytes[field] = 1;
        for (uint32_t i = 0; i < count; i++) {
            int more = store_digits_bytes(field_of(&row[i], field, row[0].t_enter, request));
            if (!more)
                return rows_write(store, rank, row, count);
            bytes[field] = more > bytes[field] ? more : bytes[field];
        }
        for (uint32_t i = 0; i < count; i++, used += (size_t)bytes[field])
            store_digits_put(fields + used, (int)bytes[field],
                             field_of(&row[i], field, row[0].t_enter, request));
    }
    CORE_CHECK(used <= sizeof fields);
    return store_put(&store->sql, STORE_EVENT_PART, "iiiiiiiibii",
                     rank << STORE_SEQ_BITS | (int64_t)row[0].seq, STORE_NULL, (int64_t)0,
                     (int64_t)count, request == INT64_MAX ? STORE_NULL : request, row[0].t_enter,
                     bytes[FIELD_ENTER], bytes[FIELD_DURATION], (const void *)fields, used,
                     bytes[FIELD_SHAPE], bytes[FIELD_REQUEST]);
}

static enum core_status lists_write(struct store *store, int64_t rank, const struct store_row *row,
                                    uint32_t count)
{
    enum core_status status = CORE_OK;

    for (uint32_t at = 0, length; status == CORE_OK && at < count; at += length ? length : 1) {
        length = list_length(row + at, count - at);
        status = length >= LIST_MIN ? list_write(store, rank, row + at, length)
                                    : rows_write(store, rank, row + at, length ? length : 1);
    }
    return status;
}

/* --- rows that wait --------------------------------------------------------------------------- */

enum core_status store_calls_put(struct store *store, int32_t rank, const struct store_row *row)
{
    struct store_calls *calls = store->calls;
    enum core_status status = CORE_OK;

    if (!calls || calls->many)
        return row_write(store, rank, row);
    if (calls->count == ROWS_MAX) {
        status = rows_write(store, rank, calls->row, calls->count);
        calls->count = 0;
        calls->many = true; /* invariant 2 */
        return status == CORE_OK ? row_write(store, rank, row) : status;
    }
    calls->row[calls->count++] = *row;
    return CORE_OK;
}

enum core_status store_calls_end(struct store *store, int32_t rank, bool in_loops)
{
    struct store_calls *calls = store->calls;
    CORE_CHECK(calls->count <= ROWS_MAX);
    CORE_CHECK(!calls->many || !calls->count); /* invariant 2 */
    enum core_status status = in_loops ? lists_write(store, rank, calls->row, calls->count)
                                       : rows_write(store, rank, calls->row, calls->count);

    calls->count = 0;
    calls->many = false;
    return status;
}
