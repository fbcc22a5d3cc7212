# Every program of the corpus gets the verdict that its head expects: part 3 of 3.
# timeout: 300
/usr/bin/python3 "$SOURCE/tests/programs/verdicts.py" 3 3
