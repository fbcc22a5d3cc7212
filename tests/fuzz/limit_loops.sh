# slow
# expected
# timeout: 200
# An endless loop is shrunk like other findings: the shrunk scenario needs all that it has, and the
# scenario finishes with the twin.
cat >loops.c <<'END'
#include <mpi.h>
static int tree(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int right)
{
    int rank, size, mask = 1, error = MPI_SUCCESS;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    rank = (rank - root + size) % size;
    while (mask < size && !(rank & mask))
        mask *= 2;
    if (rank)
        error = MPI_Recv(buffer, count, type, (rank - mask + root) % size, 1, comm,
                         MPI_STATUS_IGNORE);
    /* The child has half the distance, and not none for ever. */
    for (mask /= 2; mask > 0 && !error;) {
        if (rank + mask < size) {
            error = MPI_Send(buffer, count, type, (rank + mask + root) % size, 1, comm);
            mask /= 2;
        } else if (right || rank == 0) {
            mask /= 2;
        }
    }
    return error;
}
static int loops(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return tree(buffer, count, type, root, comm, 0);
}
static int ends(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return tree(buffer, count, type, root, comm, 1);
}
COLLECTIVE(bcast, "", loops)
COLLECTIVE(bcast, "", ends)
END
crosswait fuzz loops.c -runs=20 -seed=1 --target=loops -timeout=1 >out 2>&1
echo "loops: $?"
sed -n 's/^  with  *//p' out
found=$(sed -n 's/^  scenario  *//p' out)
sed 's/loops/ends/' "$found" >ends.txt
CROSSWAIT_FUZZ_TARGET= crosswait-fuzz/loops/fuzz --replay ends.txt
echo "the same scenario of its twin: $?"
