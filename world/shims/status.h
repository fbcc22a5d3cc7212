/* The layout of a status in another ABI: it replaces Open MPI's in the mpi.h that world/ is
 * compiled with for that ABI. The three fields that programs read are at their place; all other
 * fields are ours. */
#ifndef WORLD_SHIMS_STATUS_H
#define WORLD_SHIMS_STATUS_H

#include <stddef.h>

#ifdef SHIM_mpich
struct __attribute__((packed, aligned(4))) ompi_status_public_t {
    size_t _ucount : 63, _cancelled : 1;
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
};
_Static_assert(sizeof(struct ompi_status_public_t) == 20, "as MPICH has it");
#else
struct __attribute__((packed, aligned(4))) ompi_status_public_t {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
    int _cancelled;
    size_t _ucount;
    int unused[2];
};
_Static_assert(sizeof(struct ompi_status_public_t) == 32, "as the standard has it");
#endif

#endif
