# Loops in traces are folded, and nobody who reads them sees it: some programs, drawn.
# timeout: 200
python3 "$SOURCE/tests/store/loops.py" "$BUILD" "$SOURCE" "${SEED:-7}"
