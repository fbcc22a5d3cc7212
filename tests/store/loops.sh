# The store folds loops in traces, and readers get the same as without folding: some randomly drawn
# programs.
# timeout: 200
python3 "$SOURCE/tests/store/loops.py" "$BUILD" "$SOURCE" "${SEED:-7}"
