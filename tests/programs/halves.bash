# halves.bash N OF: runs the Nth part of verdicts.py as two, side by side: most of their time is waiting.
mkdir first second
(cd first && exec /usr/bin/python3 "$SOURCE/tests/programs/verdicts.py" $((2 * $1 - 1)) $((2 * $2))) >first.out 2>&1 &
(cd second && exec /usr/bin/python3 "$SOURCE/tests/programs/verdicts.py" $((2 * $1)) $((2 * $2))) >second.out 2>&1
second=$?
wait $!
first=$?
cat first.out second.out
[ $first = 0 ] && [ $second = 0 ]
