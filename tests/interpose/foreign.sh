# timeout: 240
# The recorder of one MPI library preloaded into programs of the other one: they do what they do
# without it, nothing is recorded, and one rank says once which recorder is meant for them. In C,
# Fortran and Python, where MPI is loaded by dlopen, and in a program that only looks whether MPI is
# there. Holds interpose/real.c invariant 1.
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
. "$SOURCE/tests/interpose/lib.bash"
failed=0
same() { # MPIRUN LIBRARY WHAT COMMAND...: the same output with the library, and one line of ours
    local mpirun=$1 library=$2 said=$3
    shift 3
    timeout 60 "$mpirun" -n 2 "$@" </dev/null 2>&1 | sort >expected
    # every rank's environment, and not the launcher's
    timeout 60 "$mpirun" -n 2 env LD_PRELOAD="$BUILD/$library" "$@" </dev/null >out 2>err
    local code=$?
    [ $code = 0 ] && grep -v '^crosswait:' err | sort - out | diff expected - &&
        [ "$(grep -c '^crosswait:' err)" = 1 ] && grep -qF "$said" err &&
        [ -z "$(ls | grep db)" ] && return
    echo "$library, $*: exit status $code"; cat err; failed=1
}
mpich() { # a program of MPICH under the recorder for Open MPI
    same mpiexec.mpich libcrosswait.so "its MPI library is MPICH or of its family, and \
libcrosswait.so is for Open MPI; preload libcrosswait-mpich.so instead" "$@"
}
openmpi() { # and the reverse
    same mpirun libcrosswait-mpich.so "its MPI library is Open MPI, and \
libcrosswait-mpich.so is for MPICH or of its family; preload libcrosswait.so instead" "$@"
}
for program in ring_allgather_safe calls_misc quiz ring_f08 ring_mpi ring_mpif bottom_f08 \
    callbacks_fortran; do
    openmpi "$BUILD/corpus/programs/$program"
    mpich "$BUILD/mpich/programs/$program"
done
cp "$BUILD/tests/interpose/plugin.so" . && openmpi "$BUILD/tests/interpose/counted_dlopen"
cp "$BUILD/mpich/interpose/plugin.so" . && mpich "$BUILD/mpich/interpose/counted_dlopen"
openmpi /usr/bin/python3 -c 'import os; from mpi4py import MPI; c = MPI.COMM_WORLD
os.write(1, b"%d\n" % c.allreduce(c.rank))'
# Under the launcher, which was told the wrong library.
crosswait run --mpi=mpich -o T.db -- mpirun -n 2 "$BUILD/corpus/programs/quiz" >out 2>err
grep -q 'its MPI library is Open MPI.*; give crosswait --mpi=openmpi' err || { cat err; failed=1; }
crosswait run --mpi=openmpi -o T.db -- mpiexec.mpich -n 2 "$BUILD/mpich/programs/quiz" >out 2>err
grep -q 'its MPI library is MPICH.*; give crosswait --mpi=mpich' err || { cat err; failed=1; }
# A program that works without MPI: there is none to initialize, and nothing is said.
cat >weak.c <<'C'
#include <stdio.h>
int MPI_Initialized(int *flag) __attribute__((weak));
int main(void)
{
    int flag = 7;
    if (MPI_Initialized && MPI_Initialized(&flag))
        flag = 9;
    printf("%d\n", MPI_Initialized ? flag : 0);
    return 0;
}
C
gcc -fPIE -pie -o weak weak.c || exit 1
for library in libcrosswait.so libcrosswait-mpich.so; do
    [ "$(LD_PRELOAD=$BUILD/$library ./weak 2>&1)" = 0 ] || { echo "$library: weak"; failed=1; }
done
exit $failed
