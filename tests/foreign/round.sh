# Traces that go to OTF2 and come back: some programs, drawn.
# timeout: 200
python3 "$SOURCE/tests/foreign/round.py" "$BUILD" "$SOURCE" "${SEED:-7}"
