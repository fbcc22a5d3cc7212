# timeout: 280
# Every algorithm of every collective of the library, forced one by one in a running job, as it is
# and with all sends inside it synchronous. Correct ones pass; Open MPI's ring allreduce and some
# reductions combine in another order than rank order, which an operation that does not commute
# must not see. Little time is told as what it is.
set -u
crosswait fuzz --library -- --ranks=5 --cases=2 --seed=2 --no-trace >out.txt 2>&1
echo "exit $?"
grep -v "^    case" out.txt
# Its scatter_allgather cuts by count, which ranks may give with different datatypes of one
# signature: 51 ints here, 17 triples there.
crosswait fuzz --library -- --ranks=5 --cases=6 --seed=2 --only=bcast:scatter_allgather \
    --no-synchronous --no-trace >out.txt 2>&1
echo "a broadcast between counts that differ: exit $?"
crosswait fuzz --library -- --ranks=4 --cases=40 --only=allreduce:segmented_ring --no-synchronous \
    --no-trace >out.txt 2>&1
echo "exit $?"
grep -c "an operation that does not commute.*: wrong-result" out.txt |
    sed 's/[1-9]/wrong results with operations that do not commute/'
grep -v "does not commute" out.txt | grep "case" 
crosswait fuzz --library -- --ranks=4 --cases=1000000 --only=barrier:tree --no-synchronous \
    --seconds=3 >out.txt
echo "a million cases in three seconds: exit $?"
awk '/tree/ {print ($3 > 0 && $3 < 1000000) ? "some of them" : "?", $4}' out.txt
# A library that does it wrong is found: a barrier that waits for nobody, a broadcast that loses an
# element, one that never ends.
cat >wrong.c <<'END'
#include <mpi.h>
#include <unistd.h>
int MPI_Barrier(MPI_Comm comm) { (void)comm; return MPI_SUCCESS; }
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return PMPI_Bcast(buffer, count > 4 ? count - 1 : count, type, root, comm);
}
int MPI_Scatter(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root, MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 1)
        *(volatile int *)8 = 1;
    return PMPI_Scatter(s, n, t, r, m, u, root, comm);
}
END
mpicc -w -shared -fPIC -o wrong.so wrong.c
for what in barrier:tree bcast:chain scatter:binomial; do
    LD_PRELOAD=$PWD/wrong.so crosswait fuzz --library -- --ranks=4 --cases=9 --only=$what \
        --no-synchronous --no-trace >out.txt 2>&1
    echo "exit $?: $(awk 'NR == 3 {$3 = ""; print}' out.txt)"
done
