/* Finds the cause of two file accesses that overlap: offsets that count elements of the datatype,
 * in a view whose unit is a byte. */
#ifndef CHECKERS_CONFLICT_OFFSET_H
#define CHECKERS_CONFLICT_OFFSET_H

#include "checkers/finding.h"

struct offset_access {
    uint32_t rank;
    uint64_t seq;
    int64_t first; /* bytes from the start of the view's data */
};
/* Adds the fact and the remedy, if the calls of one place are as many bytes apart, rank by rank, as
 * each of them has elements. */
void offset_explain(struct trace *trace, struct finding *finding, const struct offset_access *a,
                    const struct offset_access *b);

#endif
