# slow
# timeout: 1200
# Does the same as loops.sh with every program of the corpus and every family of calls.
python3 "$SOURCE/tests/store/loops.py" "$BUILD" "$SOURCE" all
