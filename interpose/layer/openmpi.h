/* Open MPI's internal tables and objects that the layer uses, for 4.1 and 5.0. A wheel of Open MPI
 * has no headers for them, and one recorder serves both versions: so they are described here, and
 * compared with the loaded library before use (openmpi_shape.c).
 *
 *  1. Nothing of this is read or written in a library that openmpi_shape does not recognise. */
#ifndef INTERPOSE_LAYER_OPENMPI_H
#define INTERPOSE_LAYER_OPENMPI_H

#include <stddef.h>

#include "interpose/recorder.h"

enum openmpi_mode {
    OPENMPI_SYNCHRONOUS,
    OPENMPI_COMPLETE,
    OPENMPI_BUFFERED,
    OPENMPI_READY,
    OPENMPI_STANDARD
};

/* The functions of mca_pml that messages pass through, in the table's order. */
struct openmpi_messages {
    int (*irecv_init)(void *buf, size_t count, MPI_Datatype type, int source, int tag,
                      MPI_Comm comm, MPI_Request *request);
    int (*irecv)(void *buf, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                 MPI_Request *request);
    int (*recv)(void *buf, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                MPI_Status *status);
    int (*isend_init)(const void *buf, size_t count, MPI_Datatype type, int dest, int tag,
                      enum openmpi_mode mode, MPI_Comm comm, MPI_Request *request);
    int (*isend)(const void *buf, size_t count, MPI_Datatype type, int dest, int tag,
                 enum openmpi_mode mode, MPI_Comm comm, MPI_Request *request);
    int (*send)(const void *buf, size_t count, MPI_Datatype type, int dest, int tag,
                enum openmpi_mode mode, MPI_Comm comm);
    void *probes[2];
    int (*start)(size_t count, MPI_Request *request);
};
typedef int (*openmpi_del_comm_fn)(MPI_Comm comm);

/* The table ompi_request_functions. */
struct openmpi_waits {
    int (*test)(MPI_Request *request, int *flag, MPI_Status *status);
    void *test_any;
    int (*test_all)(size_t count, MPI_Request *request, int *flag, MPI_Status *status);
    void *test_some;
    int (*wait)(MPI_Request *request, MPI_Status *status);
    int (*wait_any)(size_t count, MPI_Request *request, int *index, MPI_Status *status);
    int (*wait_all)(size_t count, MPI_Request *request, MPI_Status *status);
    int (*wait_some)(size_t count, MPI_Request *request, int *count_done, int *index,
                     MPI_Status *status);
};

/* The thread that makes progress calls `completed`, before it marks the request complete, and
 * clears the pointer before the call. */
typedef int (*openmpi_completed_fn)(MPI_Request request);
struct openmpi_request {
    void *item[7];
    int type;
    MPI_Status status;
    void *volatile complete; /* OPENMPI_IS_COMPLETE, or the waiting thread's */
    int state;
    bool persistent;
    int number;
    void *functions[3];
    openmpi_completed_fn volatile completed;
    void *context;
    void *of;
};
#define OPENMPI_IS_COMPLETE ((void *)1)
enum { OPENMPI_REQUEST_MESSAGE = 0, OPENMPI_RECEIVE = 2 }; /* types: of it, of its message */
_Static_assert(sizeof(MPI_Status) == 24 && sizeof(struct openmpi_request) == 160,
               "both versions have requests and statuses of these sizes");

/* The request of a message. openmpi_shape gives the offset of its partner. */
struct openmpi_message_request {
    struct openmpi_request request;
    int32_t complete, freed;
    int type;
    MPI_Comm comm;
};

/* The first fields of a datatype. */
struct openmpi_type {
    void *class;
    int64_t references;
    uint16_t flags, id;
    uint32_t basic;
    size_t bytes;
};
_Static_assert(offsetof(struct openmpi_type, flags) == 16 &&
                   offsetof(struct openmpi_type, bytes) == 24,
               "both versions have datatypes that begin so");
enum { OPENMPI_TYPE_PREDEFINED = 0x200 };

/* The functions of a predefined error handler, one per kind of object, in this order. */
struct openmpi_error_functions {
    void (*comm)(MPI_Comm *, int *, ...);
    void (*file)(MPI_File *, int *, ...);
    void (*win)(MPI_Win *, int *, ...);
};
enum { OPENMPI_ERROR_FUNCTIONS = 88, OPENMPI_ERROR_BYTES = 1024 }; /* offset; object's size */

/* The layout of the loaded library: offsets in bytes. */
struct openmpi_shape {
    const char *version;  /* start of MPI_Get_library_version */
    uint16_t table_bytes; /* size of mca_pml, which has the next two */
    uint16_t del_comm;
    uint16_t messages;
    uint16_t comm_number; /* the library's own number of a communicator */
    uint16_t comm_flags;  /* has OPENMPI_COMM_SAME: the number is the same on all members; 0: it
                             always is */
    uint16_t comm_rank;   /* own rank */
    uint16_t comm_tag;    /* next tag of a non-blocking collective */
    uint16_t partner;     /* in the request of a message */
    int32_t tag_first;    /* of non-blocking collectives, whose tags count down */
};
enum { OPENMPI_COMM_SAME = 0x10000 };

/* Returns the layout; NULL: unknown library, *out_why says why. Called after MPI_Init; a process
 * with sessions alone has no communicator to examine. */
const struct openmpi_shape *openmpi_shape(const char *version, const char **out_why);
/* Returns the variable of that name and size; NULL: none. */
void *openmpi_variable(const char *name, size_t bytes);

static inline int32_t openmpi_field(const void *object, uint16_t offset)
{
    int32_t value;
    __builtin_memcpy(&value, (const char *)object + offset, sizeof value);
    return value;
}

enum { OPENMPI_TAG_LAST = -1073741822, OPENMPI_TAG_FIRST_MAX = -27 };

#endif
