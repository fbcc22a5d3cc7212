/* Compares the calls of MPI_Unpack that take a received message apart with the calls of MPI_Pack
 * that made it: order and datatypes must match. */
#ifndef CHECKERS_PACKED_H
#define CHECKERS_PACKED_H

#include "checkers/collective/type_report.h"

/* Adds what differs to the report. The record has no addresses of packed buffers: a rank is judged
 * up to the first call that leaves open which buffer it means. */
enum core_status packed_compare(const struct check_input *input, struct type_report *report);

#endif
