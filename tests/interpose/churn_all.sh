# slow
# Makes more communicators, one after the other, than the recorder distinguishes at a time, and more
# different long datatypes than it remembers completely. Holds interpose invariant 1;
# objects/handles.c invariant 1; objects/datatypes.c invariant 3.
# timeout: 300
. "$SOURCE/tests/interpose/lib.bash"
set -u
timeout 250 crosswait record -o T.db -- $MPIRUN -n 1 "$PROGRAMS/churn" 530000 0 >out.txt ||
    { cat out.txt; exit 1; }
grep -q '^rank 0 grew' out.txt
CROSSWAIT_BUFFERS=on CROSSWAIT_PAYLOAD=sample timeout 100 crosswait record -o L.db -- \
    $MPIRUN -n 1 "$PROGRAMS/churn" 0 0 0 3000 >long.txt || { cat long.txt; exit 1; }
[ "$(awk '/grew/ { print $5 }' long.txt)" -lt 50000 ] || { cat long.txt; exit 1; }
sqlite3 L.db "select value from meta where key = 'notes'" |
    grep -q 'does not keep the layout of all'
