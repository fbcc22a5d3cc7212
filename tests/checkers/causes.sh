# A finding names the cause of a mistake: which rank holds a lock and where it took it, the target
# of a flush, that a rank sends to itself, that an exception or Python runs the destructor that
# makes a call, that one rank caught an exception, that Python shuts down, that a window's function
# has returned, which displacement leads out of a block, which communicators were left when no more
# could be made. The same programs without the mistake get no such words.
# timeout: 300
# Where the kernel allows no watchpoints, no load before the flush is found, and no flush offered.
told() {
    grep -E '^(error|warning|note)\[|^ += (rank|MPI_Win_flush|help)' said |
        grep -v 'help: call MPI_Win_flush' | sed 's/^ *=/ =/'
}
mpicxx -g -w -o causes "$SOURCE/tests/checkers/causes.cc" || exit 1
for how in lock flush self thrown caught returned displacement; do
    crosswait run --confirm=0 -o T.db -- mpirun -n 3 ./causes $how >said 2>/dev/null </dev/null
    echo "$how: $?"
    if [ $how = flush ]; then # what more is told depends on the machine's watchpoints
        told | grep MPI_Win_flush | sort -u
    else
        told
    fi
    crosswait run --confirm=0 -o T.db -- mpirun -n 3 ./causes $how right >said 2>&1 </dev/null &&
        ! grep -q 'completes nothing' said || { cat said; exit 1; }
done
cat >collected.py <<'P'
import gc, sys
from mpi4py import MPI
comm = MPI.COMM_WORLD
class Halo:
    def __init__(self):
        self.win = MPI.Win.Create(bytearray(8), comm=comm)
        self.me = self
    def free(self):
        if self.win:
            self.win.Free()
            self.win = None
    def __del__(self):
        self.free()
def solve():
    halo = Halo()
    comm.Barrier()
    if len(sys.argv) > 1:
        halo.free()
gc.disable()
solve()
if comm.rank == 1:
    gc.collect()
comm.Barrier()
gc.collect()
P
crosswait run --confirm=0 -o T.db -- mpirun -n 2 /usr/bin/python3 collected.py \
    >said 2>/dev/null </dev/null
echo "collected: $?"
grep -E '^error|^ --> .*rank 1 |__del__,' said
crosswait run --confirm=0 -o T.db -- mpirun -n 2 /usr/bin/python3 collected.py right \
    >said 2>&1 </dev/null || { cat said; exit 1; }
# What the interpreter calls when it shuts down has no line, but a name.
cat >exit.py <<'P'
import weakref
from mpi4py import MPI
class Halo:
    pass
halo = Halo()
if MPI.COMM_WORLD.rank == 0:
    weakref.finalize(halo, MPI.COMM_WORLD.Barrier)
P
crosswait run --confirm=0 --github=F -o T.db -- mpirun -n 2 /usr/bin/python3 exit.py \
    >said 2>/dev/null </dev/null
echo "exit: $?"
grep -E '^error|^ *--> <' said | sed 's/^ */ /'
grep -c 'exit of Python>,line' F
cat >left.c <<'P'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    MPI_Comm copy, part;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2100; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_split(copy, 0, 0, &part);
        MPI_Comm_free(&part);
        if (argc > 1)
            MPI_Comm_free(&copy);
    }
    MPI_Finalize();
    return 0;
}
P
mpicc.mpich -g -w -o left left.c || exit 1
crosswait run --confirm=0 -o T.db -- mpiexec.mpich -n 1 ./left >said 2>/dev/null </dev/null
echo "left: $?"
grep -E '^error|communicators by then' said | sed 's/[0-9],[0-9]*/N/g; s/: Other.*//'
crosswait run --confirm=0 -o T.db -- mpiexec.mpich -n 1 ./left right >said 2>&1 </dev/null ||
    { cat said; exit 1; }
exit 0
