# slow
# More communicators, one after the other, than are told apart at a time.
# timeout: 300
# Holds interpose invariant 1; objects/handles.c invariant 1.
. "$SOURCE/tests/interpose/lib.bash"
set -u
timeout 250 crosswait record -o T.db -- $MPIRUN -n 1 "$PROGRAMS/churn" 530000 0 >out.txt ||
    { cat out.txt; exit 1; }
grep -q '^rank 0 grew' out.txt
