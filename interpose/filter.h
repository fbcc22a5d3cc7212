/* Selects what is recorded, if not everything is. The variables are described in filter.c. */
#ifndef INTERPOSE_FILTER_H
#define INTERPOSE_FILTER_H

#include "interpose/recorder.h"

/* Sets recorder.filter; *out_inner: whether the library layer is wanted. False and a reason: a
 * variable that means nothing; all is recorded. */
bool filter_start(uint64_t start_ticks, uint64_t tick_hz, bool *out_inner, char *out_reason,
                  size_t reason_bytes);
void filter_mark(int level); /* MPI_Pcontrol */

#endif
