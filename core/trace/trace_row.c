/* Takes rows of events from SQLite, and keeps them (trace_unfold.c has the queries).
 *
 * A query hands over its rows from within: its condition calls a function of ours, which sees each
 * row and returns true only when the batch is full. This avoids leaving and re-entering SQLite at
 * each row, and asking for each column.
 *
 * A kept row has 24 bytes. Rows that do not fit (calls that did not return or took longer than 4
 * seconds, folded polls, large request ids) are kept aside. Tags, which few programs vary from
 * message to message, are in an array of their own.
 *
 * Invariants
 *  1. A kept row whose duration is ODD has its place in rows->odd as its request.
 *  2. Kept rows are in the order of seq. */
#include <stdlib.h>

#include "core/array.h"
#include "core/check.h"
#include "core/fault.h"
#include "core/trace/trace_part.h"

#define ODD UINT32_MAX
#define SUMMED (UINT32_C(1) << 31) /* flag in the shape */
_Static_assert(SUMMED > TRACE_IDS_MAX, "no shape has that bit");

enum { SEQ_BITS = 40, ODD_WEIGHT = 4 /* an odd row weighs as much as so many kept ones */ };

_Static_assert(sizeof(struct trace_row_kept) == 24, "memory is budgeted by it (trace.h)");
_Static_assert(sizeof(struct trace_row) <= (ODD_WEIGHT - 1) * sizeof(struct trace_row_kept), "");

/* --- from SQLite ------------------------------------------------------------------------------ */

static bool row_read(sqlite3_value **value, struct trace_row *out_row)
{
    int64_t shape = sqlite3_value_int64(value[1]), duration = sqlite3_value_int64(value[4]),
            tag = sqlite3_value_int64(value[6]);

    *out_row = (struct trace_row){.seq = (uint64_t)sqlite3_value_int64(value[0]) &
                                         (((uint64_t)1 << SEQ_BITS) - 1),
                                  .request = sqlite3_value_int64(value[2]),
                                  .enter = sqlite3_value_int64(value[3]),
                                  .repeat = sqlite3_value_int64(value[5]),
                                  .duration = duration,
                                  .shape = (uint32_t)shape,
                                  .tag = (int32_t)tag};
    if (duration == 0 && sqlite3_value_type(value[4]) == SQLITE_NULL)
        out_row->duration = -1;
    return shape >= 0 && shape <= UINT32_MAX && duration >= 0 && out_row->enter >= 0 &&
           out_row->request >= 0 && out_row->repeat >= 0 && tag >= INT32_MIN && tag <= INT32_MAX;
}

void trace_row_take(sqlite3_context *context, int count, sqlite3_value **value)
{
    struct trace_batch *const *running = sqlite3_user_data(context), *batch = *running;

    (void)count;
    CORE_CHECK(batch && batch->count < batch->room); /* a full batch ended the step */
    batch->id[batch->count] = sqlite3_value_int64(value[0]);
    batch->damaged = !row_read(value, &batch->row[batch->count]);
    batch->count += !batch->damaged;
    if (batch->damaged || batch->count == batch->room)
        sqlite3_result_int(context, 1);
}

/* --- kept ------------------------------------------------------------------------------------- */

enum core_status trace_rows_add(const struct trace *trace, struct trace_rows *rows,
                                const struct trace_row *row, bool *out_kept)
{
    struct trace_row_kept kept = {.enter = row->enter,
                                  .seq = (uint32_t)row->seq,
                                  .shape = row->shape | (row->summed ? SUMMED : 0),
                                  .request = (uint32_t)row->request,
                                  .duration = (uint32_t)row->duration};
    enum core_status status = CORE_OK;

    *out_kept = row->seq <= UINT32_MAX && row->shape < SUMMED;
    if (!*out_kept)
        return CORE_OK;
    CORE_CHECK(!rows->count || rows->row[rows->count - 1].seq < kept.seq); /* invariant 2 */
    if (row->duration < 0 || row->duration >= ODD || row->repeat > 1 || row->request > UINT32_MAX) {
        kept.request = rows->odd_count;
        kept.duration = ODD;
        status = CORE_ARRAY_PUSH(rows->odd, rows->odd_count, rows->odd_room, trace->path, *row);
    }
    if (status == CORE_OK && row->tag)
        status =
            CORE_ARRAY_ROOM_ZERO(rows->tag, rows->tag_room, rows->count + UINT64_C(1), trace->path);
    if (status == CORE_OK && row->tag)
        rows->tag[rows->count] = row->tag;
    return status != CORE_OK
               ? status
               : CORE_ARRAY_PUSH(rows->row, rows->count, rows->room, trace->path, kept);
}

void trace_rows_done(struct trace_rows *rows)
{
    free(rows->row);
    free(rows->tag);
    free(rows->odd);
    *rows = (struct trace_rows){0};
}

void trace_rows_forget(struct trace *trace)
{
    struct trace_shapes *shapes = trace->shapes;

    for (uint32_t i = 0; i < shapes->rank_count; i++) {
        CORE_CHECK(shapes->rows_held >= trace_rows_weight(&shapes->rows[i]));
        shapes->rows_held -= trace_rows_weight(&shapes->rows[i]);
        trace_rows_done(&shapes->rows[i]);
    }
    CORE_CHECK(!shapes->rows_held); /* no cursor holds any */
}

bool trace_row_is_left(const struct trace_shapes *shapes, uint32_t rank, uint64_t seq)
{
    const struct trace_left *left = shapes->left ? &shapes->left[rank] : NULL;
    uint32_t at = left ? CORE_ARRAY_FIND(i, 0, left->count, left->part[i].end <= seq) : 0;

    CORE_CHECK(rank < shapes->rank_count);
    return left && at < left->count && left->part[at].from <= seq;
}

uint32_t trace_rows_weight(const struct trace_rows *rows)
{
    CORE_CHECK(rows->odd_count <= rows->count);
    return rows->count + (ODD_WEIGHT - 1) * rows->odd_count;
}

/* Tries index seq - 1 first: a rank's calls are numbered from 1, mostly without gaps. */
uint32_t trace_rows_find(const struct trace_rows *rows, uint64_t seq)
{
    CORE_CHECK(rows->whole || !rows->count); /* trace_cursor.c invariant 2 */
    if (seq && seq <= rows->count && rows->row[seq - 1].seq == seq)
        return (uint32_t)(seq - 1);
    uint32_t low = CORE_ARRAY_FIND(at, 0, rows->count, rows->row[at].seq < seq);
    return low < rows->count && rows->row[low].seq == seq ? low : UINT32_MAX;
}

struct trace_row trace_rows_get(const struct trace_rows *rows, uint32_t index)
{
    CORE_CHECK(index < rows->count);
    const struct trace_row_kept *kept = &rows->row[index];

    if (kept->duration == ODD) {
        CORE_CHECK(kept->request < rows->odd_count); /* invariant 1 */
        return rows->odd[kept->request];
    }
    return (struct trace_row){.seq = kept->seq,
                              .request = kept->request,
                              .enter = kept->enter,
                              .duration = kept->duration,
                              .shape = kept->shape & ~SUMMED,
                              .summed = (kept->shape & SUMMED) != 0,
                              .tag = index < rows->tag_room ? rows->tag[index] : 0};
}
