/* One recorded call as a person reads it. */
#ifndef CORE_TRACE_DESCRIBE_H
#define CORE_TRACE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/trace/trace.h"

/* "MPI_Send(dest=1, tag=0, 8 bytes, MPI_COMM_WORLD)"; written into buffer (cut if it is too small),
 * which is returned. Peers are as in the call, in the call's communicator. */
const char *describe_call(const struct trace *trace, const struct trace_event *event, char *buffer,
                          size_t buffer_bytes);

/* The same without numbers that a person cannot know, those of requests and objects:
 * "MPI_Wait()". */
const char *describe_call_said(const struct trace *trace, const struct trace_event *event,
                               char *buffer, size_t buffer_bytes);

/* The arguments alone, a line each, without numbers that a person cannot know:
 * "dest=1\ntag=0\n8 bytes\nMPI_COMM_WORLD". Written into buffer (cut if it is too small), which is
 * returned. */
const char *describe_arguments(const struct trace *trace, const struct trace_event *event,
                               char *buffer, size_t buffer_bytes);

/* "ended, by crosswait: a deadlock was proven, 12 events not recorded": how a rank ended, and what
 * its record lacks. false, and nothing is written: it finished, and its record is whole. begin:
 * written before it. */
bool describe_rank_end(const struct trace *trace, uint32_t rank, const char *begin, FILE *file);

/* "MPI_COMM_WORLD", the name the program gave, "the communicator made by MPI_Comm_split at x.c:12"
 * (among arguments: "communicator of MPI_Comm_split at x.c:12"), or, where nobody knows who made
 * it, "communicator 3". */
const char *describe_comm(const struct trace *trace, int32_t comm, char *buffer,
                          size_t buffer_bytes);

/* "1", "any", "MPI_PROC_NULL", "MPI_ROOT": a source. */
const char *describe_peer(int32_t peer, char *buffer, size_t buffer_bytes);
/* The same for a destination, a target or a root, which is never any: "MPI_ANY_SOURCE" is an error
 * there. */
const char *describe_target(int32_t target, char *buffer, size_t buffer_bytes);

/* Says what a claim about orders leaves out where the trace was imported. */
#define DESCRIBE_IMPORTED                                                                         \
    "receives are taken as they were matched: the archive that the trace was imported from does " \
    "not say which asked for any source or any tag"

/* "8", "4,096"; a quantity in a sentence, not a name such as a rank or a tag. Written into buffer,
 * which is returned. */
const char *describe_number(uint64_t number, char *buffer, size_t buffer_bytes);

/* "1 message", "4,096 messages". */
const char *describe_count(uint64_t count, const char *noun, char *buffer, size_t buffer_bytes);

/* "8 bytes", "1 byte", "4,096 bytes". */
const char *describe_bytes(uint64_t bytes, char *buffer, size_t buffer_bytes);

#endif
