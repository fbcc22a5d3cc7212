# timeout: 300
# --last in a long job: what is kept does not grow with the number of calls, and the newest of it is
# there when the job hangs, at a signal to the launcher, and at the end.
. "$SOURCE/tests/launch/lib.bash"
fail() { echo "$*"; exit 1; }
cat >long.c <<'C'
/* So many messages each way; then, with "hang", each rank waits for one that nobody sends. */
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int me, its = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (long i = 0, n = atol(argv[1]); i < n; i++)
        MPI_Sendrecv(&me, 1, MPI_INT, 1 - me, 1, &its, 1, MPI_INT, 1 - me, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    if (argc > 2)
        MPI_Recv(&its, 1, MPI_INT, 1 - me, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -o long long.c || exit 1
# The end: a million calls leave no more behind than forty thousand.
kept() { find "$1.db.spool" -type f -printf '%s\n' | awk '{all += $1} END {print all}'; }
for calls in 20000 500000; do
    crosswait record --keep-spool --last=1000 -o $calls.db -- mpirun -n 2 ./long $calls ||
        fail "$calls: exit status $?"
    [ "$(sqlite3 $calls.db "select count(*) from rank where state = 'finished' and
        events between 1000 and 10000 and events + lost > $calls")" = 2 ] ||
        fail "$calls: $(sqlite3 $calls.db 'select * from rank')"
    [ "$(sqlite3 $calls.db "select call from event where rank = 0 order by seq desc limit 1")" = \
        MPI_Finalize ] || fail "$calls: the newest call is not there"
done
[ "$(kept 500000)" -le "$(kept 20000)" ] || fail "$(kept 20000) bytes became $(kept 500000)"
# A hang: looked at from outside, at a signal, and when the launcher is told to end.
newest() { # DB: of both ranks the receive that hangs is there, behind some of the messages
    [ "$(sqlite3 "$1" "select count(*) from event e where e.call = 'MPI_Recv' and e.tag = 2 and
        e.seq = (select max(seq) from event where rank = e.rank) and (select count(*) from event
        where rank = e.rank and call = 'MPI_Sendrecv') between 500 and 10000")" = 2 ] ||
        fail "$1: $(crosswait dump "$1" | tail -n 3)"
}
until_true() { until eval "$1"; do sleep 0.1; done; } # the test's own limit ends it
(exec crosswait record --last=1000 -o h.db -- mpirun -n 2 ./long 200000 hang) >job 2>err &
launcher=$!
until_true 'crosswait snapshot h.db >out 2>&1; grep -q "ranks 0-1  *in MPI_Recv at long.c" out'
newest h.snapshot.db
rm h.snapshot.db
kill -USR1 $launcher
until_true 'grep -q "the job as it is now: crosswait report .*h.snapshot.db" err'
newest h.snapshot.db
kill -TERM $launcher
wait $launcher
[ $? != 0 ] || fail "exit status 0: $(cat err)"
newest h.db
