# slow
# timeout: 1500
# Runs the rest of the tests of mpich.sh.
TESTS="filters payload unmapped watch handles mistakes polling layouts payload_more churn"
TESTS+=" full illegal handles_all perturb overlaps symbols"
. "$SOURCE/tests/interpose/mpich.sh"
