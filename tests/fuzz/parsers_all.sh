# slow
# expected
# timeout: 600
# Reads many more damaged files than parsers.sh. Holds core invariant 3.
times=10
. "$SOURCE/tests/fuzz/parsers.sh"
