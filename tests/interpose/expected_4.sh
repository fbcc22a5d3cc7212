# needs: openmpi<5: 5.0 makes calls on windows that 4.1 refuses, and connects to no port for ever
# Errors that programs expect only from Open MPI 4.1: see expected.sh.
. "$SOURCE/tests/interpose/expected.bash"
for handler in "" -DHANDLER; do
    mpicc -g -w $handler -o openmpi$handler "$SOURCE/tests/interpose/expected.c" || exit 1
    told mpirun openmpi$handler ports win_calls
done
exit 0
