# A Python program that mixes mpi4py's functions for objects and for buffers is told so, whatever
# goes wrong then; also that irecv without a buffer is short, that ranks call different collectives
# if one reduces objects by messages, and that what an exception leads to follows from it. A rank
# that gives up after an error of a collective is proven to hold up the others.
export PYTHONUNBUFFERED=1
cat >pickled.py <<'P'
import sys
from array import array
from mpi4py import MPI
comm = MPI.COMM_WORLD
how, first = sys.argv[1], comm.rank == 0
data = array("d", [1.0] * 10)
def reduce(value):
    if first and how == "caught":
        raise ValueError
    return comm.allreduce(value)
def pair(send, receive):
    (send if first else receive)()
def take():
    comm.Recv(data, 0, 7)
def take_object():
    comm.recv(None, 0, 7)
def give():
    comm.Send(data, 1, 7)
def give_object(value=data):
    comm.send(value, 1, 7)
def give_long():
    give_object(list(range(20000)))
if how == "object_sent":
    pair(give_object, take)
elif how == "object_received":
    pair(give, take_object)
elif how == "collective":
    if first:
        comm.bcast(data, 0)
    else:
        comm.Bcast(data, 0)
elif how == "sizes":
    comm.Bcast(data if first else array("d", [0.0]), 0)
    comm.allreduce(1)
elif how == "irecv":
    pair(give_long, lambda: comm.irecv(None, 0, 7).wait())
elif how == "caught":
    try:
        reduce(1)
    except ValueError:
        pass
    comm.Barrier()
elif how == "right":
    pair(give_object, take_object)
    pair(give, take)
    room = bytearray(1 << 20)
    pair(give_long, lambda: comm.irecv(room, 0, 7).wait())
    comm.Bcast(data, 0)
    comm.bcast(data, 0)
P
for how in object_sent object_received collective sizes irecv caught right; do
    echo "# $how"
    timeout 100 crosswait run --confirm=0 -o T.db -- mpirun -n 2 /usr/bin/python3 pickled.py $how \
        >said 2>&1
    facts='help|rank.*pickle|irecv|error.(exception|deadlock).*follows'
    # mpi4py sends the length of an object in 4 bytes, or since version 4 in 8.
    grep -E "^(error|warning|note)\[|^ *= ($facts)" said |
        sed 's/: 8 bytes on rank 0,/: 4 bytes on rank 0,/'
done
exit 0
