#!/usr/bin/python3
# Sums Python objects and buffers, by collectives and round a ring; correct.
#
# Arguments: none. Ranks: any.
#
# TEST: ranks=1 args= job=0 verdict=clean
# TEST: ranks=3 args= job=0 verdict=clean
# INPROC: no, Python calls MPI through a library of Open MPI
import array
from mpi4py import MPI

comm = MPI.COMM_WORLD
right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
total = value = comm.rank
for _ in range(comm.size - 1):
    value = comm.sendrecv(value, dest=right, source=left)
    total += value
out, result = array.array("i", [comm.rank]), array.array("i", [0])
comm.Allreduce([out, MPI.INT], [result, MPI.INT], op=MPI.SUM)
request = comm.isend({"rank": comm.rank}, dest=right, tag=1)
heard = comm.recv(source=left, tag=1)
request.wait()
assert total == result[0] == comm.allreduce(comm.rank) and heard == {"rank": left}
if comm.rank == 0:
    print(f"the sum is {total}", flush=True)
