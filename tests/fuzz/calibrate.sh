# timeout: 300
# Every planted defect is found in seconds, the deep ones as well; its correct twin survives the
# same seed in silence.
# Holds checkers invariant 5; fuzz invariant 3.
/usr/bin/python3 "$SOURCE/fuzz/calibrate.py" "$BUILD/fuzz/corpus" --seconds=20 \
    --twin-seconds=2 --twin-runs=1500
/usr/bin/python3 "$SOURCE/fuzz/calibrate.py" "$BUILD/fuzz/deep" --seconds=60 \
    --twin-seconds=2 --twin-runs=500
