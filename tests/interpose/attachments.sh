# timeout: 120
# More memory is attached to a window than the recorder keeps: nobody is told that what it detaches
# was never attached.
set -eu
crosswait run --confirm=0 -o T.db -- \
    mpirun -n 2 "$BUILD/tests/bench/jobs/families" attachments 5000 >out 2>&1 || {
    cat out
    exit 1
}
grep -q '^verdict: clean' out || { cat out; exit 1; }
