# slow
# timeout: 1200
# The same as loops.sh of every program of the corpus and every family of calls.
python3 "$SOURCE/tests/store/loops.py" "$BUILD" "$SOURCE" all
