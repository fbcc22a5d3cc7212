# timeout: 120
# Several fuzzers at a time: jobs on one machine, and machines that share a folder of inputs: each
# begins with the inputs that others have left there.
set -u
cat >chain.c <<'C'
#include <mpi.h>
#include "corpus/collectives/registry.h"
static int chain(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int me = (rank - root + size) % size;
    if (me > 0)
        MPI_Recv(buffer, count, type, (rank - 1 + size) % size, 0, comm, MPI_STATUS_IGNORE);
    if (me + 1 < size - (FORGETS && size == 5))
        MPI_Send(buffer, count, type, (rank + 1) % size, 0, comm);
    return MPI_SUCCESS;
}
COLLECTIVE(bcast, "", chain)
C
crosswait fuzz chain.c -o jobs --cflags=-DFORGETS=1 -jobs=2 -workers=2 -reload=0 -seed=1 \
    -runs=3000 >out.txt 2>&1
echo "two jobs: exit $?"
grep -o '^chain.c: deadlock' out.txt | sort -u # one of them finds it, or both
ls fuzz-*.log
mkdir shared
crosswait fuzz chain.c -o one --cflags=-DFORGETS=0 -seed=1 -runs=500 shared >out.txt
echo "the first machine: exit $?"
left=$(ls shared | wc -l)
[ "$left" -gt 5 ] || echo "it left $left"
crosswait fuzz chain.c -o two --cflags=-DFORGETS=0 -seed=2 -runs="$left" shared >out.txt
echo "the second: exit $?"
grep -q "INFO: *$left files found in shared" two/log || grep INFO two/log
# The same started by mpirun, side by side: each has a folder of its own, one corpus is of all; one
# that finds something does not end the others.
mkdir together
mpirun -n 2 sh -c 'crosswait fuzz chain.c -o rank.$OMPI_COMM_WORLD_RANK \
    --cflags=-DFORGETS=$OMPI_COMM_WORLD_RANK -seed=1 -runs=3000 together || true' >out.txt 2>err.txt
echo "two under mpirun: exit $?"
grep -Eo "nothing found|^chain.c: deadlock" out.txt | sort
for rank in 0 1; do
    [ -s rank.$rank/log ] || echo "rank $rank did nothing"
done
[ "$(ls together | wc -l)" -gt 5 ] || { echo "they left:"; ls together; }
