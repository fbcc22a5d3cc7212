/* Constants that are newer than mpi.h, with the values of Open MPI 5. The mpi.h that worlds for
 * other ABIs are compiled with defines them before (shims/). */
#ifndef WORLD_NEWER_CONSTANTS_H
#define WORLD_NEWER_CONSTANTS_H

#ifndef MPI_ERR_SESSION
#define MPI_ERR_SESSION 78
#endif
#ifndef MPI_COMBINER_VALUE_INDEX
#define MPI_COMBINER_VALUE_INDEX 100 /* Open MPI 5 has none */
#endif
#ifndef MPI_SESSION_NULL
struct ompi_predefined_instance_t;
extern struct ompi_predefined_instance_t ompi_mpi_instance_null;
#define MPI_SESSION_NULL ((MPI_Session)(void *)&ompi_mpi_instance_null)
#endif

#endif
