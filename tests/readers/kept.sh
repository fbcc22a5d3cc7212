# What fuzzing the readers of traces and spools found or reached, tried again without a fuzzer.
for what in trace spool; do
    mkdir seeds
    "$SOURCE/tests/readers/seeds.bash" "$BUILD" $what seeds || exit 1
    "$BUILD/tests/readers/plain_$what" seeds "$SOURCE/tests/readers/$what" >out 2>&1 || { cat out; exit 1; }
    [ "$(cut -d' ' -f1 out)" -ge 2 ] || { echo "$what: too few files"; cat out; exit 1; }
    rm -rf seeds
done
