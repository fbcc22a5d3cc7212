# timeout: 300
# Every planted defect is found in seconds; its correct twin survives the same seed in silence.
exec /usr/bin/python3 "$SOURCE/fuzz/calibrate.py" "$BUILD/fuzz/corpus" --seconds=20 --twin-seconds=2 --twin-runs=1500
