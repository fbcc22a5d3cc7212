# A rerun confirms only the calls in which it hung. Where it hung elsewhere, that is the finding,
# and the first one is not confirmed. LEFT has a message that nobody receives, at which the program
# hangs where nothing is buffered. (In some orders of the threads that deadlock follows from the
# trace alone, and nothing is run again.)
for how in LEFT OK; do
    mpicc -g -pthread -D$how -o threads "$SOURCE/tests/checkers/threads_left.c" || exit 1
    crosswait run -o T.db -- mpirun -n 4 ./threads >out.txt 2>&1
    echo "$how: [$?]"
    grep '^warning' out.txt
    hung=$(grep -c '^error.hang' out.txt)
    again=$(grep -c 'so it was when the job was run again' out.txt)
    elsewhere=$(crosswait report --verbose T.db | grep -c 'hung elsewhere')
    [ "$hung" = "$again" ] && [ $((hung > 0)) = $((elsewhere > 0)) ] ||
        echo "$hung hangs, $again reruns, $elsewhere elsewhere: $(cat out.txt)"
    grep 'confirmed: .*hung' out.txt || true
done
