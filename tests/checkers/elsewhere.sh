# A rerun confirms only the calls in which it hung. If it hung in other calls, these become the
# finding, and the first finding is not confirmed. LEFT has a message that nobody receives, and
# hangs there if nothing is buffered. (In some orders of the threads this deadlock follows from the
# trace alone, and there is no rerun.)
for how in LEFT OK; do
    mpicc -g -pthread -D$how -o threads "$SOURCE/tests/checkers/threads_left.c" || exit 1
    crosswait run -o T.db -- mpirun -n 4 ./threads >out.txt 2>&1
    echo "$how: [$?]"
    grep '^warning' out.txt
    hung=$(grep -c '^error.hang' out.txt)
    again=$(grep -c 'this happened when the job was run again' out.txt)
    elsewhere=$(crosswait report --verbose T.db | grep -c 'hung elsewhere')
    [ "$hung" = "$again" ] && [ $((hung > 0)) = $((elsewhere > 0)) ] ||
        echo "$hung hangs, $again reruns, $elsewhere elsewhere: $(cat out.txt)"
    grep 'confirmed: .*hung' out.txt || true
done
