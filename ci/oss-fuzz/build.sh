#!/bin/bash -eu
# Makes for each file in collectives/ (or the folder COLLECTIVES) the files that OSS-Fuzz and
# ClusterFuzzLite expect in $OUT: a fuzzer NAME, its seed corpus NAME_seed_corpus.zip, its options
# NAME.options. The fuzzer takes libFuzzer's options (-artifact_prefix=..., -timeout=..., a folder,
# an input to run again), prints a finding and aborts; it needs no MPI library at run time. There is
# no dictionary, since inputs are scenarios, whose fields the fuzzer mutates.
for file in "${COLLECTIVES:-collectives}"/*.c; do
    name=$(basename "$file" .c)
    # A short campaign makes the corpus. OSS-Fuzz finds and reports its findings again.
    crosswait fuzz "$file" -o "$WORK/$name" -seed=1 -runs="${RUNS:-3000}" --no-shrink || [ $? = 1 ]
    install "$WORK/$name/fuzz" "$OUT/$name"
    (cd "$WORK/$name/corpus" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" .)
    printf '%s\n' '[libfuzzer]' 'len_control = 0' 'timeout = 20' 'rss_limit_mb = 4096' \
        'malloc_limit_mb = 8192' >"$OUT/$name.options"
done
