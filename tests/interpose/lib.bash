# Sourced by the tests of this folder. record [-n N] COMMAND...: runs it under mpirun with the library, spools in $SPOOL.
SPOOL=$PWD/spool
record() {
    local n=2
    if [ "$1" = -n ]; then n=$2; shift 2; fi
    rm -rf "$SPOOL"
    CROSSWAIT_SPOOL=$SPOOL timeout -k 10 "${LIMIT:-300}" mpirun -n "$n" -x "LD_PRELOAD=$BUILD/libcrosswait.so" -x CROSSWAIT_SPOOL ${CROSSWAIT_POLICY:+-x CROSSWAIT_POLICY} "$@" </dev/null
}
# check: runs the Python program on standard input with `ranks` = what the spools hold.
check() {
    { echo "import sys; sys.path.insert(0, '$SOURCE/tests'); import spool; ranks = spool.read('$SPOOL')"; cat; } | /usr/bin/python3 - "$@" ||
        { echo "check failed"; exit 1; }
}
# After a job that was cut short: mpirun may be gone before its ranks are.
end_ranks() {
    local p
    for p in $(grep -lsz "^CROSSWAIT_SPOOL=$SPOOL\$" /proc/[0-9]*/environ | cut -d/ -f3); do [ "$p" = $$ ] || kill -9 "$p" 2>/dev/null; done
    return 0
}
