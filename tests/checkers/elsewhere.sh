# A rerun confirms only the calls in which it hung. Where it hung elsewhere, that is the finding,
# and the first one is not confirmed. LEFT has a message that nobody receives, at which the program
# hangs where nothing is buffered.
for how in LEFT OK; do
    mpicc -g -pthread -D$how -o threads "$SOURCE/tests/checkers/threads_left.c" || exit 1
    crosswait run -o T.db -- mpirun -n 4 ./threads >out.txt 2>&1
    echo "$how: [$?]"
    grep -E '^(error.hang|warning|error.deadlock)|so it was' out.txt
    crosswait report --verbose T.db | grep -o "hung elsewhere" | head -1
done
