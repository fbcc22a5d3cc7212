# timeout: 200
# The kinds of the fuzzer's guidance can be switched, to measure the effect of each: without
# guidance it keeps only its first inputs, with coverage fewer than with coverage and patterns. A
# table has the executions until each defect is found.
set -u
kept() { # $1: what it goes by
    rm -rf kept && mkdir kept
    CROSSWAIT_FUZZ_TARGET=cw_allreduce_ring CROSSWAIT_FUZZ_GOES_BY=$1 \
        "$BUILD/fuzz/corpus" -seed=1 -runs=1500 -len_control=0 -rss_limit_mb=4096 kept \
        >log.txt 2>&1 || { tail -3 log.txt; exit 1; }
    find kept -type f | wc -l
}
both=$(kept "coverage pattern anew=0") coverage=$(kept "coverage anew=0")
pattern=$(kept "pattern anew=0") none=$(kept anew=0)
[ "$none" -le 2 ] && [ "$coverage" -gt "$none" ] && [ "$pattern" -gt "$none" ] &&
    [ "$both" -gt "$coverage" ] ||
    echo "kept: $both, coverage alone $coverage, pattern alone $pattern, none $none"
"$SOURCE/fuzz/calibrate.py" "$BUILD/fuzz/corpus" --compare=1 --runs=1000 --seconds=600 \
    --only=defect_reduce_wrong >table.txt || exit 1
awk '/^defect_/ {print $1, NF - 1} /^(geometric|times|not)/ {print $1, $2}' table.txt
awk '/^defect_/ {for (i = 2; i <= NF; i++) if ($i == "-" || $i < 1) print "column", i, $i}' \
    table.txt
