/* Compares each part of one access with the other access, looking only at elements that can reach
 * the part: elements of a datatype lie one extent apart. */
#include "checkers/conflict/layout.h"

#include <stddef.h>

#include "core/check.h"
#include "core/trace/trace.h"

enum { STEPS_MAX = 4000000 };

/* Returns the bytes of a segment of an element. */
static struct layout_span part_of(const struct trace *trace, const struct layout *x,
                                  int64_t element, uint32_t segment)
{
    CORE_CHECK(segment < x->type->segment_count);
    const struct spool_segment *s = &x->type->segment[segment];
    int64_t size = s->basic < trace->datatype_count ? trace->datatype[s->basic].extent : 0,
            low = x->at + element * x->type->extent + s->displacement;

    return (struct layout_span){low, low + (int64_t)s->count * size};
}

static bool layout_cut(struct layout_span a, struct layout_span b, struct layout_span *out)
{
    struct layout_span both = {a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};

    if (both.low >= both.high)
        return false;
    CORE_CHECK(both.low >= a.low && both.high <= a.high); /* it is in both */
    CORE_CHECK(both.low >= b.low && both.high <= b.high);
    *out = both;
    return true;
}

/* Finds the elements of x whose segment may reach the span: [*out_first, *out_end). */
static void layout_reaching(const struct layout *x, struct layout_span part,
                            struct layout_span span, int64_t *out_first, int64_t *out_end)
{
    int64_t extent = x->type->extent;

    CORE_CHECK(x->type->segment); /* layout.h: a type with segments, or none */
    *out_first = 0;
    *out_end = x->count;
    if (extent <= 0)
        return;
    /* part belongs to element 0; element e has it e * extent later */
    if (span.low >= part.high)
        *out_first = (span.low - part.high) / extent;
    if (span.high > part.low && (span.high - part.low) / extent + 1 < *out_end)
        *out_end = (span.high - part.low) / extent + 1;
}

static bool layout_meets(const struct trace *trace, const struct layout *x, struct layout_span span,
                         uint64_t *steps, struct layout_span *out)
{
    if (!x->type)
        return layout_cut(x->span, span, out);
    for (uint32_t k = 0; k < x->type->segment_count; k++) {
        int64_t first, end;
        layout_reaching(x, part_of(trace, x, 0, k), span, &first, &end);
        for (int64_t i = first; i < end && ++*steps < STEPS_MAX; i++)
            if (layout_cut(part_of(trace, x, i, k), span, out))
                return true;
    }
    return false;
}

bool layout_meet(const struct trace *trace, const struct layout *a, const struct layout *b,
                 struct layout_span *out)
{
    uint64_t steps = 0;

    if (!a->type)
        return layout_meets(trace, b, a->span, &steps, out);
    for (uint32_t k = 0; k < a->type->segment_count; k++) {
        int64_t first, end;
        layout_reaching(a, part_of(trace, a, 0, k), b->span, &first, &end);
        for (int64_t i = first; i < end && ++steps < STEPS_MAX; i++)
            if (layout_meets(trace, b, part_of(trace, a, i, k), &steps, out))
                return true;
    }
    return false;
}

bool layout_is_dense(const struct trace *trace, const struct trace_datatype *type)
{
    if (!type->segment || type->segment_count != 1 ||
        type->segment[0].basic >= trace->datatype_count)
        return false;
    return type->extent ==
           (int64_t)type->segment[0].count * trace->datatype[type->segment[0].basic].extent;
}
