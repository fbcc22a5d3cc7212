/* The events of a trace as rows of its tables, for renderers that only draw them: arguments and
 * completions are read for the first event of each shown shape alone. */
#ifndef REPORTS_ROWS_H
#define REPORTS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "core/trace/trace.h"

enum { REPORT_SEQ_BITS = 40 }; /* bits of seq in an event's id; the rank is above them */

struct report_shape { /* indexed by the trace's id of the shape */
    uint32_t class;   /* the same for calls with the same function, place and `inner` */
    int32_t call, site, thread;
    bool inner; /* made by the library within a call of the application */
    bool known; /* false: the trace has no shape with this id */
};
struct report_shapes { /* zeroed: empty */
    struct report_shape *shape;
    uint32_t count, room;
    uint32_t *first; /* by class: id of its first shape */
    uint32_t class_count, class_room;
};
enum core_status report_shapes_read(struct trace *trace, struct report_shapes *out_shapes);
void report_shapes_done(struct report_shapes *shapes);

struct report_row {
    uint64_t id, seq;
    uint32_t rank, shape;
    uint64_t start, end; /* ns; equal if pending */
    uint64_t repeat;     /* as in struct trace_event */
    bool pending;
    const struct trace_sum *sum; /* summed rounds of a loop: shape is that of the application's
                                    calls that took most of the time, start and end cover all
                                    rounds, repeat is 1. NULL: one call */
};
typedef enum core_status (*report_row_fn)(const struct report_row *row, void *context);

/* Calls fn, in the order of ids (rank, then seq), for each event whose times are known, and once
 * for each group of summed rounds of a loop. The rank and the shape of each row exist. Stops at a
 * status other than CORE_OK and returns it. */
enum core_status report_rows_each(struct trace *trace, const struct report_shapes *shapes,
                                  report_row_fn fn, void *context);

/* Writes the event's call with its arguments into buffer, without the numbers that differ between
 * events of one shape; cuts what does not fit. */
enum core_status report_row_text(struct trace *trace, uint32_t rank, uint64_t seq, char *buffer,
                                 size_t buffer_bytes);

#endif
