# Exports the traces of some randomly drawn programs to OTF2 and imports them again.
# timeout: 200
python3 "$SOURCE/tests/foreign/round.py" "$BUILD" "$SOURCE" "${SEED:-7}"
