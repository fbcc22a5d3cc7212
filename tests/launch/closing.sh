# expected
# slow
# timeout: 240
# Silence in a call that can take long is no proof and ends no job: after two minutes the launcher
# prints once which rank is where. The finding is printed when something else ends the job.
. $SOURCE/tests/launch/lib.bash
crosswait run -o T.db -- mpirun -n 2 $BUILD/tests/launch/closing >out 2>err &
job=$!
until grep -q '^crosswait: for' err || ! kill -0 $job 2>/dev/null; do sleep 0.2; done
sleep 3
kill -INT $job
wait $job
grep '^crosswait: for' err | sed 's/ for [0-9]* s)/ for N s)/g'
grep -h '^error\|^verdict' out
