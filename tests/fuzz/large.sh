# timeout: 200
# slow
# Counts and displacements beyond 2^31 bytes, in sparse memory: wrapped offsets are found, right
# ones have no finding, and no scenario costs as much as if all its bytes existed.
set -u
cp "$SOURCE/tests/fuzz/large.c" .
verdict() { # the arguments
    crosswait fuzz large.c --no-shrink -seed=7 "$@" >out.txt 2>&1
    echo "$* $?"
}
for kind in allgather alltoallv; do
    verdict --target=wrong_$kind -runs=20000
    verdict --target=wrong_$kind -runs=20000 --without=far,huge,many,below
    verdict --target=right_$kind -runs=20000
    verdict --target=wrong_$kind -runs=300 --only-type=huge
    verdict --target=right_$kind -runs=300 --only-type=huge
done
# A root that refuses more than an int can count sends nothing in that call, nor in later ones: none
# of these is taken for what it owes.
printf '%s\n' 'crosswait scenario 1' 'collective fixed_scatter_offset_overflow' 'ranks 2' \
    'count 2' 'type huge' 'type-send huge' 'calls 4' 'growth down' 'also halves' >refused.txt
"$BUILD/fuzz/corpus" --explain=refused.txt | tail -1
CROSSWAIT_FUZZ_TARGET=right_allgather,right_alltoallv /usr/bin/time -o cost.txt -f '%M' \
    crosswait-fuzz/large/fuzz -seed=1 -runs=100 >/dev/null 2>&1
awk '{ print ($1 < 1500000 ? "small" : "large: " $1 " KiB") }' cost.txt
