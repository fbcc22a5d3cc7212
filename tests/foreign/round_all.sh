# slow
# timeout: 1500
# Does the same as round.sh with every program of the corpus and every family of calls.
python3 "$SOURCE/tests/foreign/round.py" "$BUILD" "$SOURCE" all
