# slow
# A rank sleeps for 20 seconds before it receives: the launcher does not end the job.
. $SOURCE/tests/launch/lib.bash
crosswait record -o T.db -- mpirun -n 3 $P/slow 20 2>&1; echo "[$?]"
ranks T.db
