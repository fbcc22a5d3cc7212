# 3 ranks. The result depends on whose message is the first; with an argument it does not.
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD


def collect(source):
    total = 0
    for worker in range(1, comm.size):
        total = total / 2 + comm.recv(source=source or worker)
    return total


if comm.rank == 0:
    print(collect(int(sys.argv[1]) if len(sys.argv) > 1 else MPI.ANY_SOURCE))
else:
    comm.send(comm.rank, dest=0)
