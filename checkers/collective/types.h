/* Whether data of one type may be received as data of another (MPI's type matching), by what the
 * trace keeps of types. */
#ifndef CHECKERS_COLLECTIVE_TYPES_H
#define CHECKERS_COLLECTIVE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/trace.h"

enum types_difference {
    TYPES_ALIKE,
    TYPES_NAMED, /* other basic types of one kind and size, or MPI_BYTE on one side: MPI does not
                    let them match, although their bytes are the same */
    TYPES_DIFFER /* they differ in kind (integer, floating point, complex...) or size */
};
/* Whether the elements sent are the first elements of what is received: the worst difference of
 * any. MPI_PACKED matches whatever there is. ALIKE also where a type map was not kept. Counts are
 * not compared. out_sent and out_received name the first elements that differ so, where any do. */
enum types_difference types_compare(const struct trace *trace, int32_t sent, int64_t sent_count,
                                    int32_t received, int64_t received_count, const char **out_sent,
                                    const char **out_received);

#endif
