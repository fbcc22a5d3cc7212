# Every collective of the corpus on the in-process MPI at P = 1 to 64, one at a time: what a world sends stays in its memory.
# What is thinned above 16 ranks is said in verify_collectives.c, at --grid.
# timeout: 1800
# slow
. "$SOURCE/tests/corpus/inproc.bash"
set -e
cases=0
for name in $(./verify -n 1 -- --list-rows 2>/dev/null | awk '{ print $2 }' | grep '^cw_' | grep -v '_printed$'); do
    for ((ranks = ${FROM:-1}; ranks <= 64; ranks += ${STEP:-1})); do
        ./verify -n $ranks -p rendezvous -- --synchronous --from=$ranks --name="$name" --grid >out 2>&1 ||
            { echo "$name, $ranks ranks"; cat out; exit 1; }
        ((cases += $(awk '/ cases on each rank/ { print $1 }' out))) || exit 1
    done
done
echo "$cases cases, each on all ranks"
