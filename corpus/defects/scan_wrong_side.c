/* Planted defect: in prefix sums on a hypercube the lower partner adds to its result, not the upper
 * one.
 *
 * Origin: the classic mistake with the scan (primitives by topology). Axis: P. Shows as: wrong
 * result with two or more ranks: suffix sums.
 */
#include "corpus/collectives/collective.h"

static int scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                MPI_Comm comm, int upper_adds)
{
    int rank, size, error;
    struct temporary sum = {0}, theirs = {0};
    rank_and_size(comm, &rank, &size);
    TRY(temporary_new(count, type, &sum));
    TRY(temporary_new(count, type, &theirs));
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, count, type, recvbuf, count, type));
    TRY(copy_elements(recvbuf, count, type, sum.data, count, type));
    for (int bit = 1; bit < size; bit *= 2) {
        int partner = rank ^ bit;
        if (partner >= size)
            continue;
        TRY(exchange_elements(sum.data, count, partner, theirs.data, count, partner, type, comm));
        if ((partner < rank) == upper_adds)
            TRY(reduce_elements(theirs.data, recvbuf, count, type, op));
        TRY(combine(&sum, &theirs, partner < rank, count, type, op));
    }
done:
    free(sum.base);
    free(theirs.base);
    return error;
}

int defect_scan_wrong_side(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                           MPI_Op op, MPI_Comm comm)
{
    return scan(sendbuf, recvbuf, count, type, op, comm, 0);
}

int fixed_scan_wrong_side(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                          MPI_Op op, MPI_Comm comm)
{
    return scan(sendbuf, recvbuf, count, type, op, comm, 1);
}

COLLECTIVE(scan, "scan.hypercube", fixed_scan_wrong_side)
DEFECT(scan, "scan.hypercube", defect_scan_wrong_side, fixed_scan_wrong_side,
       .expect = "wrong result", .axis = "P", .origin = "wrong side in the scan")
