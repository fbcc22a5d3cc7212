# slow
# timeout: 300
# Every deep defect is found in few runs; its correct twin survives the same seed in silence.
/usr/bin/python3 "$SOURCE/fuzz/calibrate.py" "$BUILD/fuzz/deep" --seconds=900 --runs=200000 \
    --twin-seconds=2 --twin-runs=500
