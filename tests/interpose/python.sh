# Places in Python programs: file, line and function of the frame that called mpi4py, and of its
# callers. Holds program/python.c invariant 1.
# timeout: 200
fail() { echo "$*"; exit 1; }
cp "$SOURCE/tests/interpose/programs/places.py" . || exit 1
crosswait run --stack=4 -o T.db -- mpirun -n 2 /usr/bin/python3 places.py >out 2>&1 &&
    fail "the request is not missed: $(cat out)"
grep -q -- '--> places.py:21   rank 0   in outer < <module>' out || fail "$(cat out)"
sqlite3 T.db "select distinct call || ' ' || file || ':' || line || ' ' || function
    from event e join site s on s.id = e.site
    where call in ('MPI_Irecv', 'MPI_Send', 'MPI_Wait', 'MPI_Recv', 'MPI_Isend') order by 1" >places
diff - places <<END || exit 1
MPI_Irecv places.py:12 exchange
MPI_Isend places.py:21 outer
MPI_Recv places.py:23 outer
MPI_Send places.py:13 exchange
MPI_Wait places.py:14 exchange
END
# mpi4py asks for MPI_THREAD_MULTIPLE. As long as one thread calls MPI, a receive buffer that the
# program changes before the wait is found; after the wait the program may change it.
cat >early.py <<'END'
import sys
from mpi4py import MPI

comm = MPI.COMM_WORLD
data = bytearray(64)
if comm.rank == 0:
    request = comm.Irecv([data, MPI.BYTE], source=1)
    if sys.argv[1] == "right":
        request.Wait()
    data[0:4] = b"abcd"
    comm.Barrier()
    request.Wait()
else:
    if sys.argv[1] == "wrong":
        comm.Barrier()
    comm.Send([b"x" * 64, MPI.BYTE], dest=0)
    if sys.argv[1] == "right":
        comm.Barrier()
END
for way in wrong right; do
    crosswait run -o T.db --confirm=0 -- mpirun -n 2 /usr/bin/python3 early.py $way >out 2>&1
    case $way:$? in
    wrong:1) grep -q "^error\[buffer\]: the receive buffer 'buf' of MPI_Irecv was written" out ;;
    right:0) ;;
    *) false ;;
    esac || fail "$way: $(cat out)"
done
