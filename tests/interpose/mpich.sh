# slow
# timeout: 900
# Tests the recorder for MPICH with the tests of this folder. Not: grid and idup (the recorder does
# not look inside this library), spawn and join (Debian's build over UCX starts and joins no
# processes), hosts (which starts Open MPI's daemons), sanitizers and shadow (gcc's ThreadSanitizer
# crashes over UCX, also without crosswait), table (which uses no library). python only if mpi4py is
# built for MPICH, which Debian's is not: PYTHONPATH may name such a build.
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
export MPI=mpich
failed=0
all="languages plain classes ends quiz last"
mpi4py=$(mpiexec.mpich -n 1 /usr/bin/python3 -c \
    'from mpi4py import MPI; print(MPI.Get_library_version().strip("\0"))' 2>/dev/null)
case $mpi4py in *MPICH*) all="$all python" ;; *) echo "not python: no mpi4py for MPICH here" ;; esac
# Where a script says mpicc and mpirun, it means MPICH's; what it may do to this machine only
# Open MPI's mpirun has to be told.
mkdir mpich-bin
for name in cc cxx fort; do ln -s "$(command -v mpi$name.mpich)" mpich-bin/mpi$name; done
printf '#!/bin/sh\nexec mpiexec.mpich "$@"\n' >mpich-bin/mpirun
chmod +x mpich-bin/mpirun
export PATH=$PWD/mpich-bin:$PATH
idle=$LD_PRELOAD
for test in ${TESTS:-$all}; do
    case $test in polling) unset LD_PRELOAD ;; *) export LD_PRELOAD=$idle ;; esac
    mkdir "$test" && (cd "$test" && bash "$SOURCE/tests/interpose/$test.sh") >"$test.log" 2>&1 &&
        continue
    echo "$test:"; tail -n 30 "$test.log"; failed=1
done
exit $failed
