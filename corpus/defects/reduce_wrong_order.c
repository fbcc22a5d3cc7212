/* Planted defect: a binomial reduction numbers the ranks from the root on, and combines operands in
 * the order of these numbers.
 *
 * Origin: the classic mistake with operations that do not commute. Axis: operation, root. Shows as:
 * wrong result with a root other than 0 and an operation that does not commute: x(root) ... x(P-1)
 * x0 ... instead of x0 ... x(P-1).
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/phases.h"

int defect_reduce_wrong_order(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                              MPI_Op op, int root, MPI_Comm comm)
{
    int rank, size, error;
    struct temporary mine = {0}, theirs = {0};
    rank_and_size(comm, &rank, &size);
    int me = (rank - root + size) % size;
    TRY(temporary_new(count, type, &mine));
    TRY(temporary_new(count, type, &theirs));
    TRY(copy_elements(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type, mine.data, count,
                      type));
    for (int bit = 1; bit < size; bit *= 2) {
        if (me & bit) {
            TRY(send_elements(mine.data, count, type, (rank - bit + size) % size, comm));
            break;
        }
        if (me + bit < size) {
            TRY(receive_elements(theirs.data, count, type, (rank + bit) % size, comm));
            TRY(combine(&mine, &theirs, 0, count, type, op));
        }
    }
    if (rank == root)
        TRY(copy_elements(mine.data, count, type, recvbuf, count, type));
done:
    free(mine.base);
    free(theirs.base);
    return error;
}

/* Combines in rank order if the operation does not commute, at the price of one more message. */
int fixed_reduce_wrong_order(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                             MPI_Op op, int root, MPI_Comm comm)
{
    return is_commutative(op)
               ? defect_reduce_wrong_order(sendbuf, recvbuf, count, type, op, root, comm)
               : cw_reduce_binomial(sendbuf, recvbuf, count, type, op, root, comm);
}

COLLECTIVE(reduce, "reduce.binomial", fixed_reduce_wrong_order)
DEFECT(reduce, "reduce.binomial", defect_reduce_wrong_order, fixed_reduce_wrong_order,
       .expect = "wrong result", .axis = "operation, root",
       .origin = "wrong order in a rotated tree")
