# The matcher against the naive one, and exploration against brute force, on many more random
# programs than each `make check` tries.
# slow
# timeout: 900
set -eu
"$BUILD/tests/unit/test_match" 1000000
"$BUILD/tests/unit/test_explore" 20000
