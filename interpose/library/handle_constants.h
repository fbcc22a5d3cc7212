/* Fills in the predefined handles of libraries in which they are constants, or variables that the
 * program sees as constants: MPICH's interface and the standard ABI. */
#ifndef INTERPOSE_LIBRARY_HANDLE_CONSTANTS_H
#define INTERPOSE_LIBRARY_HANDLE_CONSTANTS_H

#include "interpose/library/library.h"

static inline struct recorder_handles library_handle_constants(int *unweighted, int *weights_empty)
{
    return (struct recorder_handles){
        .comm_null = MPI_COMM_NULL,
        .comm_world = MPI_COMM_WORLD,
        .comm_self = MPI_COMM_SELF,
        .type_null = MPI_DATATYPE_NULL,
        .type_byte = MPI_BYTE,
        .type_long_long = MPI_LONG_LONG,
        .request_null = MPI_REQUEST_NULL,
        .request_empty = MPI_REQUEST_NULL, /* library_request_shared */
        .group_null = MPI_GROUP_NULL,
        .group_empty = MPI_GROUP_EMPTY,
        .op_null = MPI_OP_NULL,
        .op_sum = MPI_SUM,
        .op_no_op = MPI_NO_OP,
        .win_null = MPI_WIN_NULL,
        .file_null = MPI_FILE_NULL,
        .info_null = MPI_INFO_NULL,
        .errhandler_null = MPI_ERRHANDLER_NULL,
        .message_null = MPI_MESSAGE_NULL,
        .message_no_proc = MPI_MESSAGE_NO_PROC,
        .unweighted = unweighted,
        .weights_empty = weights_empty,
    };
}

#endif
