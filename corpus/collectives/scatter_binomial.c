/* Scatter down a binomial tree: a rank that holds the blocks of a range of ranks sends the blocks
 * of the upper part to the first rank of that part.
 *
 * Source: the alpha-beta model, section 38; primitives by topology. Any number of ranks, any root.
 * The lower part is the largest power of two below the size of the range. So there are ceil(lg P)
 * rounds, and the root sends each block except its own once.
 *
 * Example, P = 6, root 0, blocks abcdef: 0->4 ef; 0->2 cd, 4->5 f; 0->1 b, 2->3 d.
 */
#include "corpus/collectives/collective.h"

/* Copies the root's blocks into the order of places, which are counted from the root on. */
static int blocks_from_root_on(const void *sendbuf, MPI_Aint n, MPI_Datatype type, int root,
                               int size, struct temporary *out)
{
    MPI_Aint extent = extent_of(type);
    int error;
    TRY(temporary_new(n * size, type, out));
    TRY(copy_elements(element_at(sendbuf, n * root, extent), n * (size - root), type, out->data,
                      n * (size - root), type));
    TRY(copy_elements(sendbuf, n * root, type, element_at(out->data, n * (size - root), extent),
                      n * root, type));
done:
    return error;
}

int cw_scatter_binomial(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                        int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    int me = (rank - root + size) % size, low = 0, high = size;
    MPI_Datatype type = me ? recvtype : sendtype;
    MPI_Aint n = me ? recvcount : sendcount, extent = extent_of(type);
    struct temporary held = {0}; /* the blocks from place `me` on */
    const void *blocks = me ? NULL : sendbuf;

    if (!me && root) {
        TRY(blocks_from_root_on(sendbuf, n, type, root, size, &held));
        blocks = held.data;
    }
    while (high - low > 1) {
        int middle = low + power_of_two_from(high - low) / 2;
        MPI_Aint upper = n * (high - middle);
        if (me == low) {
            TRY(send_elements(element_at(blocks, n * (middle - low), extent), upper, type,
                              (middle + root) % size, comm));
        } else if (me == middle && high - middle == 1) {
            TRY(receive_elements(recvbuf, n, type, (low + root) % size, comm));
        } else if (me == middle) {
            TRY(temporary_new(upper, type, &held));
            blocks = held.data;
            TRY(receive_elements(held.data, upper, type, (low + root) % size, comm));
        }
        if (me < middle)
            high = middle;
        else
            low = middle;
    }
    if (blocks && recvbuf != MPI_IN_PLACE)
        TRY(copy_elements(blocks, n, type, recvbuf, recvcount, recvtype));
done:
    free(held.base);
    return error;
}

COLLECTIVE(scatter, "scatter.binomial", cw_scatter_binomial)
