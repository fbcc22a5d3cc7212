# slow
# timeout: 600
# Tests more randomly drawn programs than the suite has time for: loops that are stored as loops,
# and rounds.
PROGRAMS=150 "$BUILD/tests/unit/test_spool_loop" >loop.txt 2>&1 || { cat loop.txt; exit 1; }
PROGRAMS=500 "$BUILD/tests/unit/test_rounds" >rounds.txt 2>&1 || { cat rounds.txt; exit 1; }
