# Makes the counted sequence of calls by mpi4py, which loads libmpi itself.
import array
from mpi4py import MPI

world = MPI.COMM_WORLD
me = world.Get_rank()
a, b = array.array("i", [me] * 4), array.array("i", [0] * 4)
for i in range(1, 6):
    r = [world.Irecv([b, MPI.INT], 1 - me, i), world.Isend([a, MPI.INT], 1 - me, i)]
    MPI.Request.Waitall(r)
world.Sendrecv([a, MPI.INT], 1 - me, 9, [b, MPI.INT], 1 - me, 9)
world.Bcast([a, MPI.INT], 0)
world.Allreduce([a, MPI.INT], [b, MPI.INT])
comm2 = world.Dup()
comm2.Barrier()
comm2.Free()
