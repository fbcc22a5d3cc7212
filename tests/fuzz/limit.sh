# timeout: 200
# A machine that does nothing for a while is not the collective's fault: the time limit of an input
# goes by computing. One that sleeps for ever is found all the same, by the clock. Holds
# fuzz/limit.c invariant 1.
CROSSWAIT_FUZZ_TARGET=cw_bcast_binomial "$BUILD/fuzz/corpus" -seed=1 -timeout=2 -max_total_time=9 \
    >log 2>&1 &
fuzzer=$!
for _ in 1 2; do
    sleep 0.5; kill -STOP $fuzzer; sleep 3.5; kill -CONT $fuzzer
done
wait $fuzzer || { tail -20 log; exit 1; }
cat >sleeps.c <<'END'
#include <mpi.h>
#include <unistd.h>
static int sleeps(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    for (;;)
        sleep(1);
    return MPI_Bcast(buffer, count, type, root, comm);
}
COLLECTIVE(bcast, "", sleeps)
END
crosswait fuzz sleeps.c -runs=10 -timeout=1 --no-shrink >out 2>&1
status=$?
[ $status = 1 ] && grep -q "no end" out || { echo "[$status]"; cat out; exit 1; }

# A loop without end is made small as other findings are: what is left needs what it says, and the
# scenario of its twin comes to its end.
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
