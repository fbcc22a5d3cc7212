/* Offsets beyond 2^31 bytes: computed in an int or an unsigned they wrap, in an MPI_Aint they do
 * not. An allgather that counts bytes (count * size), an alltoallv that counts extents. */
#include <mpi.h>
#include <string.h>

static int is_contiguous(MPI_Datatype type, int *size)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Type_size(type, size);
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    return lower == 0 && true_lower == 0 && extent == *size && true_extent == *size;
}

static MPI_Aint offset(int narrow, MPI_Aint a, MPI_Aint b, MPI_Aint c)
{
    return narrow ? (MPI_Aint)((unsigned)a * (unsigned)b * (unsigned)c) : a * b * c;
}

/* Each rank's block goes round in a ring. */
static int allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm, int narrow)
{
    int rank, size, bytes, send_bytes;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (!is_contiguous(recvtype, &bytes) || !is_contiguous(sendtype, &send_bytes) ||
        sendbuf == MPI_IN_PLACE)
        return MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
    char *all = recvbuf;
    memcpy(all + offset(narrow, rank, recvcount, bytes), sendbuf, (size_t)sendcount * send_bytes);
    for (int step = 0; step < size - 1; step++) {
        int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
        MPI_Sendrecv(all + offset(narrow, out, recvcount, bytes), recvcount, recvtype,
                     (rank + 1) % size, 1, all + offset(narrow, in, recvcount, bytes), recvcount,
                     recvtype, (rank + size - 1) % size, 1, comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}
static int wrong_allgather(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
                           MPI_Comm c)
{
    return allgather(s, n, t, r, m, u, c, 1);
}
static int right_allgather(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u,
                           MPI_Comm c)
{
    return allgather(s, n, t, r, m, u, c, 0);
}

static int alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[],
                     MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                     const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, int narrow)
{
    int rank, size;
    MPI_Aint lower, out, in;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Type_get_extent(sendtype, &lower, &out);
    MPI_Type_get_extent(recvtype, &lower, &in);
    for (int step = 0; step < size; step++) {
        int to = (rank + step) % size, from = (rank + size - step) % size;
        MPI_Sendrecv((const char *)sendbuf + sdispls[to] * out, sendcounts[to], sendtype, to, 1,
                     (char *)recvbuf + offset(narrow, rdispls[from], in, 1), recvcounts[from],
                     recvtype, from, 1, comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}
static int wrong_alltoallv(const void *s, const int n[], const int d[], MPI_Datatype t, void *r,
                           const int m[], const int e[], MPI_Datatype u, MPI_Comm c)
{
    return alltoallv(s, n, d, t, r, m, e, u, c, 1);
}
static int right_alltoallv(const void *s, const int n[], const int d[], MPI_Datatype t, void *r,
                           const int m[], const int e[], MPI_Datatype u, MPI_Comm c)
{
    return alltoallv(s, n, d, t, r, m, e, u, c, 0);
}

COLLECTIVE(allgather, "", wrong_allgather)
COLLECTIVE(allgather, "", right_allgather)
COLLECTIVE(alltoallv, "", wrong_alltoallv, .no_in_place = 1)
COLLECTIVE(alltoallv, "", right_alltoallv, .no_in_place = 1)
