/* Declares algorithms from which others are built. */
#ifndef CORPUS_COLLECTIVES_BUILDING_BLOCKS_H
#define CORPUS_COLLECTIVES_BUILDING_BLOCKS_H

#include <mpi.h>

int cw_bcast_binomial(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
int cw_reduce_binomial(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                       int root, MPI_Comm comm);
int cw_gather_binomial(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);

#endif
