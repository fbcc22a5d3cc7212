/* Decides by the recorded type maps whether data of one type may be received as data of another
 * (MPI's type matching). */
#ifndef CHECKERS_COLLECTIVE_TYPES_H
#define CHECKERS_COLLECTIVE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/trace.h"

enum types_difference {
    TYPES_ALIKE,
    TYPES_NAMED, /* different basic types of one kind and size, or MPI_BYTE on one side: MPI forbids
                    the match, although the bytes are the same */
    TYPES_DIFFER /* they differ in kind (integer, floating point, complex...) or size */
};
/* Compares the elements sent with the first elements received and returns the worst difference.
 * MPI_PACKED matches everything. Returns ALIKE too if a type map was not kept. It does not compare
 * counts. out_sent and out_received name the first elements with that difference, if any. */
enum types_difference types_compare(const struct trace *trace, int32_t sent, int64_t sent_count,
                                    int32_t received, int64_t received_count, const char **out_sent,
                                    const char **out_received);

#endif
