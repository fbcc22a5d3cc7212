/* Functions that programs may name and worlds do not support: they exist to be linked with, and a
 * call ends the world. Without mpi.h, as one prototype serves for all. */
#include "world/ranks/missing.h"

#define MISSING(name)               \
    int name(void);                 \
    int name(void)                  \
    {                               \
        rank_missing_called(#name); \
    }

MISSING(MPI_Comm_join)
MISSING(MPI_Comm_spawn)
MISSING(MPI_Comm_spawn_multiple)
#ifndef WORLD_SHIM

/* Internals of Open MPI that its Fortran and C++ libraries call when they spawn. */
MISSING(ompi_fortran_argv_blank_f2c)
MISSING(ompi_fortran_argv_count_f2c)
MISSING(ompi_fortran_multiple_argvs_f2c)

/* Functions that those of mpifh.c and the C++ bindings replace. */
MISSING(ompi_attr_create_keyval_aint)
MISSING(ompi_attr_create_keyval_fint)
MISSING(ompi_attr_get_aint)
MISSING(ompi_attr_get_fint)
MISSING(ompi_attr_set_aint)
MISSING(ompi_attr_set_fint)
MISSING(ompi_attr_create_keyval)
MISSING(ompi_op_set_cxx_callback)
MISSING(ompi_mpi_errors_throw_exceptions)
MISSING(ompi_info_get)
MISSING(ompi_info_get_nthkey)
MISSING(ompi_info_get_valuelen)
#endif
