# timeout: 300
# Programs that expect an error and continue get notes and no more. They look at what a call
# returns, or have error handlers of their own. Open MPI ends a job that cannot spawn; MPICH ends
# one that frees a handler of files. For Open MPI, ports and win_calls have a test of their own
# (expected_4.sh).
. "$SOURCE/tests/interpose/expected.bash"
kinds=$(grep -o '{"[a-z_]*", ' "$SOURCE/tests/interpose/expected.c" | tr -d '{", ')
for handler in "" -DHANDLER; do
    mpicc -g -w $handler -o openmpi$handler "$SOURCE/tests/interpose/expected.c" || exit 1
    mpicc.mpich -g -w $handler -o mpich$handler "$SOURCE/tests/interpose/expected.c" || exit 1
    told mpirun openmpi$handler $(grep -vx 'spawn\|ports\|win_calls' <<<"$kinds") \
        >openmpi$handler.out &
    [ -z "$handler" ] || kinds=$(grep -v ^file <<<"$kinds")
    told mpiexec.mpich mpich$handler $kinds >mpich$handler.out
    wait
    cat openmpi$handler.out mpich$handler.out
done
exit 0
