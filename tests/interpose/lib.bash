# Sourced by the tests of this folder. MPI=mpich: uses programs of that library and its recorder.
# PROGRAMS: the folder of programs that were built for another Open MPI.
SPOOL=$PWD/spool
export CROSSWAIT_TIMES=all # spool.py reads no sums, and spools fill what is small
if [ "$MPI" = mpich ]; then
    MPIRUN=mpiexec.mpich LIBRARY=$BUILD/libcrosswait.so PROGRAMS=$BUILD/mpich/interpose \
        CORPUS=$BUILD/mpich/programs
else
    MPIRUN=mpirun LIBRARY=$BUILD/libcrosswait.so PROGRAMS=${PROGRAMS:-$BUILD/tests/interpose} \
        CORPUS=$BUILD/corpus/programs
fi
# record [-n N] [-x VARIABLE[=VALUE]]... COMMAND...: runs it under mpirun with the library, spools
# in $SPOOL.
record() {
    local n=2 set=(-x LD_PRELOAD="$LIBRARY${LD_PRELOAD:+:$LD_PRELOAD}" \
        -x CROSSWAIT_SPOOL ${CROSSWAIT_POLICY:+-x CROSSWAIT_POLICY})
    if [ "$1" = -n ]; then n=$2; shift 2; fi
    while [ "$1" = -x ]; do set+=(-x "$2"); shift 2; done
    rm -rf "$SPOOL"
    if [ "$MPI" = mpich ]; then # the environment is every rank's; what is set anew goes there alone
        local i word=(${set[@]+"${set[@]}"})
        set=()
        for ((i = 1; i < ${#word[@]}; i += 2)); do
            if [[ ${word[i]} = *=* ]]; then set+=(-env "${word[i]%%=*}" "${word[i]#*=}"); fi
        done
    fi
    CROSSWAIT_SPOOL=$SPOOL timeout -k 10 "${LIMIT:-300}" $MPIRUN -n "$n" "${set[@]}" "$@" </dev/null
}
# check: runs the Python program on standard input with `ranks` = what the spools hold.
check() {
    {
        echo "import sys; sys.path.insert(0, '$SOURCE/tests')"
        echo "import spool; ranks = spool.read('$SPOOL')"
        cat
    } | /usr/bin/python3 - "$@" ||
        { echo "check failed"; exit 1; }
}
# After a job that was cut short: mpirun may be gone before its ranks are.
end_ranks() {
    local p
    for p in $(grep -lsz "^CROSSWAIT_SPOOL=$SPOOL\$" /proc/[0-9]*/environ |
        cut -d/ -f3); do [ "$p" = $$ ] || kill -9 "$p" 2>/dev/null; done
    return 0
}
