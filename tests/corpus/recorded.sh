# The trace has every call that a counting program of the corpus makes, once: all classes of calls,
# C, C++, Fortran, threads.
# timeout: 240
failed=0 ran=0
for source in $(grep -lE 'counted_print\(rank\)|calls rank=' \
    "$SOURCE"/corpus/programs/*.{c,cpp,f,f90}); do
    name=$(basename "$source") name=${name%.*}
    if grep -q 'NEEDS: openmpi<5' "$source" && ! mpirun --version | grep -q ' 4\.'; then
        echo "$name: left out, it is for Open MPI 4"
        continue
    fi
    args=$(sed -n 's/.*TEST: ranks=2 args=\(.*\) job=.*/\1/p' "$source" | head -1)
    crosswait record -o T.db -- mpirun -n 2 "$BUILD/corpus/programs/$name" $args >out 2>err \
        </dev/null ||
        { echo "$name: failed"; cat err; failed=1; }
    /usr/bin/python3 "$SOURCE/tests/corpus/recorded.py" T.db out "$name" || failed=1
    rm -f T*.db
    ran=$((ran + 1))
done
echo "$ran programs"
[ $failed = 0 ] && [ $ran -gt 15 ]
