# expected
# The launcher passes signals on; the job ends as without it, nothing remains, and no record is
# lost. Holds launch invariant 2.
. $SOURCE/tests/launch/lib.bash
own slow cw.slow
for signal in INT TERM HUP; do
    (trap - INT; exec crosswait record -o $signal.db -- mpirun -n 2 ./cw.slow 30) >out 2>err &
    wait_for "standing $signal.db 'outside of MPI, after MPI_Comm_size' 'in MPI_Ssend'"
    kill -$signal $!
    wait $!; status=$?
    [ $status -ne 0 ] || echo "$signal: status 0"
    echo "$signal: left behind $(left cw.slow)"
    ranks $signal.db
    ls -d $signal.db.spool 2>/dev/null
done
# A starter that calls it a success that its ranks were ended.
cat >starter <<'S'
#!/bin/sh
"$@" &
trap 'kill $!' TERM
wait
wait
exit 0
S
chmod +x starter
crosswait record -o S.db -- ./starter mpirun -n 2 ./cw.slow 30 >out 2>err &
wait_for "standing S.db 'outside of MPI, after MPI_Comm_size' 'in MPI_Ssend'"
kill -TERM $!
wait $!; echo "starter: [$?]"
ranks S.db
# timeout(1) signals the command, then the whole group: mpirun must not get it twice. Its time is
# over when the ranks are there.
timeout 1000 crosswait record -o G.db -- mpirun -n 2 ./cw.slow 30 >out 2>err &
wait_for "standing G.db 'outside of MPI, after MPI_Comm_size' 'in MPI_Ssend'"
kill -ALRM $!
wait $!; echo "[$?]"
echo "group: left behind $(left cw.slow)"
ranks G.db
exit 0
