/* Where the bytes of one access lie: elements of a datatype one after another; and whether those of
 * two meet, exactly. */
#ifndef CHECKERS_CONFLICT_LAYOUT_H
#define CHECKERS_CONFLICT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/trace.h"

struct layout_span {
    int64_t low, high; /* [low, high) */
};
struct layout {
    int64_t at, count;                 /* the first element, and how many */
    const struct trace_datatype *type; /* with segments; NULL: all of the span */
    struct layout_span span;
};

/* The first bytes of a that meet bytes of b. False also where it takes too long to tell. */
bool layout_meet(const struct trace *trace, const struct layout *a, const struct layout *b,
                 struct layout_span *out);
/* Whether elements one after another leave no gaps. */
bool layout_is_dense(const struct trace *trace, const struct trace_datatype *type);

#endif
