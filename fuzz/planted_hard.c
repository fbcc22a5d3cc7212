/* Mistakes that show only if several conditions hold at once. They measure what guides the fuzzer
 * (make bench-fuzz), as the first scenarios find most of corpus/defects with any guidance. Some
 * conditions are drawn by chance, others are those of real defects.
 *
 * In most of them a correct collective loses an element under conditions that are tested one after
 * the other, like the branches of an algorithm: coverage shows how far a scenario gets. The last
 * two depend on the order of arrival and on the places of blocks.
 */
#include "corpus/collectives/collective.h"

#include <stdbool.h>

/* The tested properties of a call. */
struct call {
    int size, root, count;
    bool in_place, commutes, again; /* again: not the rank's first call */
    bool strided;                   /* elements have gaps */
    MPI_Comm comm;
};
typedef bool (*condition_fn)(const struct call *call);

static int calls;

static struct call call_of(int count, MPI_Datatype type, MPI_Op op, int root, const void *buffer,
                           MPI_Comm comm)
{
    struct call call = {.root = root, .count = count, .comm = comm, .again = calls++ > 0};
    int bytes;
    MPI_Comm_size(comm, &call.size);
    MPI_Type_size(type, &bytes);
    call.strided = bytes != extent_of(type);
    call.in_place = buffer == MPI_IN_PLACE;
    call.commutes = op == MPI_OP_NULL || is_commutative(op);
    return call;
}

/* Stands for an algorithm's work between two branches, and keeps the compiler from merging them. */
static __attribute__((noinline)) bool on(void)
{
    __asm__ volatile("");
    return true;
}

/* --- correct collectives that lose an element under a condition ------------------------------- */

static bool never(const struct call *call)
{
    (void)call;
    return false;
}

static int less(condition_fn condition, const struct call *call)
{
    return call->count > 0 && condition(call);
}

static int bcast(condition_fn condition, COLLECTIVE_ARGUMENTS_bcast)
{
    const struct call call = call_of(count, type, MPI_OP_NULL, root, buffer, comm);
    int rank, error = MPI_SUCCESS;
    MPI_Comm_rank(comm, &rank);
    if (rank != root)
        return MPI_Recv(buffer, count, type, root, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE);
    count -= less(condition, &call);
    for (int i = 0; i < call.size; i++)
        if (i != root)
            TRY(MPI_Send(buffer, count, type, i, COLLECTIVE_TAG, comm));
done:
    return error;
}

static int allreduce(condition_fn condition, COLLECTIVE_ARGUMENTS_allreduce)
{
    const struct call call = call_of(count, type, op, 0, sendbuf, comm);
    int rank, error;
    MPI_Comm_rank(comm, &rank);
    if (sendbuf == MPI_IN_PLACE && rank)
        sendbuf = recvbuf;
    TRY(MPI_Reduce(sendbuf, recvbuf, count, type, op, 0, comm));
    TRY(MPI_Bcast(recvbuf, count - less(condition, &call), type, 0, comm));
done:
    return error;
}

static int reduce(condition_fn condition, COLLECTIVE_ARGUMENTS_reduce)
{
    const struct call call = call_of(count, type, op, root, sendbuf, comm);
    return MPI_Reduce(sendbuf, recvbuf, count - less(condition, &call), type, op, root, comm);
}

