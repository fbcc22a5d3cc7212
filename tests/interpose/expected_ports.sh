# needs: openmpi<5: its MPI_Comm_connect to a port that is none never returns
# Errors that programs expect of ports and published names, with Open MPI: see expected.sh.
. "$SOURCE/tests/interpose/expected.bash"
for handler in "" -DHANDLER; do
    mpicc -g -w $handler -o openmpi$handler "$SOURCE/tests/interpose/expected.c" || exit 1
    told mpirun openmpi$handler ports
done
exit 0
