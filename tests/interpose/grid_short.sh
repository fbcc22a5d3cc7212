# slow
# timeout: 180
# Checks the messages inside collectives: each algorithm of coll/tuned, every non-blocking and some
# persistent collectives, at two awkward P. Holds layer/openmpi.c invariant 2.
. "$SOURCE/tests/interpose/grid.bash"
all=
for op in $inside; do all="$all $(algorithms $op 3,5)"; done
[ $(wc -w <<<"$all") -ge 40 ] || { echo "too few algorithms are known: $all"; exit 1; }
tuned 100 5 $all 3
tuned_outside 5 3,5 3
one 14 3 ${operations//[^ ]* /i&} 3 100
one 5 4 pbcast pallreduce pbarrier palltoall pgather 3
echo "$total cases"
