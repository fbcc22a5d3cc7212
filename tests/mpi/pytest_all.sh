# slow
# timeout: 600
# polls
# Runs pytest.sh's test programs with each library.
libraries="openmpi mpich impi"
. "$SOURCE/tests/mpi/pytest.sh"
