# expected
# timeout: 120
# If calls of several threads can never return, the launcher ends the job. If a thread is only slow,
# it does not.
. $SOURCE/tests/launch/lib.bash
mpicc -g -pthread -o threads.$$ $SOURCE/tests/launch/programs/threads.c || exit 1
hang() { # ranks mode
    timeout 60 crosswait record -o T.db -- mpirun -n $1 ./threads.$$ $2 >out 2>&1
    [ $? = 0 ] && echo "$2: ends well" || echo "$2: fails"
    grep '^crosswait:' out | sed 's/; the job was ended.*//'
    echo "left behind: $(left threads.$$)"
    rm -rf T.db
}
hang 2 send
hang 3 late
