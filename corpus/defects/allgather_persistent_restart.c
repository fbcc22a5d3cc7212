/* Planted defect: a persistent allgather does not reset the step counter of its plan when it is
 * started again.
 *
 * Origin: MPICH #6423. Axis: persistent. Shows as: wrong result, as the second start does nothing.
 * Here one call makes its plan, starts it with other data, like a program that iterates, and starts
 * it again with the given data.
 */
#include "corpus/collectives/collective.h"

struct plan {
    int step;
    void *blocks;
    MPI_Aint n;
    MPI_Datatype type;
    MPI_Comm comm;
};

static int plan_start(struct plan *p, int set_anew)
{
    int rank, size, error = MPI_SUCCESS;
    MPI_Aint extent = extent_of(p->type);
    rank_and_size(p->comm, &rank, &size);
    if (set_anew)
        p->step = 0;
    for (; p->step < size - 1 && !error; p->step++) {
        int out = (rank - p->step + size) % size, in = (rank - p->step - 1 + size) % size;
        error = exchange_elements(element_at(p->blocks, p->n * out, extent), p->n,
                                  (rank + 1) % size, element_at(p->blocks, p->n * in, extent), p->n,
                                  (rank - 1 + size) % size, p->type, p->comm);
    }
    return error;
}

static int allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm, int set_anew)
{
    int rank, size, error;
    struct temporary blocks = {0};
    MPI_Aint n = recvcount, extent = extent_of(recvtype), true_lower, true_extent;
    rank_and_size(comm, &rank, &size);
    MPI_Type_get_true_extent(recvtype, &true_lower, &true_extent);
    TRY(temporary_new(n * size, recvtype, &blocks));
    if (n)
        memset((char *)blocks.data + true_lower, 0,
               (size_t)((n * size - 1) * extent + true_extent));
    struct plan plan = {.blocks = blocks.data, .n = n, .type = recvtype, .comm = comm};
    TRY(plan_start(&plan, set_anew));
    if (sendbuf == MPI_IN_PLACE)
        TRY(copy_elements(element_at(recvbuf, n * rank, extent), n, recvtype,
                          element_at(blocks.data, n * rank, extent), n, recvtype));
    else
        TRY(copy_elements(sendbuf, sendcount, sendtype, element_at(blocks.data, n * rank, extent),
                          n, recvtype));
    TRY(plan_start(&plan, set_anew));
    TRY(copy_elements(blocks.data, n * size, recvtype, recvbuf, n * size, recvtype));
done:
    free(blocks.base);
    return error;
}

int defect_allgather_persistent_restart(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                        MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 0);
}

int fixed_allgather_persistent_restart(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm)
{
    return allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, 1);
}

COLLECTIVE(allgather, "", fixed_allgather_persistent_restart)
DEFECT(allgather, "", defect_allgather_persistent_restart, fixed_allgather_persistent_restart,
       .expect = "wrong result", .axis = "persistent", .origin = "MPICH #6423")
