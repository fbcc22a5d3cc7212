/* See offset.h. */
#include "checkers/conflict/offset.h"

#include <inttypes.h>

#include "core/check.h"

void offset_explain(struct trace *trace, struct finding *finding, const struct offset_access *a,
                    const struct offset_access *b)
{
    struct trace_event one, other;

    CORE_CHECK(finding->rule == &rule_table[RULE_FILE]);
    if (trace_event_get(trace, a->rank, a->seq, &one) != CORE_OK ||
        trace_event_get(trace, b->rank, b->seq, &other) != CORE_OK || one.site != other.site ||
        one.count != other.count || one.datatype != other.datatype || one.datatype < 0 ||
        (uint32_t)one.datatype >= trace->datatype_count || one.count < 2)
        return;
    const int64_t size = trace->datatype[one.datatype].size,
                  ranks = (int64_t)b->rank - (int64_t)a->rank;

    if (size < 2 || !ranks || b->first - a->first != ranks * one.count)
        return;
    finding->remedy = REMEDY_OFFSET;
    finding_fact(finding,
                 "their offsets are %" PRId64 " bytes apart, and each call has %" PRId64
                 " elements of %" PRId64 " bytes: the offset counts elements, where the view "
                 "counts bytes",
                 ranks * one.count, one.count, size);
}
