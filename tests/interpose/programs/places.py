"""Calls from functions of several depths, blocking and not, and one that nobody completes."""
from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank = comm.Get_rank()


def exchange(n):
    sent, received = array("i", [rank] * n), array("i", [0] * n)
    request = comm.Irecv(received, source=1 - rank, tag=3)
    comm.Send(sent, dest=1 - rank, tag=3)
    request.Wait()


def outer():
    for n in (4, 8):
        exchange(n)
    if rank == 0:
        comm.Isend(array("i", [0] * 4), dest=1, tag=9)
    else:
        comm.Recv(array("i", [0] * 4), source=0, tag=9)


outer()
