/* Planted defect: in a barrier between two groups, as of an intercommunicator, a rank does nothing
 * if it is alone in its group.
 *
 * Origin: MPICH #2284. Axis: P = 1 in one group. Shows as: hang with 3 ranks (the group of two
 * waits for the leader of the group of one); with 2 ranks the barrier blocks nobody. The groups are
 * the lower and the upper half of the communicator.
 */
#include "corpus/collectives/collective.h"

static int barrier(MPI_Comm comm, int skip_alone)
{
    int rank, size, error = MPI_SUCCESS;
    rank_and_size(comm, &rank, &size);
    int middle = size / 2, lower = rank < middle;
    int leader = lower ? 0 : middle, remote = lower ? middle : 0,
        members = lower ? middle : size - middle;
    if (!middle || (members == 1 && skip_alone))
        return MPI_SUCCESS;
    if (rank != leader) {
        TRY(send_elements(NULL, 0, MPI_BYTE, leader, comm));
        return receive_elements(NULL, 0, MPI_BYTE, leader, comm);
    }
    for (int i = 1; i < members; i++)
        TRY(receive_elements(NULL, 0, MPI_BYTE, leader + i, comm));
    TRY(exchange_elements(NULL, 0, remote, NULL, 0, remote, MPI_BYTE, comm));
    for (int i = 1; i < members; i++)
        TRY(send_elements(NULL, 0, MPI_BYTE, leader + i, comm));
done:
    return error;
}

int defect_barrier_two_groups(MPI_Comm comm)
{
    return barrier(comm, 1);
}

int fixed_barrier_two_groups(MPI_Comm comm)
{
    return barrier(comm, 0);
}

COLLECTIVE(barrier, "", fixed_barrier_two_groups)
DEFECT(barrier, "", defect_barrier_two_groups, fixed_barrier_two_groups, .expect = "deadlock",
       .axis = "P", .origin = "MPICH #2284")
