# slow
# timeout: 900
# The rest of mpich.sh.
TESTS="mistakes polling layouts payload_more churn full illegal perturb overlaps symbols"
. "$SOURCE/tests/interpose/mpich.sh"
