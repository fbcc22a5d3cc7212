# timeout: 300
# Every planted defect is found in few runs; its correct twin survives the same seed in silence.
# (The deep ones: calibrate_deep.sh.)
# Holds checkers invariant 5; fuzz invariant 3.
/usr/bin/python3 "$SOURCE/fuzz/calibrate.py" "$BUILD/fuzz/corpus" --seconds=900 --runs=20000 \
    --twin-seconds=2 --twin-runs=500
