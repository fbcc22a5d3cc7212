# slow
# timeout: 300
# Every defect that is hard to reach is found in few runs; its correct twin survives the same seed
# without a finding.
/usr/bin/python3 "$SOURCE/fuzz/calibrate.py" "$BUILD/fuzz/deep" --seconds=900 --runs=200000 \
    --twin-seconds=2 --twin-runs=500
