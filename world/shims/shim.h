/* Between a program of another ABI and world/: what the generated functions (shim_calls.c) are made
 * of. world/ itself is compiled once more for each ABI, with that ABI's constants and statuses in
 * its mpi.h, so that handles alone are to be converted: a program's are numbers, kept in the table
 * of local/fortran.c. */
#ifndef WORLD_SHIMS_SHIM_H
#define WORLD_SHIMS_SHIM_H

#include "world/state.h"

#ifdef SHIM_mpich
typedef int shim_handle; /* but for files, which are pointers */
#else
typedef void *shim_handle;
#endif

/* NULL: no handle of that kind, which the call then refuses. */
#define shim_object(kind, handle) world_number_handle(kind, (MPI_Fint)(intptr_t)(handle))
static inline shim_handle shim_number(void *object)
{
    return (shim_handle)(intptr_t)world_handle_number(object);
}
static inline void *shim_file(void *object)
{
    return (void *)(uintptr_t)(uint32_t)world_handle_number(object);
}

/* Statuses that are not asked for are NULL in world/. */
static inline MPI_Status *shim_status(const MPI_Status *status)
{
    uintptr_t at = (uintptr_t)status;
#ifdef SHIM_mpich
    at = at == 1 ? 0 : at;
#endif
    return (MPI_Status *)at;
}

/* Handles that a call reads, and may change. */
struct shim_list {
    void **object; /* NULL: the program gave none */
    void *few[16];
};
enum { HANDLE_NONE = 0 }; /* the call gives all */
void shim_list_begin(struct shim_list *list, int kind, int count, const shim_handle *handles);
void shim_list_end(struct shim_list *list, int count, shim_handle *handles);

/* A datatype for each partner of the calling rank; they live as long as the world. */
int shim_partners(shim_handle comm, bool neighbours, bool sends);
const MPI_Datatype *shim_types(const void *buffer, const shim_handle *types, int count);

#endif
