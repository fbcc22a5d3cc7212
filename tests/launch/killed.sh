# expected
# After SIGKILL of mpirun, of all ranks or of the launcher no record is lost. The death of the
# launcher ends the command, but nothing that the command left in the background; a fault of
# crosswait ends nothing. Holds launch invariant 4; spool/spool.h invariants 2 and 3.
. $SOURCE/tests/launch/lib.bash
own slow cw.slow
events() {
    sqlite3 $1 "select rank, count(*) from event where parent is null group by rank order by rank"
}
start() {
    crosswait record -o T.db -- mpirun -n 2 ./cw.slow ${1:-30} >out 2>err &
    launcher=$!
    wait_for "standing T.db 'outside of MPI, after MPI_Comm_size' 'in MPI_Ssend'"
    mpirun=$(pgrep -P $launcher 'mpirun|prterun')
    ranks=$(pgrep -P $mpirun)
}
echo "mpirun is killed"
start; kill -9 $mpirun; wait $launcher; echo "[$?]"
echo "left behind: $(left cw.slow)"
# Ranks of Open MPI 4 end themselves with 195; of 5 a write ends those that find it gone, or we do.
ranks T.db |
    sed -E 's/ended (195 exit status 195|13 signal 13), when its starter had died of .*/gone/
        s/ended 0 by crosswait: its starter had died/gone/'
events T.db; rm -f T.db
echo "all ranks are killed"
start; kill -9 $ranks; wait $launcher; echo "[$?]"
echo "left behind: $(left cw.slow)"
sqlite3 T.db "select distinct code from rank where state = 'killed'"; events T.db; rm -f T.db
echo "the launcher is killed"
start; { kill -9 $launcher; wait $launcher; } 2>/dev/null; echo "[$?]"
wait_for '[ "$(left cw.slow)" = 0 ]'
crosswait recover T.db.spool -o R.db >/dev/null 2>&1; events R.db; rm -rf ./*.db T.db.spool
echo "the launcher is killed, and its command has ended before"
crosswait record -o T.db -- sh -c 'mpirun -n 2 ./cw.slow 2 >out & sleep 0.1' 2>/dev/null &
launcher=$!
wait_for "standing T.db 'outside of MPI, after MPI_Comm_size' 'in MPI_Ssend'"
{ kill -9 $launcher; wait $launcher; } 2>/dev/null; echo "[$?]"
wait_for '[ "$(left cw.slow)" = 0 ]'; cat out; rm -rf T.db.spool
echo "the launcher dies of a fault"
start 2; { kill -SEGV $launcher; wait $launcher; } 2>/dev/null; echo "[$?]"
wait_for '[ "$(left cw.slow)" = 0 ]' # the job goes on, and ends by itself
cat out
crosswait recover T.db.spool -o R.db 2>&1 | sed "s,$PWD/,,g"; echo "[${PIPESTATUS[0]}]"
ranks R.db; events R.db
exit 0
