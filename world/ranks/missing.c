/* Functions that programs may name and worlds cannot do: they are there to be linked with, and a
 * call ends the world. Without mpi.h, as one shape stands for all. */
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
MISSING(MPIX_Allgather_init)
MISSING(PMPIX_Allgather_init)
MISSING(MPIX_Allgatherv_init)
MISSING(PMPIX_Allgatherv_init)
MISSING(MPIX_Allreduce_init)
MISSING(PMPIX_Allreduce_init)
MISSING(MPIX_Alltoall_init)
MISSING(PMPIX_Alltoall_init)
MISSING(MPIX_Alltoallv_init)
MISSING(PMPIX_Alltoallv_init)
MISSING(MPIX_Alltoallw_init)
MISSING(PMPIX_Alltoallw_init)
MISSING(MPIX_Barrier_init)
MISSING(PMPIX_Barrier_init)
MISSING(MPIX_Bcast_init)
MISSING(PMPIX_Bcast_init)
MISSING(MPIX_Exscan_init)
MISSING(PMPIX_Exscan_init)
MISSING(MPIX_Gather_init)
MISSING(PMPIX_Gather_init)
MISSING(MPIX_Gatherv_init)
MISSING(PMPIX_Gatherv_init)
MISSING(MPIX_Neighbor_allgather_init)
MISSING(PMPIX_Neighbor_allgather_init)
MISSING(MPIX_Neighbor_allgatherv_init)
MISSING(PMPIX_Neighbor_allgatherv_init)
MISSING(MPIX_Neighbor_alltoall_init)
MISSING(PMPIX_Neighbor_alltoall_init)
MISSING(MPIX_Neighbor_alltoallv_init)
MISSING(PMPIX_Neighbor_alltoallv_init)
MISSING(MPIX_Neighbor_alltoallw_init)
MISSING(PMPIX_Neighbor_alltoallw_init)
MISSING(MPIX_Reduce_init)
MISSING(PMPIX_Reduce_init)
MISSING(MPIX_Reduce_scatter_block_init)
MISSING(PMPIX_Reduce_scatter_block_init)
MISSING(MPIX_Reduce_scatter_init)
MISSING(PMPIX_Reduce_scatter_init)
MISSING(MPIX_Scan_init)
MISSING(PMPIX_Scan_init)
MISSING(MPIX_Scatter_init)
MISSING(PMPIX_Scatter_init)
MISSING(MPIX_Scatterv_init)
MISSING(PMPIX_Scatterv_init)

/* Internals of Open MPI that its Fortran and C++ libraries call when they spawn. */
MISSING(ompi_fortran_argv_blank_f2c)
MISSING(ompi_fortran_argv_count_f2c)
MISSING(ompi_fortran_multiple_argvs_f2c)

/* Those that the Fortran functions of mpifh.c stand in front of, and the C++ bindings'. */
MISSING(ompi_attr_create_keyval_aint)
MISSING(ompi_attr_create_keyval_fint)
MISSING(ompi_attr_get_aint)
MISSING(ompi_attr_get_fint)
MISSING(ompi_attr_set_aint)
MISSING(ompi_attr_set_fint)
MISSING(ompi_attr_create_keyval)
MISSING(ompi_op_set_cxx_callback)
MISSING(ompi_mpi_errors_throw_exceptions)
#endif
