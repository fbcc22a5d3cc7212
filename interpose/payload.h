/* Digests and contents of buffers: internal to interpose/. The wrappers' side is in recorder.h. */
#ifndef INTERPOSE_PAYLOAD_H
#define INTERPOSE_PAYLOAD_H

#include "interpose/recorder.h"

struct datatype_layout {
    int64_t size, extent;
    bool contiguous;                     /* the bytes from the buffer's start on */
    const struct spool_segment *segment; /* NULL: not kept */
    const int64_t *basic_size;           /* of each segment's basic type */
    uint32_t segment_count;
};
/* False: unknown type, or one whose basic types have holes. */
bool datatypes_layout(uint32_t type, struct datatype_layout *out_layout);

void payload_start(void);

#endif
