# Runs every case of MPI misuse that exam.py knows, and their correct twins.
# slow
# timeout: 9000
exec /usr/bin/python3 "$SOURCE/tests/exam/exam.py" -v --jobs=2
