# An object that unrecorded calls made is valid, even if it has the handle of a freed object; the
# recorder does not ask a type with large counts what only types with small counts can answer, which
# would end the job. A launched job that clears its environment leaves its trace to the launcher. A
# message that a handler of a signal sends within a call is not recorded, and nothing is blamed.
command -v mpiexec.mpich >/dev/null || { echo "mpich is not installed: make deps"; exit 1; }
bad=0
try() { # what it must print, verdict; then: starter, program, options of crosswait's
    local printed=$1 verdict=$2 starter=$3 how=$4
    shift 4
    local program=$BUILD/tests/interpose/unseen
    [ "$starter" = mpirun ] || program=$BUILD/mpich/interpose/unseen
    timeout 60 crosswait run "$@" -- "$starter" -n 2 "$program" "$how" >out 2>err
    local status=$?
    [ $status = 0 ] && [ ! -s err ] && grep -q "^verdict: $verdict" out &&
        [ "$(grep -c "^$printed$" out)" = 2 ] && ! grep -qE '^(error|warning)\[' out ||
        { echo "$starter $how: exit status $status"; cat out err; bad=1; }
}
left=--calls=-MPI_Group_excl,-MPI_Info_dup,-MPI_Comm_create_keyval
for starter in mpirun mpiexec.mpich; do
    try "filter done" "clean as far as it was recorded" $starter filter $left
    try "bare done" clean $starter bare
done
# Its ranks sleep between two polls (idle.c), so the signal comes between two steps of the library.
try "signal done" "clean as far as it was recorded" mpirun signal
try "1 of 5368709120 at 5368709112" "clean as far as it was recorded" mpiexec.mpich large
exit $bad
