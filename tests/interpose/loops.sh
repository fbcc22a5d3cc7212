# Compares loops that the recorder folds with the same jobs that have a record for each call.
# timeout: 120
python3 "$SOURCE/tests/interpose/loops.py" "$BUILD"
