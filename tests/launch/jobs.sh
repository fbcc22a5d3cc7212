# expected
# A command that runs several MPI jobs, none, or one in the background leaves a trace for each.
. $SOURCE/tests/launch/lib.bash
crosswait record -o T.db -- sh \
    -c "mpirun -n 2 $P/quiz; mpirun -n 3 $P/shift6 | tail -1; mpirun -n 2 $P/quiz 64" >out 2>&1
    echo "[$?]"
ls -d T*
for t in T.db T-2.db T-3.db; do sqlite3 $t "select count(*) from rank"; done
rm -f T*
crosswait record -o T.db -- sh -c "mpirun -n 2 $P/slow 1 &"
echo "[$?]" # the trace waits for the ranks
ranks T.db
exit 0
