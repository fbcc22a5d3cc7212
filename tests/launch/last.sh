# timeout: 300
# --last in a long job: the kept records do not grow with the number of calls, and the newest of
# them are there when the job hangs, at a signal to the launcher, and at the end.
. "$SOURCE/tests/launch/lib.bash"
fail() { echo "$*"; exit 1; }
cat >long.c <<'C'
/* So many messages each way, one of which is always on its way, and now and then a barrier.
 * Then, with a third argument, a receive or a send that nobody answers: of each other,
 * "hang", "send", "barrier", which can be proven, or of the last rank, which sleeps: "sleep". */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int me, of, to, from, its = 0;
    const char *end = argc > 2 ? argv[2] : "";
    MPI_Request request[2], ahead;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &of);
    to = (me + 1) % of;
    from = (me + of - 1) % of;
    MPI_Irecv(&its, 1, MPI_INT, from, 3, MPI_COMM_WORLD, &ahead);
    MPI_Send(&me, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
    for (long i = 0, n = atol(argv[1]); i < n; i++) {
        MPI_Isend(&me, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&its, 1, MPI_INT, from, 1, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        if (i % 1000 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Recv(&its, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(end, "sleep") && me == of - 1)
        pause();
    if (!strcmp(end, "hang") || !strcmp(end, "sleep"))
        MPI_Recv(&its, 1, MPI_INT, !strcmp(end, "sleep") ? of - 1 : from, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (!strcmp(end, "send"))
        MPI_Ssend(&me, 1, MPI_INT, to, 2, MPI_COMM_WORLD);
    if (!strcmp(end, "barrier") && me)
        MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(end, "wait"))
        MPI_Wait(&ahead, MPI_STATUS_IGNORE);
    MPI_Send(&me, 1, MPI_INT, to, 3, MPI_COMM_WORLD);
    MPI_Wait(&ahead, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
C
mpicc -g -o long long.c || exit 1
# The end: hundreds of thousands of calls leave no more behind than tens of thousands.
kept() { find "$1.db.spool" -type f -printf '%s\n' | awk '{all += $1} END {print all}'; }
for calls in 20000 200000; do
    crosswait record --keep-spool --last=1000 -o $calls.db -- mpirun -n 2 ./long $calls ||
        fail "$calls: exit status $?"
    [ "$(sqlite3 $calls.db "select count(*) from rank where state = 'finished' and
        events between 1000 and 10000 and events + lost > $calls")" = 2 ] ||
        fail "$calls: $(sqlite3 $calls.db 'select * from rank')"
    [ "$(sqlite3 $calls.db "select call from event where rank = 0 order by seq desc limit 1")" = \
        MPI_Finalize ] || fail "$calls: the newest call is not there"
done
[ "$(kept 200000)" -le "$(kept 20000)" ] || fail "$(kept 20000) bytes became $(kept 200000)"
# A hang is proven, although most calls were dropped: what each call waits for follows from the sums
# of what was dropped (spool.h invariant 12), also of a receive that was posted by the first of all
# calls.
proven() { # MODE: in which calls the ranks are
    crosswait record --last=1000 -o $1.db -- mpirun -n 3 ./long 20000 $1 >out 2>err
    [ "$(sqlite3 $1.db "select min(lost) > 10000 from rank")" = 1 ] ||
        fail "$1: nothing was dropped"
    grep -q "^crosswait: deadlock: $2; the job was ended" err || fail "$1: $(cat err)"
}
proven hang "rank 0 waits in MPI_Recv for rank 2, rank 1\
 waits in MPI_Recv for rank 0, rank 2 waits in MPI_Recv for rank 1"
proven send "rank 0 waits in MPI_Ssend for rank 1, rank 1\
 waits in MPI_Ssend for rank 2, rank 2 waits in MPI_Ssend for rank 0"
proven wait "rank 0 waits in MPI_Wait for rank 2, rank 1\
 waits in MPI_Wait for rank 0, rank 2 waits in MPI_Wait for rank 1"
proven barrier "rank 0 waits in MPI_Wait for rank 2, rank 2 waits in\
 MPI_Barrier for rank 0; rank 1 cannot continue either"
# One that is none, as a rank sleeps: looked at from outside, at a signal, and when the launcher is
# told to end.
newest() { # DB: of both ranks the receive that hangs is there, behind some of the messages
    [ "$(sqlite3 "$1" "select count(*) from (select call, tag, max(seq) from event group by rank)
        where call = 'MPI_Recv' and tag = 2")" = 2 ] &&
        [ "$(sqlite3 "$1" "select count(*) from (select count(*) as n from event
            where call = 'MPI_Waitall' group by rank) where n between 300 and 10000")" = 3 ] ||
        fail "$1: $(crosswait dump "$1" | tail -n 3)"
}
until_true() { until eval "$1"; do sleep 0.1; done; } # the test's own limit ends it
(exec crosswait record --last=1000 -o h.db -- mpirun -n 3 ./long 100000 sleep) >job 2>err &
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
