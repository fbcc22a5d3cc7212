/* Differences between MPI libraries: how one is found in a process, the values of its handles, the
 * layout of its statuses, the environment that its launcher gives a rank. libcrosswait is built
 * once for each library, with that library's mpi.h and the one file here that is about it. */
#ifndef INTERPOSE_LIBRARY_LIBRARY_H
#define INTERPOSE_LIBRARY_LIBRARY_H

#include "interpose/recorder.h"

/* Tells this library of an entry before MPI_Init. */
struct body_entry;
void library_found(const struct body_entry *entry);

/* The constant of our mpi.h that the library means by its MPI_SEEK_SET, _CUR or _END; and whether a
 * predefined error handler ends the job. */
#ifdef MPI_ABI_VERSION
int library_whence(int value);
bool library_fatal(MPI_Errhandler handler);
#else
static inline bool library_fatal(MPI_Errhandler handler)
{
#ifdef MPICH_NAME
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
#else
    (void)handler; /* Open MPI says itself which errors are fatal (layer/openmpi_error.c) */
    return false;
#endif
}
static inline int library_whence(int value)
{
    return value;
}
#endif

/* Whether a loaded object, by its file name without folders, is one of the library's language
 * bindings, which call it for the application. */
bool library_is_binding(const char *file);

/* Fills recorder_handle. False: this library has other handles than this build is for. */
bool library_handles(void);

/* NULL: crosswait was tested with this version, of which the library says so; else with which. */
const char *library_untested(const char *version);

/* Whether the handle is one that MPI predefines; only looks at its value. */
bool library_predefined(enum recorder_object kind, const void *handle);
/* Whether it can be a handle of that kind at all: the library must not be asked about others. */
bool library_may_be(enum recorder_object kind, const void *handle);
/* The name of a predefined operation; NULL: it is none. */
const char *library_op_name(MPI_Op op);

/* The name of a type; of a kind of Fortran's parametrised types: that of the type which it is, as
 * they match. name: MPI_MAX_OBJECT_NAME bytes. */
void library_type_name(MPI_Datatype type, char *name);

/* The rank's values in the environment of the library's launcher; NULL: none. */
struct library_place {
    const char *job; /* the same on all ranks, different from other jobs' */
    const char *rank, *size, *local_rank, *local_size;
    const char *starter; /* up to a ';': the same where one mpirun started both, also other jobs */
};
struct library_place library_place(void);
/* The same from Slurm's environment, where Slurm started the rank itself (slurm.c). */
void library_place_slurm(struct library_place *place);

#ifdef MPI_ABI_VERSION
int library_error_class(int code);
static inline bool library_keyval_predefined(int keyval)
{
    return keyval >= MPI_TAG_UB && keyval <= MPI_WIN_MODEL;
}
/* Shared handles are learnt (recorder_requests_learn). */
static inline bool library_request_shared(MPI_Request request)
{
    (void)request;
    return false;
}
bool library_status_cancelled(const MPI_Status *status);
uint64_t library_status_bytes(const MPI_Status *status);
#elif defined MPICH_NAME
/* In a code, what happened stands above its class. */
static inline int library_error_class(int code)
{
    enum { CLASS_MASK = 0x7f, DYNAMIC = 1 << 30 };
    return code & DYNAMIC ? code & ~DYNAMIC : code & CLASS_MASK;
}
/* Attributes that MPI predefines have builtin keys. */
static inline bool library_keyval_predefined(int keyval)
{
    return (unsigned)keyval >> 30 == 1;
}
/* Requests that were complete from the start share their handles: a builtin one for each kind. What
 * else is shared (Intel's) is learnt: recorder_requests_learn. */
static inline bool library_request_shared(MPI_Request request)
{
    return (unsigned)request >> 30 == 1;
}
static inline bool library_status_cancelled(const MPI_Status *status)
{
    return status->count_hi_and_cancelled & 1;
}
static inline uint64_t library_status_bytes(const MPI_Status *status)
{
    return (uint64_t)(uint32_t)status->count_lo |
           (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
}
#else
/* Codes are classes, but for those that the program adds. */
static inline int library_error_class(int code)
{
    return code;
}
static inline bool library_keyval_predefined(int keyval)
{
    enum { PREDEFINED_MAX = 64 };
    return keyval >= 0 && keyval <= PREDEFINED_MAX;
}
/* ompi_request_empty, of every eager send. */
static inline bool library_request_shared(MPI_Request request)
{
    return request == recorder_handle.request_empty;
}
static inline bool library_status_cancelled(const MPI_Status *status)
{
    return status->_cancelled != 0;
}
static inline uint64_t library_status_bytes(const MPI_Status *status)
{
    return status->_ucount;
}
#endif

/* The bytes received; UINT64_MAX: not told. */
static inline uint64_t recorder_status_bytes(const MPI_Status *status)
{
    return recorder_status_there(status) ? library_status_bytes(status) : UINT64_MAX;
}

#endif
