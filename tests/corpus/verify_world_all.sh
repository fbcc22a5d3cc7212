# Runs every collective of the corpus on the in-process MPI at P = 1 to 64, one at a time, because a
# world keeps what it sends in memory. verify_collectives.c says at --grid what is thinned above 16
# ranks; above 32 ranks each collective runs at 36, 49, 63, 64 and every eighth P, with another
# offset than its neighbour in the list.
# timeout: 1800
# slow
. "$SOURCE/tests/corpus/world.bash"
set -e
cases=0 turn=0
for name in $(./verify -n 1 -- --list-rows 2>/dev/null | awk '{ print $2 }' | grep '^cw_' |
    grep -v '_printed$'); do
    : $((turn += 1))
    for ranks in {1..64}; do
        ((ranks <= 32 || (ranks + turn) % 8 == 0)) || [[ " 36 49 63 64 " == *" $ranks "* ]] ||
            continue
        ./verify -n $ranks -p rendezvous -- --synchronous --from=$ranks --name="$name" --grid >out \
            2>&1 ||
            { echo "$name, $ranks ranks"; cat out; exit 1; }
        : $((cases += $(awk '/ cases on each rank/ { print $1 }' out)))
    done
done
[ $cases -gt 0 ] && echo "$cases cases, each on all ranks"
