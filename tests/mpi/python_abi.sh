# slow
# polls
# mpi4py compiled with MPICH's mpicc_abi, run with both libraries that ship the standard ABI: right
# jobs are clean and print what they print without us, mistakes stand at the line of Python, a
# deadlock is ended on its proof, and what mpi4py does within one of its calls is not told.
. "$SOURCE/tests/mpi/pip.bash"
there mpich impi abi
cat >right.py <<'P'
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD.Dup()
rank, size = comm.rank, comm.size
mine = comm.scatter([{"of": i} for i in range(size)] if rank == 0 else None)
request = comm.isend(list(range(1000)), (rank + 1) % size, 3)
got = comm.recv(source=(rank - 1) % size, tag=3)
request.wait()
window = MPI.Win.Allocate(8 * size, 8, comm=comm)
window.Fence()
window.Put(numpy.array([rank], "d"), (rank + 1) % size)
window.Fence()
value = numpy.frombuffer(window.tomemory(), "d")[0]
window.Free()
total = numpy.zeros(3)
comm.Allreduce(numpy.arange(3.0) + rank, total)
edges = [comm.Irecv(bytearray(1), MPI.PROC_NULL) for i in range(3)]
MPI.Request.Waitall(edges)
half = comm.Split(rank % 2)
half.Free()
comm.Free()
if rank == 0:
    print(mine, len(got), value, total, MPI.Get_version())
P
cat >ring.py <<'P'
from mpi4py import MPI

comm = MPI.COMM_WORLD
data = bytearray(8)
comm.Send(data, 1 - comm.rank)
comm.Recv(data, 1 - comm.rank)
P
cat >hang.py <<'P'
import numpy
from mpi4py import MPI
MPI.COMM_WORLD.recv(source=1 - MPI.COMM_WORLD.rank)
P
cat >error.py <<'P'
from mpi4py import MPI
MPI.COMM_WORLD.Send(bytearray(4), dest=MPI.COMM_WORLD.size + 3)
P
cat >leak.py <<'P'
from mpi4py import MPI
copy = MPI.COMM_WORLD.Dup()
P
run() { # COMMAND...: with the library's launcher, and its libmpi_abi.so.1
    LD_LIBRARY_PATH=$SOURCE/build/mpi/$mpi/lib with $mpi "$@"
}
python=$SOURCE/build/mpi/abi/bin/python
readelf -d "$SOURCE"/build/mpi/abi/lib/python3*/site-packages/mpi4py/MPI*.so |
    grep -q 'NEEDED.*libmpi_abi\.so\.1' || { echo 'mpi4py is not of the ABI'; exit 1; }
for mpi in mpich impi; do
    run mpirun -n 2 "$python" right.py >expected 2>err
    run crosswait run -o T.db -- mpirun -n 2 "$python" right.py >out 2>err
    status=$?
    [ $status = 0 ] && [ -s expected ] && grep "^{" out | diff expected - &&
        grep -q "^verdict: clean" out ||
        { cat expected out err; fail "$mpi: right, exit status $status"; }
    while read -r program finding; do
        run crosswait run -o T.db -- mpirun -n 2 "$python" $program.py >out 2>err
        status=$?
        [ $status = 1 ] && grep -qiE "$finding" out || { cat out err; fail "$mpi: $program"; }
        [ $program = error ] || grep -qE "^ *--> $program.py:[2356] " out ||
            { cat out; fail "$mpi: $program, its line"; }
    done <<'W'
ring ^error\[deadlock\]: ranks 0 and 1 wait for each other when sends
hang ^error\[deadlock\]: ranks 0 and 1 wait for each other
error ^error\[(exception|argument)\]: .*(invalid rank|the communicator has 2 ranks)
leak ^warning\[leak\]: MPI_Comm_dup
W
done
exit $failed
