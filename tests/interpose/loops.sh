# Loops that are folded where they are recorded, and the same jobs with a record for each call.
# timeout: 120
python3 "$SOURCE/tests/interpose/loops.py" "$BUILD"
