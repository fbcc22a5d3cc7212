/* Digests and contents of buffers: internal to interpose/. The wrappers' side is in recorder.h. */
#ifndef INTERPOSE_MISUSE_PAYLOAD_H
#define INTERPOSE_MISUSE_PAYLOAD_H

#include "interpose/recorder.h"

struct datatype_layout {
    int64_t size, extent;
    bool contiguous;           /* the bytes from the buffer's start on */
    const struct typemap *map; /* NULL: not kept */
};
/* False: unknown type, or one whose basic types have holes. */
bool datatypes_layout(uint32_t type, struct datatype_layout *out_layout);

struct datatype_block {
    int64_t at, count;
    uint32_t type;
};
/* The bytes that one element touches, relative to the buffer: [low, high). overlaps: parts of it
 * lie over each other. */
struct datatype_span {
    int64_t size, extent, low, high;
    bool overlaps,
        whole;   /* whole: every byte from low to high, and elements lie next to each other */
    bool placed; /* its parts lie where the program said in bytes: not all in one variable, maybe */
    const struct datatype_block *block; /* those of a basic type, at a place in bytes each */
    uint32_t blocks;
    const int64_t (*part)[2]; /* [start, end) of each part, by place; NULL where it is whole */
    uint32_t parts;
};
enum { DATATYPES_SPANS = 256 };
extern const struct datatype_span *datatypes_spans[DATATYPES_SPANS]; /* of the first ids */
const struct datatype_span *datatypes_span_slow(uint32_t type);
static inline const struct datatype_span *datatypes_span(uint32_t type) /* NULL: unknown */
{
    return LIKELY(type < DATATYPES_SPANS) ? datatypes_spans[type] : datatypes_span_slow(type);
}

void payload_start(void);

#endif
