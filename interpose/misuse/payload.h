/* Digests and contents of buffers, internal to interpose/. recorder.h has the wrappers' side. */
#ifndef INTERPOSE_MISUSE_PAYLOAD_H
#define INTERPOSE_MISUSE_PAYLOAD_H

#include "interpose/recorder.h"

struct datatype_layout {
    int64_t size, extent;
    bool contiguous;           /* one row of bytes from the buffer's start */
    const struct typemap *map; /* NULL: not kept */
};
/* Finds a type's layout. Returns false for an unknown type, or if its basic types have holes. */
bool datatypes_layout(uint32_t type, struct datatype_layout *out_layout);

struct datatype_block {
    int64_t at, count;
    uint32_t type;
};
/* The bytes that one element covers, relative to the buffer: [low, high). overlaps: some of its
 * parts overlap. */
struct datatype_span {
    int64_t size, extent, low, high;
    bool overlaps, whole; /* whole: no gaps from low to high, nor between elements */
    bool placed; /* the program placed its parts at byte displacements: they may be in several
                    variables */
    const struct datatype_block *block; /* blocks of a basic type at byte displacements */
    uint32_t blocks;
    const int64_t (*part)[2]; /* [start, end) of each part, ascending; NULL if whole */
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
