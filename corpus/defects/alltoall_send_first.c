/* Planted defect: in a pairwise all-to-all both partners send before they receive.
 *
 * Origin: UCX PR 8594, libcircle PR 45, kamping PR 680, mpi4py PR 128, MANA PR 247. Axis:
 * buffering. Shows as: two or more ranks wait for each other if the library does not buffer their
 * sends; otherwise all is right.
 */
#include "corpus/collectives/collective.h"

static int alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, int send_first)
{
    int rank, size, error;
    struct temporary own = {0};
    MPI_Aint n = recvcount, extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    TRY(temporary_new(n * size, recvtype, &own));
    if (sendbuf == MPI_IN_PLACE)
        TRY(copy_elements(recvbuf, n * size, recvtype, own.data, n * size, recvtype));
    else
        TRY(copy_elements(sendbuf, (MPI_Aint)sendcount * size, sendtype, own.data, n * size,
                          recvtype));
    TRY(copy_elements(element_at(own.data, n * rank, extent), n, recvtype,
                      element_at(recvbuf, n * rank, extent), n, recvtype));
    for (int i = 1; i < size; i++) {
        int to = (rank + i) % size, from = (rank - i + size) % size;
        void *out = element_at(own.data, n * to, extent),
             *in = element_at(recvbuf, n * from, extent);
        if (send_first)
            TRY(send_then_receive_elements(out, n, to, in, n, from, recvtype, comm));
        else
            TRY(exchange_elements(out, n, to, in, n, from, recvtype, comm));
    }
done:
    free(own.base);
    return error;
}

int defect_alltoall_send_first(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                               void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 1);
}

int fixed_alltoall_send_first(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                              void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    return alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 0);
}

COLLECTIVE(alltoall, "", fixed_alltoall_send_first)
DEFECT(alltoall, "", defect_alltoall_send_first, fixed_alltoall_send_first, .expect = "deadlock",
       .axis = "buffering",
       .origin = "UCX PR 8594, libcircle PR 45, kamping PR 680, mpi4py PR 128, MANA PR 247")
