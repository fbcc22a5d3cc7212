# slow
# expected
# timeout: 240
# A call that returned an error has exactly the effects that were seen: each kind alone with its
# finding, and made correctly without one. With Open MPI, a refused buffered send loses those that
# follow it, and Open MPI ignores what a callback of an attribute returns when a window is freed.
modes=$(sed -n 's/^    {"\([a-z_]*\)", .*/\1/p' "$SOURCE/tests/interpose/returned.c")
told() { # MPIRUN PROGRAM MODE...
    local mpirun=$1 program=$2 mode
    shift 2
    for mode; do
        mkdir "$program.$mode" && cd "$program.$mode" || exit 1
        crosswait run --confirm=0 -o T.db -- $mpirun -n 2 ../$program "$mode" >out 2>/dev/null \
            </dev/null
        echo "$mode: $?"
        grep -hE '^(error|warning|note)\[|\] follows: ' out
        cd ..
    done
}
mpicc -g -w -o openmpi "$SOURCE/tests/interpose/returned.c" || exit 1
mpicc.mpich -g -w -o mpich "$SOURCE/tests/interpose/returned.c" || exit 1
told mpirun openmpi sound ${modes/bsend_full/} >openmpi.out &
told mpiexec.mpich mpich sound $modes >mpich.out
wait
cat openmpi.out
# MPICH: what differs from that.
diff openmpi.out mpich.out | grep '^[<>]'
exit 0
