/* Selects the calls to record. filter.c describes the variables. */
#ifndef INTERPOSE_FILTER_H
#define INTERPOSE_FILTER_H

#include "interpose/recorder.h"

/* Reads the variables and sets recorder.filter; *out_inner: record the inside of collectives.
 * Returns false with a reason if a variable makes no sense; then everything is recorded. */
bool filter_start(uint64_t start_ticks, uint64_t tick_hz, bool *out_inner, char *out_reason,
                  size_t reason_bytes);
/* Tells whether the spool may have sums of times (core/spool/spool_sum.h). */
bool filter_sums_times(int thread_level);
void filter_mark(int level); /* MPI_Pcontrol */

#endif
