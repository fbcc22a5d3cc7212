# timeout: 280
# Every algorithm of every collective of the library: what is there to be forced, by component; what
# is known to be wrong with some, made small, shown again; and the table compared with another one.
set -u
only() { # COLLECTIVE[:ALGORITHM] OPTION...; the table of it in out.txt
    crosswait fuzz --library -- --no-trace --no-synchronous --only="$@" >out.txt 2>&1
    echo "$1: exit $?"
}
only nothing
grep -E '^  (i?allreduce|reduce_scatter_block|i?bcast|gatherv|alltoallw_init|ineighbor_allgather):' \
    out.txt
# Of a communicator of one rank, the blocks of an MPI_Alltoallw lie where they should not.
only alltoallw:decided --ranks=5 --cases=10
grep -E '^  alltoallw|^    rank|passed' out.txt
sed -n 's/^    again: crosswait //p' out.txt >again.txt
crosswait $(cat again.txt)
echo "again: exit $?"
# Another time the same is no news; what the other table does not know is.
table=crosswait-fuzz/library/table
cut -f1-4 $table
cp $table before.txt
only alltoallw:decided --ranks=5 --cases=10 --no-shrink --diff=before.txt
grep -oE '^(new|gone|as)[^:]*(: alltoallw decided: wrong-result)?' out.txt
sed 's/\twrong-result\t.*/\tpassed\t-\t-/' before.txt >passed.txt
only alltoallw:decided --ranks=5 --cases=10 --no-shrink --diff=passed.txt
grep -oE '^(new|gone|as)[^:]*(: alltoallw decided: wrong-result)?' out.txt
printf 'scan\tlinear\twrong-result\tany\tscan on 2 ranks\n' >>passed.txt
sed -i '1s/\t.*/\tanother library/' passed.txt
only scan:linear --ranks=3 --cases=3 --diff=passed.txt
grep -E '^(the other|new|gone|as)' out.txt
only scan:linear --ranks=3 --cases=3 --diff=again.txt
cat out.txt
# Some reductions combine in another order than rank order, which an operation that does not commute
# must not see; and that is all.
only allreduce:segmented_ring --ranks=4 --cases=40 --no-shrink
grep -oE '^  allreduce.*operations that do not commute|[0-9]+ findings' out.txt
# Its scatter_allgather cuts by count, which ranks may give with different datatypes of one
# signature: 51 ints here, 17 triples there.
only bcast:scatter_allgather --ranks=5 --cases=6 --seed=2 --no-shrink
grep -c '^  bcast' out.txt
for right in barrier:tree gather:basic bcast_init:binomial reduce:adapt-chain; do
    only $right --ranks=4 --cases=5
    grep passed out.txt
done
crosswait fuzz --library -- --ranks=4 --cases=1000000 --only=barrier:tree --no-synchronous \
    --seconds=3 >out.txt
echo "a million cases in three seconds: exit $?"
sed -E 's/.*collectives, ([0-9]{2,6}) cases/some cases/; /^table/d' out.txt
# With all sends inside the library synchronous.
crosswait fuzz --library -- --ranks=4 --cases=5 --only=scan:recursive_doubling --no-trace >out.txt
echo "synchronous sends: exit $?"
grep -o '[0-9]* cases' out.txt
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
        --no-synchronous --no-trace --no-shrink >out.txt 2>&1
    echo "exit $?"
    grep -oE "^  $(echo $what | tr : ' ' | sed 's/ / +/')  [^:]*" out.txt
done
