# slow
# timeout: 900
# Tests more randomly drawn programs than the suite has time for: loops that are stored as loops,
# rounds, all that match messages, and hangs that are proven.
run() { # $1: the test, the rest: before the command
    "${@:2}" "$BUILD/tests/unit/$1" $count >out.txt 2>&1 || { cat out.txt; exit 1; }
}
count=
run test_spool_loop env PROGRAMS=150
run test_rounds env PROGRAMS=500
count=8000 run test_matching
count=4000 run test_proof_random
count=2000 run test_explore
