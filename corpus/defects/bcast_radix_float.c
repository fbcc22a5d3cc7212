/* Planted defect: a k-ary broadcast computes the depth of its tree by a logarithm in floating
 * point.
 *
 * Origin: MPICH 45bcce60. Axis: P. Shows as: wrong result. If P - 1 is a power of k and the
 * quotient of the logarithms is just below the integer, the tree lacks a level: k = 2 with P = 9 or
 * 65, k = 6 with P = 7 or 37. Ranks outside of the tree act as if they were the root.
 */
#include "corpus/collectives/collective.h"

#include <math.h>

/* Computes the smallest r with k^r >= size, not exactly. */
static int depth_by_float(int size, int k)
{
    return size > 1 ? (int)(log(size - 1) * (1 / log(k))) + 1 : 0;
}

static int depth_by_counting(int size, int k)
{
    int depth = 0;
    for (long reach = 1; reach < size; reach *= k)
        depth++;
    return depth;
}

static int bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int k,
                 int depth)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    int me = (rank - root + size) % size;
    long reach = 1;
    while (depth--)
        reach *= k;
    for (; reach > 1 && !error; reach /= k) {
        long step = reach / k, place = me % reach;
        if (place == 0) {
            for (int j = 1; j < k && me + j * step < size && !error; j++)
                error = MPI_Send(buffer, count, type, (int)((rank + j * step) % size),
                                 COLLECTIVE_TAG, comm);
        } else if (place % step == 0) {
            error = MPI_Recv(buffer, count, type, (int)((rank - place + size) % size),
                             COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
        }
    }
    return error;
}

int defect_bcast_radix_float(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                             int k)
{
    int size;
    MPI_Comm_size(comm, &size);
    return k < 2 ? MPI_ERR_ARG : bcast(buffer, count, type, root, comm, k, depth_by_float(size, k));
}

int fixed_bcast_radix_float(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                            int k)
{
    int size;
    MPI_Comm_size(comm, &size);
    return k < 2 ? MPI_ERR_ARG
                 : bcast(buffer, count, type, root, comm, k, depth_by_counting(size, k));
}

COLLECTIVE(bcast_k, "bcast.kary", fixed_bcast_radix_float)
DEFECT(bcast_k, "bcast.kary", defect_bcast_radix_float, fixed_bcast_radix_float,
       .expect = "wrong result", .axis = "P", .origin = "MPICH 45bcce60")
