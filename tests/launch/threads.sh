# expected
# timeout: 120
# Calls of several threads that can never return: the job is ended. Where one only takes its time,
# it is not.
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
