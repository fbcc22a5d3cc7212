# Looks at a running job from outside and by a signal to the launcher: the snapshot says which rank
# waits for which; the job continues undisturbed.
. "$SOURCE/tests/launch/lib.bash"
fail() { echo "$*"; exit 1; }
cat >late.c <<'C'
/* Rank 1 lets rank 0 wait for its message until a file is there, then sends it. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int me, value = 7;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        while (access(argv[1], F_OK))
            usleep(10000);
        MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    printf("rank %d done\n", me);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -o late late.c || exit 1
crosswait snapshot T.db.spool >out 2>&1
[ $? = 3 ] && grep -q "no job is recorded there now" out || fail "no job: $(cat out)"
for options in "" --last=100; do
    rm -rf go T*
    (exec crosswait record $options -o T.db -- mpirun -n 2 ./late "$PWD/go") >job 2>err &
    launcher=$!
    wait_for '[ "$(ls T.db.spool/*/[01].0.ring 2>/dev/null | wc -l)" = 2 ]'
    wait_for 'crosswait snapshot T.db.spool >out 2>&1
        grep -q "rank 0 waits in MPI_Recv for rank 1" out &&
        grep -q "rank 1  *outside of MPI, after MPI_Barrier" out'
    grep -q "; at the time of the snapshot, rank 0 waits in MPI_Recv for rank 1" out ||
        fail "snapshot: $(cat out)"
    grep -q "rank 0  *in MPI_Recv at late.c:12" out &&
        grep -q "rank 1  *outside of MPI, after MPI_Barrier at late.c:10" out || fail "$(cat out)"
    ! grep -q "error\[" out || fail "blamed: $(cat out)"
    crosswait check T.snapshot.db >check 2>&1 ||
        fail "the job is blamed for what it has not done yet: $(cat check)"
    rm -f T.snapshot.db
    kill -USR1 $launcher
    wait_for 'grep -q "crosswait: the job as it is now: crosswait report .*T.snapshot.db" err'
    [ "$(sqlite3 T.snapshot.db "select reason from ended")" = snapshot ] ||
        fail "$(sqlite3 T.snapshot.db 'select * from ended')"
    touch go
    wait $launcher || fail "exit status $?: $(cat err)"
    [ "$(sort job)" = $'rank 0 done\nrank 1 done' ] || fail "$(cat job)"
    [ "$(ranks T.db)" = $'0 finished 0 \n1 finished 0 ' ] ||
        [ "$(sqlite3 T.db "select group_concat(state) from rank")" = finished,finished ] ||
        fail "$(ranks T.db)"
    [ "$(sqlite3 T.db "select count(*) from ended")" = 0 ] || fail "said to have been ended"
done
