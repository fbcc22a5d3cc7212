/* Planted defect: in an allreduce every rank collects all operands and combines them, starting with
 * its own.
 *
 * Origin: Open MPI PR 12258, MPICH ba1b4dd1. Axis: operation. Shows as: with floating point the
 * ranks' results differ in the last bits, since a sum depends on its order; each result alone looks
 * right. (With an operation that does not commute it combines in rank order.)
 */
#include "corpus/collectives/phases.h"

static int allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm, int own_first)
{
    struct ring ring = ring_of_all(comm);
    struct temporary all = {0};
    MPI_Aint *start = pieces_same(count, ring.size), extent = extent_of(type);
    int error;
    if (!start)
        TRY(MPI_ERR_NO_MEM);
    TRY(temporary_new(start[ring.size], type, &all));
    TRY(copy_elements(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type,
                      element_at(all.data, start[ring.me], extent), count, type));
    TRY(ring_allgather(&ring, all.data, start, type));
    int first = own_first && is_commutative(op) ? ring.me : 0, last = first;
    for (int i = 1; i < ring.size; i++) {
        int next = (first + i) % ring.size;
        TRY(reduce_elements(element_at(all.data, start[last], extent),
                            element_at(all.data, start[next], extent), count, type, op));
        last = next;
    }
    TRY(copy_elements(element_at(all.data, start[last], extent), count, type, recvbuf, count,
                      type));
done:
    free(all.base);
    free(start);
    return error;
}

int defect_allreduce_disagreement(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm)
{
    return allreduce(sendbuf, recvbuf, count, type, op, comm, 1);
}

int fixed_allreduce_disagreement(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                 MPI_Op op, MPI_Comm comm)
{
    return allreduce(sendbuf, recvbuf, count, type, op, comm, 0);
}

COLLECTIVE(allreduce, "", fixed_allreduce_disagreement)
DEFECT(allreduce, "", defect_allreduce_disagreement, fixed_allreduce_disagreement,
       .expect = "disagreement", .axis = "operation", .origin = "Open MPI PR 12258, MPICH ba1b4dd1")
