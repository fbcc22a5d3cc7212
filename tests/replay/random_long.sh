# Compares the matcher and the launcher's proof with naive ones, and exploration with brute force,
# on many more random programs than `make check`.
# slow
# timeout: 900
set -eu
"$BUILD/tests/unit/test_match" 1000000
"$BUILD/tests/unit/test_explore" 20000
"$BUILD/tests/unit/test_proof_random" 3000
