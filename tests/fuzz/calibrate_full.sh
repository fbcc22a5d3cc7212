# timeout: 14400
# slow
# Uses the whole budget of a calibration: 60 seconds and 5,000,000 executions each, for defects,
# twins and all correct collectives.
exec /usr/bin/python3 "$SOURCE/fuzz/calibrate.py" "$BUILD/fuzz/corpus" --table --correct
