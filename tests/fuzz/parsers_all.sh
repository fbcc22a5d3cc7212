# slow
# expected
# timeout: 600
# Many more spoiled files than parsers.sh has. Holds core invariant 3.
times=10
. "$SOURCE/tests/fuzz/parsers.sh"
