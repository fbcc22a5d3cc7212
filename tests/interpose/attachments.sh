# timeout: 120
# A program attaches more memory to a window than the recorder remembers: no finding says that
# memory it detaches was never attached.
set -eu
crosswait run --confirm=0 -o T.db -- \
    mpirun -n 2 "$BUILD/tests/bench/jobs/families" attachments 5000 >out 2>&1 || {
    cat out
    exit 1
}
grep -q '^verdict: clean' out || { cat out; exit 1; }
