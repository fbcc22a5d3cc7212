# slow
# timeout: 300
# Every planted defect is found in few runs; its correct twin survives the same seed without a
# finding. (calibrate_deep.sh has those that are harder to reach.) Holds checkers invariant 5; fuzz
# invariant 3.
/usr/bin/python3 "$SOURCE/fuzz/calibrate.py" "$BUILD/fuzz/corpus" --seconds=900 --runs=20000 \
    --twin-seconds=2 --twin-runs=500
