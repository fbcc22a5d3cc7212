# timeout: 300
# Programs that expect an error and go on, with what is told of them: notes, and no more. They look
# at what a call returns, or have error handlers of their own. Open MPI ends a job that cannot
# spawn; MPICH ends one that frees a handler of files.
kinds=$(grep -o '{"[a-z_]*", ' "$SOURCE/tests/interpose/expected.c" | tr -d '{", ')
told() { # MPIRUN PROGRAM KIND...
    local mpirun=$1 program=$2 kind
    shift 2
    for kind; do
        mkdir "$program.$kind" && cd "$program.$kind" || exit 1
        crosswait run --confirm=0 -o T.db -- $mpirun -n 2 ../$program "$kind" >out 2>/dev/null \
            </dev/null
        echo "$program $kind: $?"
        grep -hE '^(error|warning)\[|\] follows: ' out
        cd ..
    done
}
for handler in "" -DHANDLER; do
    mpicc -g -w $handler -o openmpi$handler "$SOURCE/tests/interpose/expected.c" || exit 1
    mpicc.mpich -g -w $handler -o mpich$handler "$SOURCE/tests/interpose/expected.c" || exit 1
    told mpirun openmpi$handler ${kinds/spawn/} >openmpi$handler.out &
    [ -z "$handler" ] || kinds=$(grep -v ^file <<<"$kinds")
    told mpiexec.mpich mpich$handler $kinds >mpich$handler.out
    wait
    cat openmpi$handler.out mpich$handler.out
done
exit 0
