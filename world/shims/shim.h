/* Between a program of another ABI and world/: what the generated functions (shim_calls.c) use.
 * world/ itself is compiled once more for each ABI, with that ABI's constants and statuses in its
 * mpi.h, so that only handles need a conversion: a program's handles are numbers, kept in the table
 * of local/fortran.c. */
#ifndef WORLD_SHIMS_SHIM_H
#define WORLD_SHIMS_SHIM_H

#include "world/state.h"

#ifdef SHIM_mpich
typedef int shim_handle; /* except files, which are pointers */
#else
typedef void *shim_handle;
#endif

/* NULL: no handle of that kind; the call then refuses it. */
#define shim_object(kind, handle) world_number_handle(kind, (MPI_Fint)(intptr_t)(handle))
static inline shim_handle shim_number(void *object)
{
    return (shim_handle)(intptr_t)world_handle_number(object);
}
static inline void *shim_file(void *object)
{
    return (void *)(uintptr_t)(uint32_t)world_handle_number(object);
}

/* Converts a status argument; world/ uses NULL for an ignored status. */
static inline MPI_Status *shim_status(const MPI_Status *status)
{
    uintptr_t at = (uintptr_t)status;
#ifdef SHIM_mpich
    at = at == 1 ? 0 : at;
#endif
    return (MPI_Status *)at;
}

/* Handles that a call reads and may change. */
struct shim_list {
    void **object; /* NULL: the program passed none */
    void *few[16];
};
enum { HANDLE_NONE = 0 }; /* the call sets all */
void shim_list_begin(struct shim_list *list, int kind, int count, const shim_handle *handles);
void shim_list_end(struct shim_list *list, int count, shim_handle *handles);

/* Count the calling rank's partners, and convert a datatype for each, which lives as long as the
 * world. */
int shim_partners(shim_handle comm, bool neighbours, bool sends);
const MPI_Datatype *shim_types(const void *buffer, const shim_handle *types, int count);

#endif
