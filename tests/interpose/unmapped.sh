# Looking at buffers never ends a job: one that unmaps what it sends works as it does without us, and is told.
program=$BUILD/tests/interpose/unmapped
mpirun -n 2 "$program" >bare 2>&1 || { cat bare; exit 1; }
crosswait run -o T.db -- mpirun -n 2 "$program" >out 2>&1
status=$?
[ $status = 1 ] && grep -qx done out && grep -q "unmapped before the call that reads it had completed" out || { echo "[$status]"; cat out; exit 1; }
