#!/bin/bash -eu
# Makes of each file in collectives/ (COLLECTIVES: another folder) what OSS-Fuzz and ClusterFuzzLite
# expect in $OUT: a fuzzer NAME, its first corpus NAME_seed_corpus.zip, its options NAME.options.
# The fuzzer takes libFuzzer's options (-artifact_prefix=..., -timeout=..., a folder, an input to
# run again), prints the finding and aborts; it needs no MPI library where it runs. There is no
# dictionary: inputs are scenarios, and the fuzzer mutates their fields.
for file in "${COLLECTIVES:-collectives}"/*.c; do
    name=$(basename "$file" .c)
    # A short campaign makes the corpus; what it finds is found again, and reported, there.
    crosswait fuzz "$file" -o "$WORK/$name" -seed=1 -runs="${RUNS:-3000}" --no-shrink || [ $? = 1 ]
    install "$WORK/$name/fuzz" "$OUT/$name"
    (cd "$WORK/$name/corpus" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" .)
    printf '%s\n' '[libfuzzer]' 'len_control = 0' 'timeout = 20' 'rss_limit_mb = 4096' \
        'malloc_limit_mb = 8192' >"$OUT/$name.options"
done
