# The matcher and the launcher's proof against naive ones, and exploration against brute force, on
# many more random programs than each `make check` tries.
# slow
# timeout: 900
set -eu
"$BUILD/tests/unit/test_match" 1000000
"$BUILD/tests/unit/test_explore" 20000
"$BUILD/tests/unit/test_proof_random" 3000
