# slow
# timeout: 280
# needs: openmpi<5: its output names the algorithms of Open MPI 4.1, and their defects
# Forces every algorithm of every collective of the library: lists what can be forced, by component;
# finds the known defects of some, shrinks them and repeats them; and compares the table with
# another one.
set -u
only() { # COLLECTIVE[:ALGORITHM] OPTION...; the table of it in out.txt
    crosswait fuzz --library -- --no-trace --no-synchronous --only="$@" >out.txt 2>&1
    echo "$1: exit $?"
}
only nothing
crosswait fuzz --library --only=nothing
echo "options of the fuzzer: exit $?"
kinds='i?allreduce|reduce_scatter_block|i?bcast|gatherv|alltoallw_init|ineighbor_allgather'
grep -E "^  ($kinds):" out.txt
# Of a communicator of one rank, the blocks of an MPI_Alltoallw lie where they should not. As it
# writes them there, by chance something breaks as well: only what does not depend on it is shown.
only alltoallw:decided --ranks=5 --cases=60
grep -E '^  alltoallw' out.txt | head -1 | awk '{print $1, $2}'
grep -o '^0 of 1 algorithms passed' out.txt
sed -n 's/^    again: crosswait //p' out.txt | head -1 >again.txt
crosswait $(cat again.txt) >out.txt
echo "again: exit $?"
grep -c '^finding: ' out.txt
# Some reductions combine in another order than rank order, which an operation that does not commute
# must not see.
only allreduce:segmented_ring --ranks=4 --no-shrink
grep -oE '^  allreduce.*wrong-result, only with operations that do not commute' out.txt
# Its scatter_allgather cuts by count, which ranks may give with different datatypes of one
# signature: 51 ints here, 17 triples there. Ranks wait for ever.
printf '%s\n' 'crosswait scenario 1' 'collective bcast' 'ranks 4' 'count 51' 'type int' \
    'type-send reversed' >counts.txt
only bcast:scatter_allgather --ranks=4 --scenario=counts.txt
cat out.txt
for right in barrier:tree gather:basic bcast_init:binomial reduce:adapt-chain; do
    only $right --ranks=4 --cases=5
    grep passed out.txt
done
crosswait fuzz --library -- --ranks=4 --cases=6000000 --only=barrier:tree --no-synchronous \
    --seconds=3 >out.txt
echo "a million cases in three seconds: exit $?"
awk '/ cases/ {print ($(NF - 1) < 1000000) ? "not all of them" : "all"}' out.txt
# With all sends inside the library synchronous.
crosswait fuzz --library -- --ranks=4 --cases=5 --only=scan:recursive_doubling --no-trace >out.txt
echo "synchronous sends: exit $?"
grep -o '[0-9]* cases' out.txt
# A library that does it wrong is found: a barrier that waits for nobody, a broadcast that loses an
# element, one that never ends.
cat >wrong.c <<'END'
#include <mpi.h>
#include <unistd.h>
int MPI_Barrier(MPI_Comm comm)
{
    (void)comm;
    return MPI_SUCCESS;
}
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return PMPI_Bcast(buffer, count > 4 ? count - 1 : count, type, root, comm);
}
int MPI_Scatter(const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root,
                MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (rank == 1)
        *(volatile int *)8 = 1;
    return PMPI_Scatter(s, n, t, r, m, u, root, comm);
}
END
mpicc -w -shared -fPIC -o wrong.so wrong.c
wrong() { # COLLECTIVE:ALGORITHM OPTION...
    LD_PRELOAD=$PWD/wrong.so crosswait fuzz --library -- --ranks=4 --cases=20 --only="$@" \
        --no-synchronous --no-trace --no-shrink >out.txt 2>&1
    echo "$1: exit $?"
}
for what in barrier:tree scatter:binomial bcast:chain; do
    wrong $what
done
# Another time the same is no news, nor is a crash in place of a wrong result; what the other table
# does not know is.
table=crosswait-fuzz/library/table
cut -f1-4 $table
cp $table before.txt
wrong bcast:chain --diff=before.txt
grep -oE '^(new|gone|as)[^:]*(: bcast chain: wrong-result)?' out.txt
sed 's/\twrong-result\t/\tcrash\t/' before.txt >crash.txt
wrong bcast:chain --diff=crash.txt
grep -oE '^(new|gone|as)[^:]*(: bcast chain: wrong-result)?' out.txt
sed 's/\twrong-result\t.*/\tpassed\t-\t-/' before.txt >passed.txt
wrong bcast:chain --diff=passed.txt
grep -oE '^(new|gone|as)[^:]*(: bcast chain: wrong-result)?' out.txt
printf 'scan\tlinear\twrong-result\tany\tscan on 2 ranks\n' >>passed.txt
sed -i '1s/\t.*/\tanother library/' passed.txt
only scan:linear --ranks=3 --cases=3 --diff=passed.txt
grep -E '^(the other|new|gone|as)' out.txt
only scan:linear --ranks=3 --cases=3 --diff=again.txt
cat out.txt
