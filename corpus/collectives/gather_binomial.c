/* Gather up a binomial tree: the scatter of the alpha-beta model, section 38, backwards.
 *
 * Source: the dual of scatter.binomial. Any number of ranks, any root. Places are counted from the
 * root on. The first place of a range receives the upper part from the first place of that part.
 * ceil(lg P) rounds; the root receives each block once.
 *
 * Example, P = 6, root 0: 1->0 b, 3->2 d, 5->4 f; 2->0 cd; 4->0 ef.
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/collective.h"

/* Puts blocks in the order of places into the order of ranks. */
static int blocks_to_ranks(const struct temporary *held, MPI_Aint n, MPI_Datatype type, int root,
                           int size, void *recvbuf)
{
    MPI_Aint extent = extent_of(type);
    int error;
    TRY(copy_elements(held->data, n * (size - root), type, element_at(recvbuf, n * root, extent),
                      n * (size - root), type));
    TRY(copy_elements(element_at(held->data, n * (size - root), extent), n * root, type, recvbuf,
                      n * root, type));
done:
    return error;
}

int cw_gather_binomial(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    int me = (rank - root + size) % size;
    MPI_Datatype type = me ? sendtype : recvtype;
    MPI_Aint n = me ? sendcount : recvcount, extent = extent_of(type);
    int span =
        me ? me & -me
           : power_of_two_from(size); /* this rank collects those of the places me..me+span-1 */
    if (me + span > size)
        span = size - me;
    struct temporary held = {0};
    void *blocks = NULL;

    if (me && span == 1)
        return MPI_Send(sendbuf, sendcount, sendtype, (rank - (me & -me) + size) % size,
                        COLLECTIVE_TAG, comm);
    if (!me && !root) {
        blocks = recvbuf;
    } else {
        TRY(temporary_new(n * span, type, &held));
        blocks = held.data;
    }
    if (sendbuf != MPI_IN_PLACE)
        TRY(copy_elements(sendbuf, sendcount, sendtype, blocks, n, type));
    else if (blocks != recvbuf)
        TRY(copy_elements(element_at(recvbuf, n * root, extent), n, type, blocks, n, type));
    for (int width = 1; width < span; width *= 2) {
        int upper = span - width < width ? span - width : width;
        TRY(receive_elements(element_at(blocks, n * width, extent), n * upper, type,
                             (rank + width) % size, comm));
    }
    if (me)
        TRY(send_elements(blocks, n * span, type, (rank - (me & -me) + size) % size, comm));
    else if (root)
        TRY(blocks_to_ranks(&held, n, type, root, size, recvbuf));
done:
    free(held.base);
    return error;
}

COLLECTIVE(gather, "gather.binomial", cw_gather_binomial)
