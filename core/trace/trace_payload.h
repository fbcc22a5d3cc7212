/* Reads contents of buffers at post and at completion (crosswait record --payload). at:
 * SPOOL_AT_POST, SPOOL_AT_DONE; buffer: SPOOL_BUFFER_SEND, SPOOL_BUFFER_RECV. The bytes are those
 * of the type map, in its order. */
#ifndef CORE_TRACE_TRACE_PAYLOAD_H
#define CORE_TRACE_TRACE_PAYLOAD_H

#include "core/trace/trace.h"

/* Loads a digest. Returns CORE_NOT_FOUND without a report if none was kept. */
enum core_status trace_digest_get(struct trace *trace, uint32_t rank, uint64_t seq, int at,
                                  int buffer, uint64_t *out_digest, uint64_t *out_bytes);

/* Loads the ids (rank << 40 | seq) of the events with a digest or content, ascending. Free with
 * free(). */
enum core_status trace_digest_events(struct trace *trace, uint64_t **out_event,
                                     uint32_t *out_count);

/* Loads the whole content. Free with free(). Returns CORE_NOT_FOUND without a report if it was not
 * kept, or not completely. */
enum core_status trace_payload_get(struct trace *trace, uint32_t rank, uint64_t seq, int at,
                                   int buffer, unsigned char **out_data, uint64_t *out_bytes);
/* Visits the inputs and the output of each call of a user-defined operation (SPOOL_AT_APPLIED), in
 * order. */
struct trace_applied {
    uint64_t in, inout, out; /* digests */
};
typedef enum core_status (*trace_applied_fn)(const struct trace_applied *applied, void *context);
enum core_status trace_applied_each(struct trace *trace, uint32_t rank, uint64_t seq,
                                    trace_applied_fn fn, void *context);

#endif
