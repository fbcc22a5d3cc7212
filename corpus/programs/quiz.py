#!/usr/bin/python3
# The quiz in Python: each of two ranks sends, then receives.
#
# Arguments: [BYTES]  size of the message, default 8. Ranks: 2.
#
# TEST: ranks=2 args= job=0 verdict=deadlock-unbuffered
# SAFE-FROM: 8
# TEST: ranks=2 args=1048576 job=hangs verdict=deadlock-unbuffered
# SAFE-FROM: 1048576
# INPROC: no, Python calls MPI through a library of Open MPI
import sys
from mpi4py import MPI

comm = MPI.COMM_WORLD
size_bytes = int(sys.argv[1]) if len(sys.argv) > 1 else 8
peer = 1 - comm.rank
mine = bytearray([comm.rank + 1]) * size_bytes
theirs = bytearray(size_bytes)
comm.Send([mine, MPI.BYTE], dest=peer, tag=7)
comm.Recv([theirs, MPI.BYTE], source=peer, tag=7)
print(f"rank {comm.rank} received {len(theirs)} bytes of {theirs[0]}", flush=True)
