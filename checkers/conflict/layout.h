/* Describes where the bytes of one access lie (elements of a datatype, one after another) and
 * decides exactly whether the bytes of two accesses meet. */
#ifndef CHECKERS_CONFLICT_LAYOUT_H
#define CHECKERS_CONFLICT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/trace.h"

struct layout_span {
    int64_t low, high; /* [low, high) */
};
struct layout {
    int64_t at, count;                 /* offset of the first element; number of elements */
    const struct trace_datatype *type; /* with segments; NULL: the access covers the whole span */
    struct layout_span span;
};

/* Finds the first bytes of a that meet bytes of b. Returns false too if that takes too long to
 * decide. */
bool layout_meet(const struct trace *trace, const struct layout *a, const struct layout *b,
                 struct layout_span *out);
/* Tells whether consecutive elements leave no gaps. */
bool layout_is_dense(const struct trace *trace, const struct trace_datatype *type);

#endif
