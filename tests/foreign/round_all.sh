# slow
# timeout: 1500
# The same as round.sh of every program of the corpus and every family of calls.
python3 "$SOURCE/tests/foreign/round.py" "$BUILD" "$SOURCE" all
