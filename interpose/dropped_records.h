/* With CROSSWAIT_LAST a rank drops old records; this keeps a summary of them for the launcher's
 * proof (dropped_records.c). This header is separate from recorder.h, since core/trace/request.h
 * defines the same names for kinds of requests. */
#ifndef INTERPOSE_DROPPED_RECORDS_H
#define INTERPOSE_DROPPED_RECORDS_H

#include <stdint.h>

#include "core/spool/spool_write.h"

/* Starts the summary, before anything was written. events: the lane of the one thread that calls
 * MPI, as long as lanes() is 2. */
void base_start(struct spool_writer *events, struct spool_writer *definitions,
                uint32_t (*lanes)(void));

#endif
