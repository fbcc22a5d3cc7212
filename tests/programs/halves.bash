# halves.bash N OF: runs the Nth part of verdicts.py as two halves side by side, as most of their
# time is waiting. Each half has its own TMPDIR, because mpirun removes the folder of its sessions
# there, even if another mpirun has just begun to use it.
mkdir first second
(cd first && TMPDIR=$PWD exec /usr/bin/python3 "$SOURCE/tests/programs/verdicts.py" \
    $((2 * $1 - 1)) $((2 * $2))) >first.out 2>&1 &
(cd second && TMPDIR=$PWD exec /usr/bin/python3 "$SOURCE/tests/programs/verdicts.py" \
    $((2 * $1)) $((2 * $2))) >second.out 2>&1
second=$?
wait $!
first=$?
cat first.out second.out
[ $first = 0 ] && [ $second = 0 ]
