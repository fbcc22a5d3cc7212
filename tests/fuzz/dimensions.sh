# timeout: 280
# slow
# Each dimension of scenarios shows a planted defect that is missed without the dimension, and each
# kind and form of collective is fuzzed: the wrong one is found, its correct twin has no finding,
# with the same seeds. Holds fuzz invariant 3.
set -u
cp "$SOURCE/tests/fuzz/dimensions.c" .
crosswait fuzz dimensions.c --target=right_halo -runs=1 >/dev/null || exit 1
verdict() { # the arguments; what was found, or "silent"
    rm -rf crosswait-fuzz/dimensions/corpus # each from nothing, in any order the same
    crosswait fuzz dimensions.c --no-shrink -seed=7 "$@" >out.txt 2>&1
    case $? in
        0) echo silent ;;
        1) sed -nE '1s/^[^:]*: (finding: )?(ERROR: )?//p' out.txt | sed -E 's/:.*//' | grep . ||
            echo "found" ;;
        *) cat out.txt ;;
    esac
}
while read -r name runs without more; do
    echo "${name%%,*}: $(verdict --target=wrong_$name -runs=$runs $more | grep -q silent &&
        echo MISSED || echo found)," \
        "$([ $without = - ] || echo "without $without $(verdict --target=wrong_$name -runs=$runs \
            --without=$without $more), ")its twin" \
        "$(verdict --target=right_$name -runs=$runs $more)"
done <<'TABLE'
bcast_tree 500 root-step,also
gather_scratch 500 before,behind
gatherv_packed 500 places
allgather_int 3000 far,huge,many
scan_ring,gather_any 4000 other
flat_lazy,flat_early 800 other
flat_lazy,flat_early 800 flight
gather_arrival 500 arrive --without=slow,shuffle,delays,communicator,also,calls
allreduce_known 500 also
allreduce_pieces 500 growth
alltoallv_in_place 500 in-place
scatterv_skip 500 -
exscan_chain 500 -
reduce_scatter_block_linear 500 -
alltoallw_bytes 500 -
neighbor_graph 500 graph
ring 500 flight
barrier_request 500 -
bcast_pair 500 - --ranks=1..2
halo 500 -
TABLE
cat >kind.c <<'END'
#include <mpi.h>
int f(MPI_Comm c) { return MPI_Barrier(c); }
COLLECTIVE(barier, "", f)
END
crosswait fuzz kind.c -runs=1 2>&1 || echo "exit $?"
