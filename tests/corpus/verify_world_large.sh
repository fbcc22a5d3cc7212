# Runs one collective at a time with as many ranks as one process supports.
# timeout: 1200
# slow
. "$SOURCE/tests/corpus/world.bash"
set -e
for name in $(./verify -n 1 -- --list-rows 2>/dev/null | awk '{ print $2 }' | grep '^cw_' |
    grep -v '_printed$'); do
    counts=
    case $name in cw_alltoall_*) counts=--brief ;; esac # what a world sends stays in its memory
    for ranks in 17 32 36 63 64; do
        ./verify -n $ranks -p rendezvous -- --synchronous --from=$ranks --name="$name" $counts \
            >out 2>&1 ||
            { echo "$name, $ranks ranks"; cat out; exit 1; }
    done
done
echo "all up to 64 ranks"
