# An uncaught Python exception is the first finding: type, message, place, rank; whether the others
# wait for the rank, the rank aborts, or all raise it. Twins: a caught exception, sys.exit, an
# exception in a thread, one after which a console continues. The job's output and exit status are
# the same as without crosswait.
# timeout: 300
fail() { echo "$*"; exit 1; }
export PYTHONUNBUFFERED=1
cat >raises.py <<'P'
import sys, threading, code
from mpi4py import MPI
comm = MPI.COMM_WORLD
how = sys.argv[1]
class Own(Exception):
    def __str__(self):
        print("I am asked")
        return "own"
def solve(value):
    if value == 1:
        if how == "own":
            raise Own("x")
        if how == "error":
            comm.send(1, dest=9)
        raise ValueError("bad shape %d" % value)
def main():
    try:
        solve(comm.rank if how not in ("all", "caught_all") else 1)
    except ValueError as e:
        if how in ("caught", "caught_all"):
            return
        raise
comm.Barrier()
if how == "exit":
    sys.exit(0)
if how == "exits":
    sys.exit("no more")
if how == "hook":
    def hook(type, value, where):
        sys.__excepthook__(type, value, where)
        comm.Abort(3)
    sys.excepthook = hook
if how == "thread":
    t = threading.Thread(target=solve, args=(1,))
    t.start()
    t.join()
elif how == "console":
    sys.stdin = open("/dev/null")
    code.InteractiveInterpreter().runcode(compile("solve(1)", "console", "exec"))
else:
    main()
comm.Barrier()
P
bad() { # HOW RANKS TEXT
    crosswait run -o T.db -- mpirun -n 2 /usr/bin/python3 $module raises.py $1 >out 2>&1 &&
        fail "$1: clean: $(cat out)"
    grep -E '^(error|warning|note)\[' out | head -1 |
        grep -qxF "error[exception]: $2: a Python exception that nothing caught$3" ||
        fail "$1: $(cat out)"
}
bad raise "rank 1" " in solve at raises.py:15: ValueError: bad shape 1"
stack='stack: solve at raises.py:15, called from main at raises.py:18'
grep -q "$stack, called from <module> at raises.py:41" out || fail "$(cat out)"
grep -qF "raised here" out && grep -q '^15 | .*raise ValueError' out || fail "$(cat out)"
grep -q '= error.deadlock. follows: rank 0 waits for rank 1' out || fail "$(cat out)"
grep -q '  rank 1  in MPI_Finalize' out || fail "$(cat out)" # not in a callback of it
grep -q 'callbacks.c' out && fail "a place of our own: $(cat out)"
bad all "ranks 0 and 1" " in solve at raises.py:15: ValueError: bad shape 1"
bad hook "rank 1" " in solve at raises.py:15: ValueError: bad shape 1"
bad own "rank 1" " in solve at raises.py:12: Own"
[ $(grep -c "I am asked" out) = 1 ] || fail "asked: $(cat out)"
# One that mpi4py raises for an error of MPI follows from the wrong call.
follows() { # FINDING: is the only one of its severity, with the exception
    grep -E '^(error|warning)\[' out | cut -d: -f1 | diff - <(echo "$1") || fail "$1: $(cat out)"
    grep -q '= error.exception. follows: rank 1: .*MPI_ERR_' out || fail "$1: $(cat out)"
}
crosswait run -o T.db -- mpirun -n 2 /usr/bin/python3 raises.py error >out 2>&1
follows "error[argument]"
cat >sizes.py <<'P'
import array
from mpi4py import MPI
comm = MPI.COMM_WORLD
comm.Bcast(array.array("d", [0.0] * (2 if comm.rank else 4)), root=0)
P
crosswait run -o T.db -- mpirun -n 2 /usr/bin/python3 sizes.py >out 2>&1
follows "error[collective]"
# Objects are pickled, buffers are not.
cat >pickles.py <<'P'
import array, sys
from mpi4py import MPI
comm = MPI.COMM_WORLD
data = array.array("d", [0.0] * 100)
if comm.rank == 0:
    comm.send(data[:10], dest=1)
    comm.Send(data, dest=1)
elif len(sys.argv) > 1:
    comm.recv(source=0)
    comm.Recv(data, source=0)
else:
    comm.Recv(data, source=0)
    comm.Recv(data, source=0)
P
crosswait run -o T.db -- mpirun -n 2 /usr/bin/python3 pickles.py >out 2>&1
grep -q '= rank 0 pickles the object .* and rank 1 passes a buffer' out || fail "$(cat out)"
grep -q '= help: let both sides pass buffers (Send, Recv)' out || fail "$(cat out)"
crosswait run -o T.db -- mpirun -n 2 /usr/bin/python3 pickles.py right >out 2>&1 ||
    fail "$(cat out)"
# What a rank leaves out because of it follows from it, and the rank is drawn once for all who
# wait.
crosswait run -o T.db -- mpirun -n 3 /usr/bin/python3 raises.py raise >out 2>&1
never="rank 1 leaves out MPI_Barrier, which ranks 0 and 2 call"
grep -qF "= error[collective] follows: $never" out || fail "$(cat out)"
[ "$(crosswait report --format=dot T.db | grep -c style=dotted)" = 1 ] ||
    fail "$(crosswait report --format=dot T.db)"
module="-m mpi4py"
bad raise "rank 1" " in solve at raises.py:15: ValueError: bad shape 1"
module=
for how in caught caught_all exit thread console; do
    crosswait run -o T.db -- mpirun -n 2 /usr/bin/python3 raises.py $how >out 2>&1 ||
        fail "$how: $(cat out)"
    grep -q exception] out && fail "$how: $(cat out)"
done
crosswait run -o T.db -- mpirun -n 2 /usr/bin/python3 raises.py exits >out 2>&1
grep -q exception] out && fail "exits: $(cat out)"
exit 0
