# slow
# timeout: 300
# Programs that look at what MPICH's calls return: see expected.sh.
. "$SOURCE/tests/interpose/expected.bash"
mpicc.mpich -g -w -o mpich "$SOURCE/tests/interpose/expected.c" || exit 1
told mpiexec.mpich mpich $(grep -o '{"[a-z_]*", ' "$SOURCE/tests/interpose/expected.c" |
    tr -d '{", ')
exit 0
# expected
