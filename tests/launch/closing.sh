# expected
# slow
# timeout: 240
# Silence in a call that may take long is no proof and ends no job: after two minutes it is told who
# is where, once. The finding is told when the job is ended from outside.
. $SOURCE/tests/launch/lib.bash
crosswait run -o T.db -- mpirun -n 2 $BUILD/tests/launch/closing >out 2>err &
job=$!
until grep -q '^crosswait: for' err || ! kill -0 $job 2>/dev/null; do sleep 0.2; done
sleep 3
kill -INT $job
wait $job
grep '^crosswait: for' err | sed 's/ for [0-9]* s)/ for N s)/g'
grep -h '^error\|^verdict' out
