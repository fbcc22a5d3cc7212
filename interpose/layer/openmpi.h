/* Open MPI from inside: what the layer uses of its tables and objects, for 4.1 and 5.0. A wheel of
 * Open MPI brings no header of them, and one recorder is for both versions: so they are described
 * here, and held against the loaded library before they are used (openmpi_shape.c).
 *
 *  1. Nothing of this is read or written in a library that openmpi_shape does not take for one of
 *     these. */
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

/* The functions of mca_pml that messages pass through, which lie together. */
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

/* Whoever makes progress calls `completed`, before it marks the request complete, and clears the
 * pointer before the call. */
typedef int (*openmpi_completed_fn)(MPI_Request request);
struct openmpi_request {
    void *item[7];
    int type;
    MPI_Status status;
    void *volatile complete; /* OPENMPI_IS_COMPLETE, or who waits */
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

/* A request of a message. Where its partner stands, openmpi_shape tells. */
struct openmpi_message_request {
    struct openmpi_request request;
    int32_t complete, freed;
    int type;
    MPI_Comm comm;
};

/* The beginning of a datatype. */
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

/* The functions of a predefined error handler, by kind of object; these stand in a row. */
struct openmpi_error_functions {
    void (*comm)(MPI_Comm *, int *, ...);
    void (*file)(MPI_File *, int *, ...);
    void (*win)(MPI_Win *, int *, ...);
};
enum { OPENMPI_ERROR_FUNCTIONS = 88, OPENMPI_ERROR_BYTES = 1024 }; /* where; the object's size */

/* How the loaded library is laid out: offsets in bytes. */
struct openmpi_shape {
    const char *version;  /* what MPI_Get_library_version begins with */
    uint16_t table_bytes; /* of mca_pml, in which these two stand */
    uint16_t del_comm;
    uint16_t messages;
    uint16_t comm_number; /* the library's own number of a communicator */
    uint16_t comm_flags;  /* OPENMPI_COMM_SAME: that is the same on all members; 0: it always is */
    uint16_t comm_rank;   /* the own one */
    uint16_t comm_tag;    /* the next one of a non-blocking collective */
    uint16_t partner;     /* of a message's request */
    int32_t tag_first;    /* of non-blocking collectives, whose tags are counted down */
};
enum { OPENMPI_COMM_SAME = 0x10000 };

/* NULL: the library is none that is known, *out_why then says why not. After MPI_Init; of a process
 * that has sessions alone no communicator can be looked at. */
const struct openmpi_shape *openmpi_shape(const char *version, const char **out_why);
/* The variable of that name, if it is of that size; NULL. */
void *openmpi_variable(const char *name, size_t bytes);

static inline int32_t openmpi_field(const void *object, uint16_t offset)
{
    int32_t value;
    __builtin_memcpy(&value, (const char *)object + offset, sizeof value);
    return value;
}

enum { OPENMPI_TAG_LAST = -1073741822, OPENMPI_TAG_FIRST_MAX = -27 };

#endif
