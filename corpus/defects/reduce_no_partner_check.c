/* Planted defect: the binomial reduction of the lecture without its patch `PARTNER < P`.
 *
 * Origin: the alpha-beta model, sections 23-25. Axis: P. Shows as: hang unless P is a power of
 * two: a rank waits for a partner that does not exist. The number of the partner is taken mod P,
 * and that rank sends elsewhere.
 */
#include "corpus/collectives/phases.h"

static int reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                  int root, MPI_Comm comm, int check)
{
    int rank, size, error;
    struct reduction r = {0};
    rank_and_size(comm, &rank, &size);
    TRY(reduction_start(&r, sendbuf, recvbuf, count, type, op, comm));
    for (int bit = 1; bit < size; bit *= 2) {
        int partner = rank ^ bit;
        if (rank & bit) {
            TRY(reduction_send(&r, partner));
            break;
        }
        if (partner < size || !check)
            TRY(reduction_receive(&r, partner % size));
    }
    if (root && rank == 0)
        TRY(reduction_send(&r, root));
    if (root && rank == root)
        TRY(receive_elements(recvbuf, count, type, 0, comm));
    else if (rank == root)
        TRY(reduction_result(&r, recvbuf));
done:
    reduction_done(&r);
    return error;
}

int defect_reduce_no_partner_check(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                   MPI_Op op, int root, MPI_Comm comm)
{
    return reduce(sendbuf, recvbuf, count, type, op, root, comm, 0);
}

int fixed_reduce_no_partner_check(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                  MPI_Op op, int root, MPI_Comm comm)
{
    return reduce(sendbuf, recvbuf, count, type, op, root, comm, 1);
}

COLLECTIVE(reduce, "", fixed_reduce_no_partner_check)
DEFECT(reduce, "", defect_reduce_no_partner_check, fixed_reduce_no_partner_check,
       .expect = "deadlock", .axis = "P", .origin = "the alpha-beta model, sections 23-25")
