/* Whether data of one type may be received as data of another (MPI's type matching), by what the
 * trace keeps of types. */
#ifndef CHECKERS_COLLECTIVE_TYPES_H
#define CHECKERS_COLLECTIVE_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/trace.h"

/* Whether the elements sent cannot be the first elements of what is received: they differ in kind
 * (integer, floating point, complex...) or size. Stricter readings of MPI (int and unsigned, char
 * and int8_t, C and Fortran) are let pass, and so are MPI_BYTE and MPI_PACKED; false also where a
 * type map was not kept. Counts are not compared. out_sent and out_received name the first elements
 * that differ. */
bool types_differ(const struct trace *trace, int32_t sent, int64_t sent_count, int32_t received,
                  int64_t received_count, const char **out_sent, const char **out_received);

#endif
