# slow
# timeout: 180
# Checks the messages inside of collectives of pip's Open MPI 5: each algorithm of coll/tuned, the
# non-blocking and some persistent collectives, and those of adapt, which puts callbacks on its
# messages.
. "$SOURCE/tests/mpi/inside.bash"
all=
for op in $inside; do all="$all $(algorithms $op 3,5)"; done
[ $(wc -w <<<"$all") -ge 40 ] || { echo "too few algorithms are known: $all"; exit 1; }
tuned 100 5 $all 3
one 14 3 ${operations//[^ ]* /i&} 3 100
one 5 4 pbcast pallreduce pbarrier palltoall pgather 3
OMPI_MCA_coll_adapt_priority=100 one 4 5 bcast reduce ibcast ireduce 3 100000
echo "$total cases"
