/* The events of a trace as rows of its tables, for whoever goes over all of them only to draw: no
 * arguments and no completions are read but of the first event of each shape that is shown. */
#ifndef REPORTS_ROWS_H
#define REPORTS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace.h"

enum { REPORT_SEQ_BITS = 40 }; /* of an event's id; the rank is above */

struct report_shape { /* by the trace's id of the shape */
    uint32_t class;   /* the same for the same call at the same place, inside the library or not */
    int32_t call, site, thread;
    bool inner; /* made by the library in a call of the application */
    bool known; /* false: there is none of that id */
};
struct report_shapes { /* zeroed: empty */
    struct report_shape *shape;
    uint32_t count, room;
    uint32_t *first; /* by class: the id of its first shape */
    uint32_t class_count, class_room;
};
enum core_status report_shapes_read(struct trace *trace, struct report_shapes *out_shapes);
void report_shapes_done(struct report_shapes *shapes);

struct report_row {
    uint64_t id, seq;
    uint32_t rank, shape;
    uint64_t start, end; /* ns; equal if pending */
    uint64_t repeat;     /* as of struct trace_event */
    bool pending;
    const struct trace_sum *sum; /* rounds of a loop, whose calls' times are summed up: shape is
                                    that of the application's calls that took most of it, start and
                                    end those of all, repeat is 1. NULL: it is one call */
};
typedef enum core_status (*report_row_fn)(const struct report_row *row, void *context);

/* Each event whose times are known, and rounds of loops in the place of the others, in the order of
 * ids: by rank, then by seq. Its rank and its shape exist. A status
 * other than CORE_OK ends it and is returned. */
enum core_status report_rows_each(struct trace *trace, const struct report_shapes *shapes,
                                  report_row_fn fn, void *context);

/* Text of the event: its call with arguments, without the numbers that differ between events of one
 * shape. Written into buffer, cut if it is too small. */
enum core_status report_row_text(struct trace *trace, uint32_t rank, uint64_t seq, char *buffer,
                                 size_t buffer_bytes);

#endif
