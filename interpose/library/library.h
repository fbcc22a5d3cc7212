/* Differences between MPI libraries: how to find one in a process, the values of its handles, the
 * layout of its statuses, the environment that its launcher gives a rank. The recorder is built
 * once for each library, with that library's mpi.h and its one file here. */
#ifndef INTERPOSE_LIBRARY_LIBRARY_H
#define INTERPOSE_LIBRARY_LIBRARY_H

#include "interpose/recorder.h"

/* Tells the library of an entry before MPI_Init. */
struct body_entry;
void library_found(const struct body_entry *entry);

/* library_whence translates the library's MPI_SEEK_SET, _CUR or _END to the constant of our mpi.h;
 * library_fatal tells whether a predefined error handler ends the job. */
#ifdef STANDARD_ABI
int library_whence(int value);
bool library_fatal(MPI_Errhandler handler);
#else
static inline bool library_fatal(MPI_Errhandler handler)
{
#ifdef MPICH_NAME
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
#else
    (void)handler; /* layer/openmpi_error.c sees which errors are fatal in Open MPI */
    return false;
#endif
}
static inline int library_whence(int value)
{
    return value;
}
#endif

/* Tells whether a loaded object, by its file name without folders, is one of the library's language
 * bindings, which call it for the application. */
bool library_is_binding(const char *file);

/* Fills in recorder_handle. Returns false if the library's handles differ from those of this
 * build. */
bool library_handles(void);

/* Returns NULL if crosswait was tested with this version of the library; else the tested
 * versions. */
const char *library_untested(const char *version);

/* Tells whether MPI predefines the handle, by its value alone. */
bool library_predefined(enum recorder_object kind, const void *handle);
/* Tells whether the value can be a handle of that kind: the library must not be asked about
 * others. */
bool library_may_be(enum recorder_object kind, const void *handle);
/* Returns the name of a predefined operation; NULL: not predefined. */
const char *library_op_name(MPI_Op op);

/* Returns the name of a type; for Fortran's parametrised types that of the equivalent basic type,
 * as they match. name: MPI_MAX_OBJECT_NAME bytes. */
void library_type_name(MPI_Datatype type, char *name);

/* A rank's values in the environment of the library's launcher; NULL: none. */
struct library_place {
    const char *job; /* the same on all ranks, different in other jobs */
    const char *rank, *size, *local_rank, *local_size;
    const char *starter; /* up to a ';': the same for all jobs that one mpirun started */
};
struct library_place library_place(void);
/* Fills in the same from Slurm's environment, if Slurm started the rank itself (slurm.c). */
void library_place_slurm(struct library_place *place);

/* Returns the MPI_BSEND_OVERHEAD of the header that the program was compiled with: of libraries
 * with MPICH's binary interface, Intel's has another one. */
static inline uint32_t library_bsend_overhead(const char *version)
{
#if defined MPICH_NAME && !defined STANDARD_ABI
    enum { INTEL = 88 };
    return strncmp(version, "Intel", 5) ? MPI_BSEND_OVERHEAD : INTEL;
#else
    (void)version;
    return MPI_BSEND_OVERHEAD;
#endif
}

#ifdef STANDARD_ABI
int library_error_class(int code);
static inline bool library_keyval_predefined(int keyval)
{
    return keyval >= MPI_TAG_UB && keyval <= MPI_WIN_MODEL;
}
/* Tells whether requests share the handle; recorder_requests_learn finds such handles. */
static inline bool library_request_shared(MPI_Request request)
{
    (void)request;
    return false;
}
bool library_status_cancelled(const MPI_Status *status);
uint64_t library_status_bytes(const MPI_Status *status);
enum { LIBRARY_SETS_STATUS_OF_BOTH = 0 };
#elif defined MPICH_NAME
/* Returns the class of an error code, which is in its low bits. */
static inline int library_error_class(int code)
{
    enum { CLASS_MASK = 0x7f, DYNAMIC = 1 << 30 };
    return code & DYNAMIC ? code & ~DYNAMIC : code & CLASS_MASK;
}
/* Tells whether the attribute is predefined: those have builtin keys. */
static inline bool library_keyval_predefined(int keyval)
{
    return (unsigned)keyval >> 30 == 1;
}
/* Requests that are complete from the start share builtin handles, one for each kind.
 * recorder_requests_learn finds other shared handles (Intel's). */
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
enum { LIBRARY_SETS_STATUS_OF_BOTH = 0 };
#else
/* Codes are classes, except those that the program adds. */
static inline int library_error_class(int code)
{
    return code;
}
static inline bool library_keyval_predefined(int keyval)
{
    enum { PREDEFINED_MAX = 64 };
    return keyval >= 0 && keyval <= PREDEFINED_MAX;
}
/* Tells whether the request is Open MPI's ompi_request_empty, which all eager sends share. */
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
/* Tells whether the status of MPI_Isendrecv is set: that of its receive. */
enum { LIBRARY_SETS_STATUS_OF_BOTH = 1 };
#endif

/* Returns the bytes received; UINT64_MAX: unknown. */
static inline uint64_t recorder_status_bytes(const MPI_Status *status)
{
    return recorder_status_there(status) ? library_status_bytes(status) : UINT64_MAX;
}

#endif
