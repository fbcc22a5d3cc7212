/* Describes one recorded call in words. */
#ifndef CORE_TRACE_DESCRIBE_H
#define CORE_TRACE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/trace/trace.h"

/* Returns "MPI_Send(dest=1, tag=0, 8 bytes, MPI_COMM_WORLD)", written into buffer (cut if too
 * small). Peers are ranks of the call's communicator. */
const char *describe_call(const struct trace *trace, const struct trace_event *event, char *buffer,
                          size_t buffer_bytes);

/* Like describe_call, but without the ids of requests and objects, which mean nothing to the user:
 * "MPI_Wait()". */
const char *describe_call_said(const struct trace *trace, const struct trace_event *event,
                               char *buffer, size_t buffer_bytes);

/* Returns the arguments alone, one a line and without ids: "dest=1\ntag=0\n8
 * bytes\nMPI_COMM_WORLD". Written into buffer (cut if too small). */
const char *describe_arguments(const struct trace *trace, const struct trace_event *event,
                               char *buffer, size_t buffer_bytes);

/* Writes how a rank ended and what its record lacks, after `begin`: "ended, by crosswait: a
 * deadlock was proven, 12 events not recorded". Returns false and writes nothing if the rank
 * finished and its record is whole. */
bool describe_rank_end(const struct trace *trace, uint32_t rank, const char *begin, FILE *file);

/* Returns "MPI_COMM_WORLD", the name that the program gave, "the communicator made by
 * MPI_Comm_split at x.c:12" (among arguments: "communicator of MPI_Comm_split at x.c:12"), or, if
 * its maker is unknown, "communicator 3". */
const char *describe_comm(const struct trace *trace, int32_t comm, char *buffer,
                          size_t buffer_bytes);

/* Returns a source: "1", "any", "MPI_PROC_NULL", "MPI_ROOT". */
const char *describe_peer(int32_t peer, char *buffer, size_t buffer_bytes);
/* Returns a destination, a target or a root. It is never "any": MPI_ANY_SOURCE is an error there
 * and is shown by its name. */
const char *describe_target(int32_t target, char *buffer, size_t buffer_bytes);

/* States the limit of claims about orders for an imported trace. */
#define DESCRIBE_IMPORTED                                                                         \
    "each receive is assumed to name the source and tag that it got: the archive that the trace " \
    "was imported from does not record wildcards"

/* Returns a quantity in words of a sentence, "8", "4,096"; not for names such as a rank or a tag.
 * Written into buffer. */
const char *describe_number(uint64_t number, char *buffer, size_t buffer_bytes);

/* Writes a number and its noun into buffer: "1 message", "4,096 messages". */
const char *describe_count(uint64_t count, const char *noun, char *buffer, size_t buffer_bytes);

/* Writes a size into buffer: "8 bytes", "1 byte", "4,096 bytes". */
const char *describe_bytes(uint64_t bytes, char *buffer, size_t buffer_bytes);

#endif
