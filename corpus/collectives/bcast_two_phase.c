/* Broadcast in two phases: the root gives each rank its part of the message, then every rank gives
 * its part to all.
 *
 * Source: independent broadcast, algorithm 4. Any number of ranks, any root; useful if the message
 * has more words than there are ranks. A direct scatter, P-1 rounds, then an exchange of all with
 * all, P-1 rounds; in round i with the ranks i to the right and i to the left.
 *
 * Example, P = 3, root 0, message abc: 0 sends b to 1, c to 2; then 0->1 a, 1->2 b, 2->0 c; then
 * 0->2 a, 1->0 b, 2->1 c.
 */
#include "corpus/collectives/building_blocks.h"
#include "corpus/collectives/packed.h"
#include "corpus/collectives/phases.h"

int cw_bcast_two_phase(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, error;
    char *all = NULL;
    MPI_Aint *start = NULL, bytes = 0;
    rank_and_size(comm, &rank, &size);
    if (!packed_fits(count, type))
        return cw_bcast_binomial(buffer, count, type, root, comm);
    TRY(packed_new(buffer, count, type, rank == root, &all, &bytes));
    if (!(start = pieces_even(bytes, size)))
        TRY(MPI_ERR_NO_MEM);
    if (rank == root) {
        for (int i = 1; i < size; i++) {
            int to = (root + i) % size;
            TRY(send_elements(all + start[to], start[to + 1] - start[to], MPI_PACKED, to, comm));
        }
    } else {
        TRY(receive_elements(all + start[rank], start[rank + 1] - start[rank], MPI_PACKED, root,
                             comm));
    }
    for (int i = 1; i < size; i++) {
        int to = (rank + i) % size, from = (rank - i + size) % size;
        TRY(exchange_elements(all + start[rank], start[rank + 1] - start[rank], to,
                              all + start[from], start[from + 1] - start[from], from, MPI_PACKED,
                              comm));
    }
    if (rank != root)
        TRY(packed_take(all, bytes, buffer, count, type));
done:
    free(all);
    free(start);
    return error;
}

COLLECTIVE(bcast, "bcast.two_phase", cw_bcast_two_phase)
