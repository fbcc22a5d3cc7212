# slow
# timeout: 1500
# Runs the rest of the tests of mpich.sh.
TESTS="mistakes polling layouts payload_more churn full illegal handles_all"
TESTS+=" perturb overlaps symbols"
. "$SOURCE/tests/interpose/mpich.sh"
