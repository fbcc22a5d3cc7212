"""Writes rows of a file together by h5py; each rank reads the row of another rank."""

import h5py
import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
with h5py.File("rows.h5", "w", driver="mpio", comm=world) as file:
    rows = file.create_dataset("rows", (world.size, 16), dtype="i4")
    with rows.collective:
        rows[world.rank] = numpy.arange(16) + 100 * world.rank
with h5py.File("rows.h5", "r", driver="mpio", comm=world) as file:
    row = file["rows"][(world.rank + 1) % world.size]
# one write for each rank, as separate writes of several ranks would mix
print(f"{world.rank} {world.allreduce(int(row.sum()))} {int(row[3])}\n", end="")
