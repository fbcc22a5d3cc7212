# expected
# timeout: 150
# The launcher does not end jobs that only look as if they hung; it ends their twins, which do hang.
# Holds launch invariant 3.
. $SOURCE/tests/launch/lib.bash
try() { # mode ranks
    local status
    timeout 100 crosswait record -o T.db -- mpirun -n ${2:-2} $BUILD/tests/launch/patience $1 >out \
        2>err; status=$?
    echo "$1: $(if [ $status = 0 ]; then echo ends; elif [ $status = 124 ]; then echo no end; else \
        echo is ended; fi)"
    # Who else cannot go on is only known of those that were seen to stand still by then. On a busy
    # machine half a minute may pass without a completed call, which is said.
    grep '^crosswait' err | grep -v ': for 30 seconds no call was completed' | sed 's/;.*//'
    rm -rf T.db*
}
for mode in thread spin probe any bcast split late fence big server handler nodefer alarm timer \
    data child error computes
do
    try $mode
done
try waitany 3
try passes 6
try operates 3
for mode in never anyhang self tag; do try $mode; done
