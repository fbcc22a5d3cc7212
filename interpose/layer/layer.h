/* The library layer: what the MPI library does inside its own collectives. Absent for a library
 * that it does not know. */
#ifndef INTERPOSE_LAYER_LAYER_H
#define INTERPOSE_LAYER_LAYER_H

#include "interpose/recorder.h"

/* After MPI_Init. NULL: on. Else why not. version: of MPI_Get_library_version. */
const char *layer_start(const char *version);
void layer_stop(void);                                           /* before MPI_Finalize */
const struct call_description *layer_description(unsigned call); /* call >= CALL_COUNT */

/* Errors that are fatal are kept (exit_record.h), where the library is of the known version and
 * shape, whether or not the layer is on. After MPI_Init; after MPI_Finalize. */
void layer_errors_start(const char *version);
void layer_errors_stop(void);
/* The communicator of a persistent receive that is not active; MPI_COMM_NULL: it cannot be told
 * another source. And sets the rank whose message it is to take from its next start on. */
MPI_Comm layer_receive_comm(MPI_Request request);
void layer_receive_from(MPI_Request request, int source);
/* Whether the library is the one that the layer was built for. */
bool layer_knows(const char *version);

#endif
