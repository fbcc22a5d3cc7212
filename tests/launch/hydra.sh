# timeout: 120
# MPICH's mpiexec: every way to start a job on one machine is recorded, and the exit status is the
# same as without crosswait, however the job ends.
. "$SOURCE/tests/launch/lib.bash"
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
ulimit -c 0
bad=0
fail() { echo "$*"; bad=1; }
cat >ends.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int me;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "abort") && me == 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (!strcmp(how, "crash") && me == 1)
        raise(SIGSEGV);
    if (!strcmp(how, "term") && me == 1)
        raise(SIGTERM);
    if (!strcmp(how, "abort") || !strcmp(how, "crash") ||
        !strcmp(how, "term")) /* the others wait until they are ended */
        MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "exit"))
        exit(0);
    MPI_Finalize();
    return !strcmp(how, "three") ? 3 : 0;
}
C
mpicc.mpich -o ends ends.c || exit 1
cp ends other
hostname >hostfile
recorded() { # mpiexec's arguments
    rm -f T.db
    timeout 30 crosswait record -o T.db -- mpiexec.mpich "$@" >out 2>err </dev/null
}
for how in "-f hostfile -n 3 ./ends" "-bootstrap fork -n 3 ./ends" "-launcher fork -n 3 ./ends" \
    "-prepend-rank -n 3 ./ends" "-n 1 ./ends : -n 2 ./other"; do
    recorded $how || fail "$how: exit status $?: $(cat out err)"
    [ "$(ranks T.db | cut -d' ' -f1,2 | tr '\n' ' ')" = "0 finished 1 finished 2 finished " ] ||
        fail "$how: $(ranks T.db)"
done
state() { sqlite3 T.db "select trim(state || ' ' || ifnull(code, '')) from rank where rank = 1"; }
# Of ranks that end without MPI_Finalize hydra ends the others, in one of ten jobs before they have;
# then it may end with 1, too, and of the rank nothing but that it was at its exit may be known.
# Since 4.1 it ends with what any of them had where a signal ended one, or with 0. A core dump is a
# bit of the status of a rank that a signal ended.
any=
mpichversion | grep -q '^MPICH Version:.*4\.0' || any='|0|9|15'
while read -r how status state; do
    case $how in crash | term) status=$status$any ;; esac
    timeout 30 mpiexec.mpich -n 3 ./ends $how >/dev/null 2>&1 </dev/null
    plain=$?
    recorded -n 3 ./ends $how
    is=$?
    [[ $is =~ ^($status)$ && $plain =~ ^($status)$ ]] ||
        fail "$how: exit status $is, $plain without crosswait"
    [[ "$(state)" =~ ^($state)$ ]] || fail "$how: rank 1 is $(state), and not $state"
done <<'W'
three 3 finished
abort 5 aborted 5
crash 11|139 crashed 11
exit 0|1|9 (exited|ended)( [09])?
term 15 killed (0|15)
W
# Hydra ended the others with SIGKILL, because of rank 1, which may be gone before it is seen.
crosswait check T.db >out 2>&1
grep -qE "^warning.* rank 1 was ended by (SIGTERM|what is not known)" out &&
    ! grep -q "rank 1 .*because of" out ||
    fail "term: $(cat out)"
exit $bad
