# expected
# A rank that is stopped (SIGSTOP) is no deadlock: the job goes on when it is continued.
. $SOURCE/tests/launch/lib.bash
crosswait record -o T.db -- mpirun -n 2 $P/pingpong 2000 4096 >out 2>err &
wait_for '[ "$(ls T.db.spool/*/*.ring 2>/dev/null | wc -l)" = 2 ]'
rank=$(pgrep -P $(pgrep -P $! mpirun) | head -1)
kill -STOP $rank
sleep 1.5
kill -CONT $rank
wait $!; echo "[$?]"
cat err
ranks T.db