static int gather(condition_fn condition, COLLECTIVE_ARGUMENTS_gather)
{
    const struct call call = call_of(sendcount, sendtype, MPI_OP_NULL, root, sendbuf, comm);
    int rank, error = MPI_SUCCESS;
    MPI_Comm_rank(comm, &rank);
    if (rank != root)
        return MPI_Send(sendbuf, sendcount - less(condition, &call), sendtype, root, COLLECTIVE_TAG,
                        comm);
    for (int i = 0; i < call.size; i++) {
        void *at = element_at(recvbuf, (MPI_Aint)i * recvcount, extent_of(recvtype));
        if (i != root)
            TRY(MPI_Recv(at, recvcount, recvtype, i, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
        else if (sendbuf != MPI_IN_PLACE)
            TRY(copy_elements(sendbuf, sendcount, sendtype, at, recvcount, recvtype));
    }
done:
    return error;
}

static int allgather(condition_fn condition, COLLECTIVE_ARGUMENTS_allgather)
{
    const struct call call = call_of(recvcount, recvtype, MPI_OP_NULL, 0, sendbuf, comm);
    int rank, error = MPI_SUCCESS, lost = less(condition, &call);
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < call.size; i++) {
        void *at = element_at(recvbuf, (MPI_Aint)i * recvcount, extent_of(recvtype));
        if (i == rank && sendbuf != MPI_IN_PLACE)
            TRY(copy_elements(sendbuf, sendcount, sendtype, at, recvcount, recvtype));
        TRY(MPI_Bcast(at, recvcount - lost, recvtype, i, comm));
    }
done:
    return error;
}

#define CORRECT(kind, ...)                                 \
    static int correct_##kind(COLLECTIVE_ARGUMENTS_##kind) \
    {                                                      \
        return kind(never, __VA_ARGS__);                   \
    }                                                      \
    COLLECTIVE(kind, "", correct_##kind)
#define PLANT(kind, name, ...)                                                          \
    static int name(COLLECTIVE_ARGUMENTS_##kind)                                        \
    {                                                                                   \
        return kind(when_##name, __VA_ARGS__);                                          \
    }                                                                                   \
    DEFECT(kind, "", name, correct_##kind, .expect = "wrong result", .axis = "several", \
           .origin = "drawn")
#define PASSED_bcast buffer, count, type, root, comm
#define PASSED_allreduce sendbuf, recvbuf, count, type, op, comm
#define PASSED_reduce sendbuf, recvbuf, count, type, op, root, comm
#define PASSED_gather sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
#define PASSED_allgather sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm

CORRECT(bcast, PASSED_bcast)
CORRECT(allreduce, PASSED_allreduce)
CORRECT(reduce, PASSED_reduce)
CORRECT(gather, PASSED_gather)
CORRECT(allgather, PASSED_allgather)

#define WHEN(kind, name, expression)              \
    static bool when_##name(const struct call *c) \
    {                                             \
        return expression;                        \
    }                                             \
    PLANT(kind, name, PASSED_##kind)

#define AND_2(a, b) (a) && on() && (b)
#define AND_3(a, b, c) (a) && on() && AND_2(b, c)
#define AND_4(a, b, c, d) (a) && on() && AND_3(b, c, d)
#define AND_5(a, b, c, d, e) (a) && on() && AND_4(b, c, d, e)

/* --- the conditions --------------------------------------------------------------------------- */

WHEN(allreduce, deep_allreduce_1, AND_3(c->again, c->count == 16, !c->commutes))
WHEN(allreduce, deep_allreduce_2, AND_3(c->count == 16, !c->commutes, c->size % 5 == 1))
WHEN(allreduce, deep_allreduce_3, AND_3(c->size % 4 == 3, c->size % 3 == 0, c->size > 32))
WHEN(allreduce, deep_allreduce_4,
     AND_4(!is_power_of_two(c->size) && c->size > 8, c->in_place, !c->commutes,
           c->count > 5 && c->count % 5 == 0))
WHEN(bcast, deep_bcast_1, AND_3(c->root > c->size / 2, c->size == 13, c->count == 1))
WHEN(bcast, deep_bcast_2, AND_3(c->count == 14, c->root > c->size / 2, c->again))
WHEN(bcast, deep_bcast_3,
     AND_3(c->count % 5 == 3, c->root == c->size - 1, c->size > 1 && c->count % 8 == 2))
WHEN(bcast, deep_bcast_4, AND_4(c->size > 8, c->root > 0, c->count > 8, c->count % 4 == 1))
WHEN(bcast, deep_bcast_5, AND_4(c->strided, c->count % 2 && c->count > 8, c->root > 0, c->again))
WHEN(gather, deep_gather_1, AND_3(c->size % 3 == 2, c->count > 100, c->size % 2))
WHEN(gather, deep_gather_2, AND_3(c->root > 0 && c->root == c->size - 1, c->count > 64, c->again))
WHEN(gather, deep_gather_3,
     AND_4(c->count > 32, c->root != 0, !is_power_of_two(c->size), c->count % 5 == 1))
WHEN(allgather, deep_allgather_1, AND_4(c->size % 2, c->count == 4, c->again, c->size == 9))
WHEN(allgather, deep_allgather_2,
     AND_4(c->count == 9, !is_power_of_two(c->size), c->in_place, c->again))
WHEN(allgather, deep_allgather_3, AND_3(c->size == 15, c->again, c->count < c->size))
WHEN(reduce, deep_reduce_1, AND_4(c->count % 8 == 7, c->again, !c->commutes, c->size == 17))
WHEN(reduce, deep_reduce_2, AND_4(!c->commutes, c->count % 4 == 3, c->count > 100, c->again))
WHEN(reduce, deep_reduce_3,
     AND_5(c->in_place, c->root > 0, !c->commutes, c->size % 2, c->count > 16))

/* --- what arrives when, where blocks lie ------------------------------------------------------ */

enum { RUN = 4, RANKS_RUN = 5, RANKS_PLACES = 7, BLOCK = 7 };

/* Gathers in order of arrival. Wrong: if RUN consecutive messages come from lower and lower ranks,
 * the last one is stored in the root's place. */
static int gather_as_they_come(bool wrong, COLLECTIVE_ARGUMENTS_gather)
{
    int rank, size, error = MPI_SUCCESS, before = -1, run = 0;
    MPI_Aint extent = extent_of(recvtype);
    rank_and_size(comm, &rank, &size);
    if (rank != root)
        TRY(MPI_Send(sendbuf, sendcount, sendtype, root, COLLECTIVE_TAG, comm));
    else if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype,
                          element_at(recvbuf, (MPI_Aint)recvcount * root, extent), recvcount,
                          recvtype));
    for (int i = 1; i < size && rank == root; i++) {
        MPI_Status status;
        TRY(MPI_Probe(MPI_ANY_SOURCE, COLLECTIVE_TAG, comm, &status));
        int from = status.MPI_SOURCE;
        run = before >= 0 && from < before ? run + 1 : 0;
        before = from;
        MPI_Aint at = wrong && size > RANKS_RUN && run == RUN ? root : from;
        TRY(MPI_Recv(element_at(recvbuf, recvcount * at, extent), recvcount, recvtype, from,
                     COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
    }
    TRY(MPI_Barrier(comm)); /* no message of the next call comes before */
done:
    return error;
}

static int correct_gather_as_they_come(COLLECTIVE_ARGUMENTS_gather)
{
    return gather_as_they_come(false, PASSED_gather);
}

static int deep_gather_4(COLLECTIVE_ARGUMENTS_gather)
{
    return gather_as_they_come(true, PASSED_gather);
}

COLLECTIVE(gather, "", correct_gather_as_they_come)
DEFECT(gather, "", deep_gather_4, correct_gather_as_they_come, .expect = "wrong result",
       .axis = "order", .origin = "own")

/* Sends blocks one by one. Wrong: a rank with no data for itself, with a block of exactly BLOCK
 * elements, and with its first block after its second one, sends that block to the next rank. */
static int alltoallv_linear(bool wrong, COLLECTIVE_ARGUMENTS_alltoallv)
{
    int rank, size, error = MPI_SUCCESS, shift = 0;
    rank_and_size(comm, &rank, &size);
    if (sendbuf == MPI_IN_PLACE)
        return MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                             recvtype, comm);
    if (wrong && size >= RANKS_PLACES && sendcounts[rank] == 0 && on() && sdispls[0] > sdispls[1])
        for (int i = 0; i < size; i++)
            if (sendcounts[i] == BLOCK)
                shift = 1;
    for (int step = 0; step < size; step++) {
        int to = (rank + step) % size, from = (rank - step + size) % size;
        TRY(MPI_Sendrecv(element_at(sendbuf, sdispls[to] + shift, extent_of(sendtype)),
                         sendcounts[to], sendtype, to, COLLECTIVE_TAG,
                         element_at(recvbuf, rdispls[from], extent_of(recvtype)), recvcounts[from],
                         recvtype, from, COLLECTIVE_TAG, comm, MPI_STATUS_IGNORE));
    }
done:
    return error;
}

#define PASSED_alltoallv \
    sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm

static int correct_alltoallv(COLLECTIVE_ARGUMENTS_alltoallv)
{
    return alltoallv_linear(false, PASSED_alltoallv);
}

static int deep_alltoallv(COLLECTIVE_ARGUMENTS_alltoallv)
{
    return alltoallv_linear(true, PASSED_alltoallv);
}

COLLECTIVE(alltoallv, "", correct_alltoallv)
DEFECT(alltoallv, "", deep_alltoallv, correct_alltoallv, .expect = "wrong result",
       .axis = "several", .origin = "own")
