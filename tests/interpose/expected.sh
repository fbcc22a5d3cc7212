# timeout: 300
# Programs that expect an error and continue get notes and no more. They look at what a call
# returns, or have error handlers of their own. Open MPI ends a job that cannot spawn; MPICH ends
# one that frees a handler of files. What MPICH's calls return: expected_mpich.sh. For Open MPI,
# ports and win_calls have a test of their own (expected_4.sh).
. "$SOURCE/tests/interpose/expected.bash"
kinds=$(grep -o '{"[a-z_]*", ' "$SOURCE/tests/interpose/expected.c" | tr -d '{", ')
mpicc.mpich -g -w -DHANDLER -o mpich-DHANDLER "$SOURCE/tests/interpose/expected.c" || exit 1
told mpiexec.mpich mpich-DHANDLER $(grep -v ^file <<<"$kinds") >mpich-DHANDLER.out &
for handler in "" -DHANDLER; do
    mpicc -g -w $handler -o openmpi$handler "$SOURCE/tests/interpose/expected.c" || exit 1
    told mpirun openmpi$handler $(grep -vx 'spawn\|ports\|win_calls' <<<"$kinds")
done
wait
cat mpich-DHANDLER.out
exit 0
